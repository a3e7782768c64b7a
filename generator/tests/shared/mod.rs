//! The shared documents.

use std::path::{Path, PathBuf};

/// Returns the folder of the shared documents. Prints a line if it does not exist.
pub(crate) fn shared(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("TOOLWRIGHT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let folder = root.join(folder);
    if folder.is_dir() {
        return Some(folder);
    }
    println!(
        "skipped: there is no {}; TOOLWRIGHT_SHARED says where the shared documents are",
        folder.display()
    );
    None
}
