use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(
    name = "validate-warehouse-schema",
    category = observe,
    roles(AgentRole::Quality),
    effect = update,
)]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

fn main() {}
