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
    #[tool(name = "list-warehouse-tables", category = observe)]
    async fn list_tables(&self, _: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(self.tables.clone())
    }

    #[tool(name = "count-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    async fn count_tables(&self, ctx: &ToolContext) -> Result<usize, ToolError> {
        Ok(self.list_tables(ctx).await?.len())
    }
}

fn main() {}
