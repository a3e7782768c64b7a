use toolwright::{RoleEnum, ToolContext, ToolError, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// Copies a file.
#[tool(
    name = "copy-depot-file",
    category = execute,
    roles(AgentRole::Quality),
    scope(
        allowed_read_paths = allowed_paths(pth),
        allowed_write_paths = allowed_path(target),
        branch_pattern = pattern,
        denied_read_paths = denied_paths(path, required),
        most_bytes = value,
        most_bytes = value(optional),
    )
)]
async fn copy(_: &ToolContext, path: String, target: String) -> Result<String, ToolError> {
    Ok(path + &target)
}

fn main() {}
