use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

#[tool(
    name = "DropTables",
    category = observ,
    section = "",
    roles(AgentRole::Quality, "transform"),
    colour = "red",
)]
fn list_tables(_: &ToolContext) -> Result<Vec<String>, ToolError> {
    Ok(Vec::new())
}

fn main() {}
