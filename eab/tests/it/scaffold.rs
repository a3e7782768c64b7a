//! The skeleton of a service: it compiles as it is written, and passes the kit once its methods are
//! filled in.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::Duration,
};

use toolwright::eab::Endpoint;
use toolwright_eab::kit::{Options, Verdict, verify};
use toolwright_generator::{
    emit::{OWN_FILES, skeleton},
    generate::{self, Input, Options as Generation},
    load::Memory,
};

const DOCUMENT: &str = include_str!("scaffold/eab.yaml");

/// Writes the skeleton and gives its folder.
fn written() -> PathBuf {
    let files = Memory([("eab.yaml".to_owned(), DOCUMENT.as_bytes().to_vec())].into());
    let outcome = generate::run(&[Input::new("eab.yaml")], Generation::default(), &files);
    let catalog = outcome.catalog.unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = fs::canonicalize(root).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("texts-service");
    for (file, text) in skeleton(&catalog.services()[0], Some(&root)).iter() {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    assert!(OWN_FILES.iter().all(|file| folder.join(file).exists()));
    folder
}

/// Builds the crate and gives its program. What the tests were built with is used again.
fn built(folder: &Path) -> PathBuf {
    let test = env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let output = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
        .args(["build", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", env::var("RUSTFLAGS").unwrap_or_default())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("warning"), "{said}");
    target.join("debug/texts-service")
}

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_skeleton_compiles_and_passes_the_kit_once_it_is_filled_in() {
    let folder = written();
    built(&folder);
    let filled = include_str!("scaffold/filled.rs");
    fs::write(folder.join("src/main.rs"), filled).unwrap();
    let program = built(&folder);
    let run = tempfile::tempdir().unwrap();
    let socket = run.path().join("texts.sock");
    let _running = Running(Command::new(program).arg(&socket).spawn().unwrap());
    for _ in 0..500 {
        if socket.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut options = Options::new(Endpoint::Unix(socket));
    options.calls_that_write = true;
    let report = verify(&crate::support::tools(DOCUMENT), &options).await;
    let wrong: Vec<_> = report
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::Passed)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
