//! The shared documents on which names and governance are measured.

use std::path::{Path, PathBuf};

use toolwright_generator::{
    diagnostic::Diagnostics,
    facts::OperationFacts,
    load::{Disk, Loader},
    lower,
    spec::openapi,
};

/// The folder of the shared documents, or nothing (and a line that says so) where it is absent.
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

/// The facts of the operations of a document; none where it cannot be read.
pub(crate) fn read(path: &Path) -> Vec<OperationFacts> {
    let mut diagnostics = Diagnostics::default();
    let mut loader = Loader::new(&Disk);
    let read = loader.document(&path.to_string_lossy(), None, &mut diagnostics);
    let sources = loader.finish();
    read.and_then(|(source, documents)| {
        let document = openapi::parse(&documents, &sources, source, &mut diagnostics)?;
        Some(lower::facts_of(&document, &documents))
    })
    .unwrap_or_default()
}
