use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(schema: String, _: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(vec![schema])
}

fn main() {}
