use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(
    name = "restart-warehouse-job",
    category = execute,
    roles(AgentRole::Quality),
    approval = none,
)]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

fn main() {}
