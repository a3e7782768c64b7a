//! The scope of a role, applied to the file that a path really names.

use toolwright::{ToolContext, ToolError};

use crate::workspace::{AccessError, Entry, Workspace};

/// A path that leaves the repository, as a scope parameter sees it. No pattern matches it.
const OUTSIDE: &str = "..";

/// The parameters that restrict reading.
pub(crate) const READ_PATHS: [&str; 2] = ["allowed_read_paths", "denied_read_paths"];

/// The parameters that restrict writing. A change shows what was there, so it must be readable too.
pub(crate) const WRITE_PATHS: [&str; 3] = [
    "allowed_write_paths",
    "denied_write_paths",
    "denied_read_paths",
];

/// The largest file that a tool reads if the operator sets no limit.
const LARGEST_FILE: u64 = 16 << 20;

/// Finds the file of a path for reading. The scope decides about the file that was found, and this one is
/// opened afterwards.
pub(crate) fn find_to_read(
    ctx: &ToolContext,
    workspace: &Workspace,
    path: &str,
) -> Result<Entry, ToolError> {
    let entry = match workspace.find(path) {
        Ok(entry) => entry,
        Err(error) => return Err(refused(ctx, "allowed_read_paths", error)),
    };
    check_all(ctx, &READ_PATHS, entry.path())?;
    Ok(entry)
}

/// Finds the folder, or the one file, below which a call searches. Returns its path without symbolic links.
/// Files below it are checked one by one.
pub(crate) fn folder_to_read(
    ctx: &ToolContext,
    workspace: &Workspace,
    path: &str,
) -> Result<String, ToolError> {
    let entry = match workspace.find(path) {
        Ok(entry) => entry,
        Err(error) => return Err(refused(ctx, "allowed_read_paths", error)),
    };
    if entry.is_folder() {
        check_folder(ctx, entry.path())?;
    } else {
        check_all(ctx, &READ_PATHS, entry.path())?;
    }
    Ok(entry.path().to_owned())
}

/// Checks the path of a folder that may contain files which may be read.
pub(crate) fn check_folder(ctx: &ToolContext, path: &str) -> Result<(), ToolError> {
    ctx.check("denied_read_paths", path)?;
    if ctx.scope().leads_to("allowed_read_paths", path) {
        return Ok(());
    }
    ctx.check("allowed_read_paths", path)
}

/// Checks whether a path that a call came to may be read.
pub(crate) fn may_read(ctx: &ToolContext, path: &str) -> bool {
    READ_PATHS.iter().all(|one| ctx.scope().allows(one, path))
}

/// Checks a path that is to be changed.
pub(crate) fn check_write(ctx: &ToolContext, path: &str) -> Result<(), ToolError> {
    check_all(ctx, &WRITE_PATHS, path)
}

/// Returns the folder of a file that is to be changed, as it was found.
pub(crate) fn folder_to_write(
    ctx: &ToolContext,
    found: Result<Entry, AccessError>,
) -> Result<Entry, ToolError> {
    found.map_err(|error| refused(ctx, "allowed_write_paths", error))
}

fn check_all(ctx: &ToolContext, parameters: &[&str], path: &str) -> Result<(), ToolError> {
    let mut parameters = parameters.iter();
    parameters.try_for_each(|parameter| ctx.check(parameter, path))
}

/// Returns the error for a path that cannot be opened. One that leaves the repository violates the scope.
fn refused(ctx: &ToolContext, parameter: &str, error: AccessError) -> ToolError {
    match error {
        AccessError::Outside => match ctx.check(parameter, OUTSIDE) {
            Err(refusal) => refusal,
            Ok(()) => error.into(),
        },
        error => error.into(),
    }
}

/// Returns the size of the largest file that the call may read, in bytes.
pub(crate) fn largest_file(ctx: &ToolContext) -> Result<u64, ToolError> {
    smallest(ctx, "max_file_size_bytes", LARGEST_FILE)
}

/// Returns the smallest of the numbers that the operator sets for a parameter, or else the default.
pub(crate) fn smallest(ctx: &ToolContext, parameter: &str, default: u64) -> Result<u64, ToolError> {
    let limits = ctx.scope().texts(parameter).flatten();
    let limits = limits.map(|limit| {
        limit.parse().map_err(|_| {
            let problem = "which is not a whole number; the operator must correct it";
            ToolError::failed(format!("`{parameter}` is `{limit}`, {problem}"))
        })
    });
    let limits: Vec<u64> = limits.collect::<Result<_, _>>()?;
    Ok(limits.into_iter().min().unwrap_or(default))
}
