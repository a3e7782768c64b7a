//! The services whose specifications are in `specs/`.

use std::{fs, path::Path};

/// The names of all of them, sorted: each has a folder of its name.
///
/// # Panics
///
/// When the folder of the specifications cannot be read.
#[must_use]
#[expect(
    clippy::unwrap_used,
    reason = "what helps a test fails as the test does"
)]
pub fn services() -> Vec<String> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs");
    let folders = fs::read_dir(specs).unwrap().map(Result::unwrap);
    let mut names: Vec<_> = folders
        .filter(|folder| folder.path().is_dir())
        .map(|folder| folder.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The name of a service's specification in its folder.
#[must_use]
pub fn document(service: &str) -> &'static str {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs");
    if specs.join(service).join("eab.yaml").exists() {
        "eab.yaml"
    } else {
        "openapi.yaml"
    }
}
