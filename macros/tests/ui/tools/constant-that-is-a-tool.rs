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
    #[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
    const LIST: fn(&ToolContext) -> Result<(), ToolError> = |_| Ok(());
}

fn main() {}
