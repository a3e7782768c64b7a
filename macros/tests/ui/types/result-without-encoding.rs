use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

struct Tables(Vec<String>);

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &ToolContext) -> Result<Tables, ToolError> {
    Ok(Tables(Vec::new()))
}

fn main() {}
