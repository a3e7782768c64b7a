use toolwright::{RoleEnum, ToolContext, ToolError, tools};

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
    async fn list_tables(&self, _: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(self.tables.clone())
    }
}

fn main() {}
