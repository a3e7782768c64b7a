use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

#[derive(serde::Deserialize)]
struct Page(usize);

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(
    _: &ToolContext,
    schema: String,
    page: Page,
) -> Result<Vec<String>, ToolError> {
    Ok(vec![schema; page.0])
}

fn main() {}
