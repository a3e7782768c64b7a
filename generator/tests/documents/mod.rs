//! The shared documents on which names and governance are measured.

use std::path::{Path, PathBuf};

use toolwright_generator::{
    diagnostic::Diagnostics,
    documents::Documents,
    facts::OperationFacts,
    load::{Disk, FileSystem, Loader},
    lower,
    source::{SourceId, Sources},
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
    Document::open(&Disk, path).map_or_else(Vec::new, |document| document.facts())
}

/// A document that was read.
pub(crate) struct Document {
    /// The file that it begins in.
    pub(crate) source: SourceId,
    /// Its tree, and those of the files that it refers to.
    pub(crate) documents: Documents,
    sources: Sources,
}

impl Document {
    /// Reads a document, if it is one.
    pub(crate) fn open(files: &dyn FileSystem, path: &Path) -> Option<Self> {
        let mut loader = Loader::new(files);
        let mut diagnostics = Diagnostics::default();
        let (source, documents) =
            loader.document(&path.to_string_lossy(), None, &mut diagnostics)?;
        Some(Self {
            source,
            documents,
            sources: loader.finish(),
        })
    }

    /// The facts of its operations; none where it is no specification.
    pub(crate) fn facts(&self) -> Vec<OperationFacts> {
        let mut diagnostics = Diagnostics::default();
        openapi::parse(
            &self.documents,
            &self.sources,
            self.source,
            &mut diagnostics,
        )
        .map(|document| lower::facts_of(&document, &self.documents))
        .unwrap_or_default()
    }
}
