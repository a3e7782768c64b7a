use toolwright::{RoleEnum, ToolError, tools};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

struct Warehouse {
    tables: Vec<String>,
}

#[tools]
impl Warehouse {
    /// Lists the tables.
    #[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    async fn list_tables(&self) -> Result<Vec<String>, ToolError> {
        Ok(self.tables.clone())
    }
}

fn main() {}
