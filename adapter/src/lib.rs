//! What adapters are made of: the [codec] of their types, the traits of their tools, and their
//! records.
//!
//! An adapter is all data: it says what can be called, and what is sent and answered. The crate
//! `toolwright` is what calls. It re-exports all that is here, and so does not have to be built, nor
//! any of what it depends on, before an adapter is.

pub mod codec;
mod embedded;
mod failure;
mod tool;

pub use embedded::EmbeddedTools;
pub use failure::{Failure, Refusal, Undocumented};
pub use tool::{Paged, ToolCall};
