//! What the outside is shown of a tool, rendered from its [`ToolSpec`] and nothing else.
//!
//! [`ToolSpec`]: crate::ToolSpec

pub mod mcp;
mod schema;
