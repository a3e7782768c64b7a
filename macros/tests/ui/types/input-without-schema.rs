use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

#[derive(serde::Deserialize)]
struct ListTables {
    schema: String,
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &ToolContext, input: ListTables) -> Result<Vec<String>, ToolError> {
    Ok(vec![input.schema])
}

fn main() {}
