//! The shared documents on which names and governance are measured.

#[path = "../shared/mod.rs"]
mod shared;

use std::path::Path;

use toolwright_generator::{
    diagnostic::Diagnostics,
    internals::{self, Documents, OperationFacts},
    load::{Disk, FileSystem, Loader},
    source::{SourceId, Sources},
};

pub(crate) use shared::shared;

/// Returns the facts of a document's operations; none if it cannot be read.
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

    /// Returns the facts of its operations; none if it is not a specification.
    pub(crate) fn facts(&self) -> Vec<OperationFacts> {
        internals::facts_of(&self.documents, &self.sources, self.source)
    }
}
