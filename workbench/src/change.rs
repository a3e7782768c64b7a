//! Changes of files. The file is found here, and the scope decides about the path that was found; the change
//! itself takes place in a child process, to which the kernel opens the folder of the file alone.

mod file;
mod place;

use std::{fs, sync::OnceLock};

use toolwright::{ToolContext, ToolError};
use toolwright_commands::confined::{confinement, not_started};
use toolwright_sandbox::{Confinement, Error, Sandbox};

pub(crate) use file::Change;
use file::{ChangeFile, Order};
use place::Place;

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

/// Changes a file in a child process.
pub(crate) async fn change(
    ctx: &ToolContext,
    path: String,
    change: Change,
) -> Result<Changed, ToolError> {
    let (confinement, order) = blocking(ctx, move |ctx| prepare(ctx, &path, change)).await?;
    let (sandbox, owner) = (Sandbox::new(), ctx.role.as_str());
    match sandbox
        .repeat::<ChangeFile>(owner, &confinement, &order)
        .await
    {
        Ok(done) => Ok(done?),
        // Another process was faster than the kernel was told about the folder.
        Err(Error::Setup(_)) if !order.place.is_there() => Err(AccessError::Changed.into()),
        Err(error) => Err(not_started(&error, "file_failed")),
    }
}

/// Returns the confinement of a change of a file.
pub(crate) fn confinement_of_change(
    ctx: &ToolContext,
    path: &str,
) -> Result<Confinement, ToolError> {
    Ok(prepare(ctx, path, Change::Delete)?.0)
}

/// Finds the file, checks its path, and describes what the child does and what it may do.
fn prepare(
    ctx: &ToolContext,
    path: &str,
    change: Change,
) -> Result<(Confinement, Order), ToolError> {
    let workspace = Workspace::of_call(ctx)?;
    let place = Place::find(ctx, &workspace, path, change.creates())?;
    check_write(ctx, &place.path())?;
    if !change.creates() {
        workspace.look_at_file(&place.path())?;
    }
    let largest_file = largest_file(ctx)?;
    let confinement = confinement_of(ctx, &place, largest_file)?;
    let order = Order {
        place,
        change,
        largest_file,
        temporary: format!(".toolwright-{}", ctx.correlation_id),
    };
    Ok((confinement, order))
}

/// Returns the confinement of a change. It is made of the values of the scope, by another way than the checks.
fn confinement_of(
    ctx: &ToolContext,
    place: &Place,
    largest_file: u64,
) -> Result<Confinement, ToolError> {
    let mut confinement = confinement(ctx, &place.root);
    confinement.umask = own_umask();
    let permitted = Permitted::to_write(ctx);
    if permitted.permits(&place.path()) {
        confinement.files.write = vec![place.root.join(&place.folder)];
        confinement.files.hidden = permitted.hidden(&place.root, &place.folder)?;
    }
    let limits = &mut confinement.limits;
    limits.memory = largest_file.saturating_mul(COPIES).saturating_add(MEMORY);
    limits.file_size = limits.file_size.max(largest_file);
    limits.processes = 1;
    Ok(confinement)
}

/// Returns the permissions that new files of this program do not get.
pub(crate) fn own_umask() -> u32 {
    const USUAL: u32 = 0o022;
    static UMASK: OnceLock<u32> = OnceLock::new();
    *UMASK.get_or_init(|| {
        // The system call that returns it also sets it, for all threads.
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let umask = lines.find_map(|line| line.strip_prefix("Umask:"));
        let umask = umask.and_then(|umask| u32::from_str_radix(umask.trim(), 8).ok());
        umask.unwrap_or(USUAL)
    })
}
