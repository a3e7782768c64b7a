//! Further formats of specifications, which a program adds to those of this crate.
//!
//! A [`Format`] turns the text of a document into the tree of an OpenAPI document, each node with its place
//! in the text. All later stages are those of every document: overlays and locks apply, and each diagnostic
//! has its place in the text.

pub use super::tree::{
    Data, Field, Fields, Node,
    nodes::{array, boolean, keyed, object, text, value},
};
use crate::document::{diagnostic::Diagnostics, source::SourceId};

/// A format of specifications.
pub trait Format: Sync {
    /// Returns the name and the version of the format: `menu 1`.
    fn name(&self) -> &str;

    /// Checks by its path whether a document has this format.
    fn reads(&self, path: &str) -> bool;

    /// Reads a text into the tree of an OpenAPI 3.1 document. Every node must have a place in `source`.
    ///
    /// Reports each fault, and returns `None` if nothing is left of the document.
    fn read(&self, source: SourceId, text: &str, diagnostics: &mut Diagnostics) -> Option<Node>;
}
