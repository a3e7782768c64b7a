use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Reads a note.
#[tool(
    name = "read-notebook-note",
    category = observe,
    roles(AgentRole::Quality),
    scope(folder = allowed_paths(pth))
)]
async fn read_note(
    _: &ToolContext,
    /// The path of the note.
    path: String,
    /// The first line.
    line: usize,
) -> Result<String, ToolError> {
    Ok(format!("{path}:{line}"))
}

fn main() {}
