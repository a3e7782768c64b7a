use toolwright::{RoleEnum, ToolContext, ToolError, tool, tools};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

struct Warehouse;

#[tools]
impl Warehouse {
    /// Lists the tables of another kind of warehouse.
    #[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    #[cfg(all())]
    async fn list_tables(&self, _: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(Vec::new())
    }
}

fn main() {}
