use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Lists the tables.
#[tool(name = "list-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    let tables = std::rc::Rc::new(String::new());
    std::future::ready(()).await;
    Ok(vec![tables.to_string()])
}

fn main() {}
