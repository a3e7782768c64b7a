use toolwright::{RoleEnum, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &String, input: serde_json::Value) -> Result<Vec<String>, ToolError> {
    Ok(vec![input.to_string()])
}

fn main() {}
