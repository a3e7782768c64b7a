//! `edit-repo-file`.

use toolwright::{ToolContext, ToolError, tool};

use crate::{
    blocking::blocking,
    change::{Changed, Target},
    failure::failed,
};

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
    blocking(ctx, move |ctx| {
        let target = Target::find(ctx, &path)?;
        let old = target.read()?;
        let all = replace_all.unwrap_or_default();
        let new = replaced(&old.content, &old_text, &new_text, all)?;
        target.replace(&old, new.as_bytes())
    })
    .await
}

fn replaced(content: &[u8], old: &str, new: &str, all: bool) -> Result<String, ToolError> {
    let text = str::from_utf8(content);
    let text = text.map_err(|_| failed("not_text", "the file is not text in UTF-8"))?;
    if old.is_empty() {
        return Err(failed("no_match", "`old_text` is empty"));
    }
    match text.matches(old).count() {
        0 => Err(failed(
            "no_match",
            "`old_text` is not in the file; read the file again and copy the text exactly",
        )),
        1 => Ok(text.replacen(old, new, 1)),
        _ if all => Ok(text.replace(old, new)),
        count => Err(failed(
            "several_matches",
            format!(
                "`old_text` is in the file {count} times; add lines around it, or set `replace_all`"
            ),
        )),
    }
}
