//! `find-repo-files`.

use globset::{GlobBuilder, GlobMatcher};
use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::failed;

use crate::{
    blocking::blocking,
    walk::{Kind, LeftOut, Walk},
    workspace::Workspace,
};

/// The number of paths if the call does not state one, and the most of them.
const PATHS: (usize, usize) = (500, 5_000);

/// Files that match a pattern.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Found {
    /// The paths below the root of the repository, sorted.
    paths: Vec<String>,
    /// The part that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// Finds files of the repository by a pattern of their paths.
///
/// Files that `.gitignore` names, and those that the role may not read, are not found.
#[tool(
    name = "find-repo-files",
    category = observe,
    roles(none, reason = "profiles grant it, with the paths"),
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
    )
)]
async fn find_files(
    ctx: &ToolContext,
    /// The pattern of the paths, such as `src/**/*.rs` or `*.md`. Without `/` it matches the name of a file
    /// in any folder.
    pattern: String,
    /// The folder to look in, such as `src`. By default the whole repository.
    path: Option<String>,
    /// Finds files that `.gitignore` names as well.
    with_ignored: Option<bool>,
    /// The most paths of the answer. By default 500, at most 5000.
    limit: Option<usize>,
) -> Result<Found, ToolError> {
    blocking(ctx, move |ctx| {
        let workspace = Workspace::of_call(ctx)?;
        let matcher = matcher(&pattern)?;
        let with_ignored = with_ignored.unwrap_or_default();
        let walk = Walk::new(ctx, &workspace, path.as_deref(), with_ignored)?;
        let limit = limit.unwrap_or(PATHS.0).min(PATHS.1);
        let files = walk
            .sorted(&workspace, 0)
            .filter(|step| step.kind == Kind::File);
        let found = files.filter(|step| matcher.is_match(&step.path));
        // A name that leads out of the repository by now is not confirmed.
        let found = found.filter(|step| step.is_below(&workspace));
        let mut paths: Vec<_> = found.map(|step| step.path).collect();
        let left_out = LeftOut {
            beyond_limit: paths.len().saturating_sub(limit),
            ..LeftOut::default()
        };
        paths.truncate(limit);
        Ok(Found {
            paths,
            left_out: left_out.unless_empty(),
        })
    })
    .await
}

/// Compiles a pattern of paths.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let anywhere = if pattern.contains('/') { "" } else { "**/" };
    let glob = GlobBuilder::new(&format!("{anywhere}{pattern}"))
        .literal_separator(true)
        .build();
    let glob = glob.map_err(|error| failed("invalid_pattern", error.to_string()))?;
    Ok(glob.compile_matcher())
}
