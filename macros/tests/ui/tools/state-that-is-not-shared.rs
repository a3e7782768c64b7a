use std::cell::RefCell;

use toolwright::{RoleEnum, ToolContext, ToolError, tools};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

struct Warehouse {
    tables: RefCell<Vec<String>>,
}

#[tools]
impl Warehouse {
    /// Lists the tables.
    #[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    async fn list_tables(&self, _: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(self.tables.borrow().clone())
    }
}

fn main() {}
