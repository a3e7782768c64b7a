use toolwright::{RoleEnum, ToolContext, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, std::io::Error> {
    Ok(Vec::new())
}

fn main() {}
