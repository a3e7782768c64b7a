use toolwright::{Role, ToolContext, ToolError, tool};

#[derive(Role)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(
    name = "delete-warehouse-table",
    category = execute,
    roles(AgentRole::Quality),
    effect = annotate,
)]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

fn main() {}
