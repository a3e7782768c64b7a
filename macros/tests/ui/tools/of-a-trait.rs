use toolwright::{RoleEnum, ToolContext, ToolError, tools};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

struct Warehouse {
    tables: Vec<String>,
}

trait Tables {
    async fn list_tables(&self, ctx: &ToolContext) -> Result<Vec<String>, ToolError>;
}

#[tools]
impl Tables for Warehouse {
    /// Lists the tables.
    #[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    async fn list_tables(&self, _: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(self.tables.clone())
    }
}

fn main() {}
