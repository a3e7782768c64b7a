//! The services with specifications in `specs/`.

use std::{fs, path::Path};

/// Returns the names of all services, sorted. Each is the name of a folder.
///
/// # Panics
///
/// If the folder of the specifications cannot be read.
#[must_use]
#[expect(clippy::unwrap_used, reason = "test helpers panic like tests")]
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

/// The file name of a service's specification.
#[must_use]
pub fn document(service: &str) -> &'static str {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs");
    if specs.join(service).join("eab.yaml").exists() {
        "eab.yaml"
    } else {
        "openapi.yaml"
    }
}
