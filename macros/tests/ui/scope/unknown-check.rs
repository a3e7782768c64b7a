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
    scope(folder = allow_paths(path))
)]
async fn read_note(
    _: &ToolContext,
    /// The path of the note.
    path: String,
) -> Result<String, ToolError> {
    Ok(path)
}

fn main() {}
