//! `edit-repo-file`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use crate::change::{Change, Changed, change};

/// Replaces an exact string in a file of the repository. The string must occur once, unless every
/// occurrence is to be replaced. The answer shows the change as a unified diff.
///
/// # When to use
/// To change a part of a file. If the file has changed since it was read, the old string is not found and nothing
/// happens.
#[tool(
    name = "edit-repo-file",
    category = execute,
    effect = update,
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
async fn edit_file(
    ctx: &ToolContext,
    /// The path below the root of the repository, such as `src/main.rs`.
    path: String,
    /// The string to replace, exactly with its spaces and line breaks.
    old_text: String,
    /// The string that takes its place.
    new_text: String,
    /// Replaces every occurrence, and not only one.
    replace_all: Option<bool>,
) -> Result<Changed, ToolError> {
    let edit = Change::Edit {
        old: old_text,
        new: new_text,
        all: replace_all.unwrap_or_default(),
    };
    change(ctx, path, edit).await
}
