//! A crate with a tool: of the previous edition, without `unsafe`, and with nothing that a
//! dependent program would need to call.

#![forbid(unsafe_code)]

use toolwright::{tool, tools, RoleEnum, ToolContext, ToolError};

/// The roles of this crate.
#[derive(RoleEnum)]
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

/// The receiver of the methods.
pub struct Warehouse;

#[tools]
impl Warehouse {
    /// Counts the rows of a table.
    #[tool(name = "count-dependency-rows", category = observe, roles(Reader::Everything))]
    async fn count_rows(
        &self,
        _: &ToolContext,
        /// The table.
        table: String,
        gen: Option<usize>,
    ) -> Result<usize, ToolError> {
        Ok(table.len() + gen.unwrap_or_default())
    }
}
