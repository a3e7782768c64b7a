//! What adapters are made of: the [codec] of their types, the traits of their tools, and their
//! records.
//!
//! An adapter says what can be called, what is sent and what is answered; the runtime, the crate
//! `toolwright`, calls. It re-exports all that is here. A crate of adapters depends on this one alone,
//! so that it compiles without the runtime and without anything that the runtime depends on.

pub mod codec;
mod embedded;
mod failure;
mod tool;

pub use embedded::EmbeddedTools;
pub use failure::{Failure, Refusal, Undocumented};
pub use tool::{Paged, ToolCall};
