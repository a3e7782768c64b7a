//! A crate with a tool: of the edition before, without `unsafe`, and with nothing that a program
//! that depends on it would have to call.

#![forbid(unsafe_code)]

use toolwright::{tool, Role, ToolContext, ToolError};

/// The roles of this crate.
#[derive(Role)]
pub enum Reader {
    /// It may read everything.
    Everything,
}

/// Lists the tables.
#[tool(name = "list-dependency-tables", category = observe, roles(Reader::Everything))]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    // The name of the variable is a keyword from the next edition on.
    let gen = vec!["orders".to_owned()];
    Ok(gen)
}
