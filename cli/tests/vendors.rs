//! The vendors' own documents of Plane, Outline and Nomad become crates that compile without a
//! warning.
//!
//! The documents are not part of the project. `TOOLWRIGHT_SHARED` names their folder, by default
//! `shared` next to the project's. Without them the test is skipped.
#![cfg(test)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const DOCUMENTS: [(&str, &str); 3] = [
    ("plane", "plane/openapi.json"),
    ("outline", "outline/spec3.yml"),
    ("nomad", "nomad/openapi.yaml"),
];

#[test]
fn vendors_documents_become_crates_that_compile_without_a_warning() {
    let Some(services) = services() else {
        return;
    };
    for (service, document) in DOCUMENTS {
        let folder = scratch().join(service);
        let generated = Command::new(env!("CARGO_BIN_EXE_toolwright"))
            .arg("generate")
            .arg(services.join(document))
            .args(["--service", service, "--crate", "--out"])
            .arg(&folder)
            .args(["--own-workspace", "--toolwright-path"])
            .arg(root())
            .output()
            .unwrap();
        assert!(
            generated.status.success(),
            "{service}: {}",
            output_text(&generated)
        );

        fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let checked = toolwright_test_cargo::command("check")
            .unwrap()
            .arg("--quiet")
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(
            checked.status.success(),
            "{service}: {}",
            output_text(&checked)
        );
        assert_eq!(
            output_text(&checked),
            "",
            "{service} compiles with warnings"
        );
    }
}

/// The vendors' documents, if they are there.
fn services() -> Option<PathBuf> {
    let shared = env::var_os("TOOLWRIGHT_SHARED");
    let shared = shared.map_or_else(|| root().join("../shared"), PathBuf::from);
    let services = shared.join("services");
    if services.is_dir() {
        return Some(services);
    }
    println!(
        "skipped: there are no vendors' documents in {}",
        services.display()
    );
    None
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Returns a folder that is kept, so a second run compiles only changes.
fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("vendors")
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
