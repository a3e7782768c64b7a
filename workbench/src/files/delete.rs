//! `delete-repo-file`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use crate::change::{Change, Changed, change};

/// Deletes a file of the repository. The answer shows its content as a unified diff.
#[tool(
    name = "delete-repo-file",
    category = execute,
    effect = delete,
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
async fn delete_file(
    ctx: &ToolContext,
    /// The path below the root of the repository, such as `src/old.rs`.
    path: String,
) -> Result<Changed, ToolError> {
    change(ctx, path, Change::Delete).await
}
