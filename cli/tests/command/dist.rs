//! The archive that is distributed.

use std::{fs, path::Path, process::Command};

/// The folder of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn the_archive_has_the_command_and_its_pages_and_is_reproducible() {
    let pack = || {
        let run = Command::new("bash")
            .arg(".ci/dist")
            .arg(env!("CARGO_BIN_EXE_toolwright"))
            .current_dir(ROOT)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{said}");
        let path = String::from_utf8(run.stdout).unwrap();
        Path::new(ROOT).join(path.trim_end())
    };
    let archive = pack();
    let first = fs::read(&archive).unwrap();
    let sum = fs::read_to_string(archive.with_extension("gz.sha256")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let unpacked = Command::new("tar")
        .arg("-xzf")
        .arg(&archive)
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(unpacked.success());
    let name = archive.file_name().unwrap().to_str().unwrap();
    assert!(sum.ends_with(&format!("  {name}\n")), "{sum}");
    let inside = folder.path().join(name.trim_end_matches(".tar.gz"));
    for file in [
        "LICENSE-MIT",
        "completions/toolwright.bash",
        "man/man1/toolwright-serve.1",
    ] {
        assert!(inside.join(file).is_file(), "{file}");
    }
    let version = Command::new(inside.join("toolwright"))
        .arg("--version")
        .output()
        .unwrap();
    let expected = format!("toolwright {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&version.stdout), expected);
    assert!(first == fs::read(pack()).unwrap(), "another archive");
}
