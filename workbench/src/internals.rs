//! Parts of the tools without their gates, which the project's own tests try. They are no part of the interface.

use std::{io::Read as _, path::Path};

use toolwright::{ToolContext, ToolError};
use toolwright_sandbox::Confinement;

use crate::{
    change::{Change, change, confinement_of_change},
    git::confine_to_change,
    scope::{find_to_read, largest_file},
    workspace::{AccessError, Workspace},
};

/// Writes a file as `write-repo-file` does. Returns the change as a unified diff.
pub async fn write_file(
    ctx: &ToolContext,
    path: String,
    content: String,
) -> Result<String, ToolError> {
    let changed = change(ctx, path, Change::Write { content }).await?;
    Ok(changed.diff)
}

/// Creates a file as `create-repo-file` does. Returns the change as a unified diff.
pub async fn create_file(
    ctx: &ToolContext,
    path: String,
    content: String,
) -> Result<String, ToolError> {
    let create = Change::Create {
        content,
        executable: false,
    };
    Ok(change(ctx, path, create).await?.diff)
}

/// Deletes a file as `delete-repo-file` does. Returns the change as a unified diff.
pub async fn delete_file(ctx: &ToolContext, path: String) -> Result<String, ToolError> {
    Ok(change(ctx, path, Change::Delete).await?.diff)
}

/// Returns the confinement of a change of a file.
pub fn confinement(ctx: &ToolContext) -> Result<Confinement, ToolError> {
    Ok(confinement_of_change(ctx, largest_file(ctx)?))
}

/// Returns the confinement of git when it commits, with a folder of its own.
pub fn git_confinement(ctx: &ToolContext, folder: &Path) -> Result<Confinement, ToolError> {
    let root = Workspace::of_call(ctx)?.path().canonicalize();
    let root = root.map_err(|_| ToolError::from(AccessError::NoRepository))?;
    Ok(confine_to_change(ctx, &root, folder))
}

/// Reads a file as `read-repo-file` does.
pub fn read_file(ctx: &ToolContext, path: &str) -> Result<String, ToolError> {
    let workspace = Workspace::of_call(ctx)?;
    let mut text = String::new();
    let mut file = find_to_read(ctx, &workspace, path)?.open()?;
    file.read_to_string(&mut text).map_err(AccessError::from)?;
    Ok(text)
}
