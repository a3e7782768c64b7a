//! The loading stage: reads files into sources, trees and documents, each node with its span.
//!
//! Only [`load`] reads files. [`diagnostic`] holds the reports of all stages, [`fix`] the overlay
//! lines that settle them; [`render`] prints them.

pub mod diagnostic;
pub(crate) mod documents;
pub mod fix;
pub mod format;
pub mod load;
pub(crate) mod proto;
pub mod render;
pub mod source;
pub(crate) mod tree;

mod built_in;

pub(crate) use built_in::{GRAPHQL_TEXT, OUTCOME_PATH, is_eab};
pub use proto::is_descriptor_set;
#[cfg(feature = "grpc")]
pub use proto::{WireField, fields_on_the_wire};
