use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

mod other {
    use toolwright::{ToolContext, ToolError, tool};

    /// Lists other tables.
    #[tool(name = "list-warehouse-tables", category = observe, roles(super::AgentRole::Quality))]
    async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

fn main() {}
