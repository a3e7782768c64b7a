//! The parts of adapters: the [codec] of their types, the traits of their tools, and their records.
//!
//! An adapter defines the tools, their requests and their responses. The runtime, the crate
//! `toolwright`, makes the calls. It re-exports all items of this crate. A crate of adapters
//! depends on this one alone: it compiles without the runtime and its dependencies.

pub mod codec;
mod embedded;
mod failure;
mod tool;

pub use embedded::EmbeddedTools;
pub use failure::{Failure, Refusal, Undocumented};
pub use tool::{Paged, ToolCall};
