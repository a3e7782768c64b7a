use toolwright::{RoleEnum, ToolContext, ToolError, tools};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

struct Warehouse<D> {
    driver: D,
}

#[tools]
impl<D: ToString + Send + Sync + 'static> Warehouse<D> {
    /// Lists the tables.
    #[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    async fn list_tables(&self, _: &ToolContext) -> Result<Vec<String>, ToolError> {
        Ok(vec![self.driver.to_string()])
    }
}

fn main() {}
