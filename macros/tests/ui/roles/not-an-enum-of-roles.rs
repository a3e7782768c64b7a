use std::cmp::Ordering;

use toolwright::{ToolContext, ToolError, tool};

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(Ordering::Less))]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

fn main() {}
