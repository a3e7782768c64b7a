//! The outside view of a tool, rendered from its [`ToolSpec`] and nothing else.
//!
//! [`ToolSpec`]: crate::ToolSpec

pub mod mcp;
mod schema;
