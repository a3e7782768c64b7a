//! Changes of files. The file is found and opened here, after the scope has decided about the path that was found, and
//! takes its place here. Its content is read, changed and compared in a child process, which has the open files and can
//! open nothing.

mod content;
mod place;
mod target;

use std::os::fd::AsFd as _;

use toolwright::{ToolContext, ToolError};
use toolwright_commands::confined::{confinement, not_started};
use toolwright_sandbox::{Confinement, Sandbox};

pub(crate) use content::Change;
use content::{ChangeContent, Order};
use place::Place;
use target::Target;

use crate::{
    blocking::blocking,
    permitted::Permitted,
    scope::{check_write, largest_file},
    workspace::{AccessError, Workspace},
};

/// The memory of a child without the content of files, in bytes.
const MEMORY: u64 = 256 << 20;

/// The most copies of a file that a child has at a time: both contents, as text and as JSON, and their diff.
const COPIES: u64 = 24;

/// A change of a file.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Changed {
    /// The path of the file, without symbolic links.
    pub(crate) path: String,
    /// The size of the file in bytes; absent if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size_bytes: Option<usize>,
    /// The change, as a unified diff; empty if the file has this content already.
    pub(crate) diff: String,
}

/// Changes a file. Its new content is complete or absent, for every other process.
pub(crate) async fn change(
    ctx: &ToolContext,
    path: String,
    change: Change,
) -> Result<Changed, ToolError> {
    let (target, order) = blocking(ctx, move |ctx| begin(ctx, &path, change)).await?;
    let confinement = confinement_of_change(ctx, order.largest_file);
    let files: Vec<_> = target.files().map(|file| file.as_fd()).collect();
    // Each repository has children of its own.
    let owner = format!("{} in {}", ctx.role, target.root().display());
    let done = Sandbox::new()
        .repeat::<ChangeContent>(&owner, &confinement, &order, &files)
        .await;
    drop(files);
    let (changed, differs) = done.map_err(|error| not_started(&error, "file_failed"))??;
    if differs {
        blocking(ctx, |_| Ok(target.take_place()?)).await?;
    }
    Ok(changed)
}

/// Finds the file, checks its path, opens what the change needs, and describes what the child does.
fn begin(ctx: &ToolContext, path: &str, change: Change) -> Result<(Target, Order), ToolError> {
    let largest_file = largest_file(ctx)?;
    let workspace = Workspace::of_call(ctx)?;
    let place = Place::find(ctx, workspace, path, change.creates())?;
    let path = place.path();
    check_write(ctx, &path)?;
    // The scope once more, by another way.
    if !Permitted::to_write(ctx).permits(&path) {
        return Err(AccessError::Denied.into());
    }
    let temporary = format!(".toolwright-{}", ctx.correlation_id);
    let target = Target::open(place, &change, temporary)?;
    let order = Order {
        path,
        change,
        largest_file,
    };
    Ok((target, order))
}

/// Returns the confinement of a change: no file is opened, and no program is started.
pub(crate) fn confinement_of_change(ctx: &ToolContext, largest_file: u64) -> Confinement {
    let mut confinement = confinement(ctx, "/".as_ref());
    let limits = &mut confinement.limits;
    limits.memory = largest_file.saturating_mul(COPIES).saturating_add(MEMORY);
    limits.file_size = limits.file_size.max(largest_file);
    limits.processes = 1;
    confinement
}
