//! Governed tools for AI agents: a capability boundary with roles, approval and audit.

pub mod codec;
pub mod render;
mod typed;

pub use toolwright_model as model;
pub use toolwright_model::*;
pub use typed::{EmbeddedTools, ToolCall};
