//! The shared data for tests and measurements.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The folder of the shared data: `TOOLWRIGHT_SHARED`, or else `shared` next to the project.
#[must_use]
pub fn folder() -> PathBuf {
    env::var_os("TOOLWRIGHT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    )
}

/// Returns the vendors' documents, sorted by path, or `None` with a printed note if there are none.
///
/// # Panics
///
/// If a folder cannot be read.
#[must_use]
#[expect(clippy::unwrap_used, reason = "test helpers panic like tests")]
pub fn documents() -> Option<Vec<PathBuf>> {
    let shared = folder();
    if !shared.join("corpus").is_dir() {
        println!("skipped: {} has no documents", shared.display());
        return None;
    }
    let mut documents = Vec::new();
    let mut folders = vec![shared.join("corpus"), shared.join("services")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_document(&path) {
                documents.push(path);
            }
        }
    }
    documents.sort();
    Some(documents)
}

fn is_document(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["json", "yaml", "yml"]
        .iter()
        .any(|known| extension == *known)
}
