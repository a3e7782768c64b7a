//! `create-repo-file`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use crate::change::{Change, Changed, change};

/// Creates a file of the repository, and the folders of its path. It never replaces one. The answer shows the
/// file as a unified diff.
#[tool(
    name = "create-repo-file",
    category = execute,
    effect = create,
    approval = none,
    reason = "It replaces nothing, and the profile names the folders.",
    open_world = false,
    roles(none, reason = "profiles grant it, with the paths"),
    sandbox = lacking_layers,
    scope(
        allowed_write_paths = allowed_paths(path),
        denied_write_paths = denied_paths(path, optional),
        denied_read_paths = denied_paths(path, optional),
        max_file_size_bytes = value(optional),
    )
)]
async fn create_file(
    ctx: &ToolContext,
    /// The path below the root of the repository, such as `src/main.rs`. There must be no such file.
    path: String,
    /// The content.
    content: String,
    /// Makes the file a program that can be run.
    executable: Option<bool>,
) -> Result<Changed, ToolError> {
    let executable = executable.unwrap_or_default();
    let create = Change::Create {
        content,
        executable,
    };
    change(ctx, path, create).await
}
