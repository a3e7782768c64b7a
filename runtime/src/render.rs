//! The outside view of a tool, rendered from its [`ToolSpec`] and nothing else.
//!
//! [`ToolSpec`]: crate::ToolSpec

pub mod code;
mod description;
pub mod mcp;
pub mod prompt;
pub mod provider;
mod rewrite;
mod schema;
pub(crate) mod tests;
