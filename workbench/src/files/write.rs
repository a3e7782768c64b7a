//! `write-repo-file`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use crate::change::{Change, Changed, change};

/// Replaces the content of a file of the repository. The answer shows the change as a unified diff.
///
/// # When to use
/// To replace most of a file. `edit-repo-file` changes a part of it, `create-repo-file` makes a new one.
#[tool(
    name = "write-repo-file",
    category = execute,
    effect = update,
    idempotent = true,
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
async fn write_file(
    ctx: &ToolContext,
    /// The path below the root of the repository, such as `src/main.rs`. The file must exist.
    path: String,
    /// The whole new content.
    content: String,
) -> Result<Changed, ToolError> {
    change(ctx, path, Change::Write { content }).await
}
