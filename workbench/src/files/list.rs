//! `list-repo-files`.

use toolwright::{ToolContext, ToolError, tool};

use crate::{
    blocking::blocking,
    walk::{Kind, LeftOut, Walk},
    workspace::Workspace,
};

/// The number of entries if the call does not state one, and the most of them.
const ENTRIES: (usize, usize) = (500, 5_000);

/// The entries of a folder.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Listing {
    /// The entries, sorted by their paths.
    entries: Vec<Listed>,
    /// The part that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// An entry of a folder.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Listed {
    /// The path below the root of the repository.
    path: String,
    kind: Kind,
    /// The size of a file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
}

/// Lists the files and folders below a folder of the repository.
///
/// Files that `.gitignore` names, and those that the role may not read, are not listed.
#[tool(
    name = "list-repo-files",
    category = observe,
    roles(none, reason = "profiles grant it, with the paths"),
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
    )
)]
async fn list_files(
    ctx: &ToolContext,
    /// The folder, such as `src`. By default the root of the repository.
    path: Option<String>,
    /// The number of folders below each other. By default 1: only the folder itself.
    depth: Option<usize>,
    /// Lists files that `.gitignore` names as well.
    with_ignored: Option<bool>,
    /// The most entries of the answer. By default 500, at most 5000.
    limit: Option<usize>,
) -> Result<Listing, ToolError> {
    blocking(ctx, move |ctx| {
        let workspace = Workspace::of_call(ctx)?;
        let with_ignored = with_ignored.unwrap_or_default();
        let mut walk = Walk::new(ctx, &workspace, path.as_deref(), with_ignored)?;
        walk.depth(depth.unwrap_or(1).max(1));
        let limit = limit.unwrap_or(ENTRIES.0).min(ENTRIES.1);
        let mut listing = Listing {
            entries: Vec::new(),
            left_out: None,
        };
        let mut left_out = LeftOut::default();
        for step in walk.sorted(&workspace, limit) {
            if listing.entries.len() >= limit {
                left_out.beyond_limit += 1;
                continue;
            }
            // A name that leads out of the repository by now is not confirmed.
            let size_bytes = match (step.kind, step.size(&workspace)) {
                (Kind::File, Ok(size)) => Some(size),
                (_, Ok(_)) => None,
                (_, Err(_)) => continue,
            };
            listing.entries.push(Listed {
                path: step.path,
                kind: step.kind,
                size_bytes,
            });
        }
        listing.left_out = left_out.unless_empty();
        Ok(listing)
    })
    .await
}
