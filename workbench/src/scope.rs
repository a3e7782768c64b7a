//! The scope of a role, applied to what a path really names.

use toolwright::{ToolContext, ToolError};

use crate::workspace::{AccessError, Entry, Workspace};

/// A path that leaves the repository, as a scope parameter sees it. No pattern matches it.
const OUTSIDE: &str = "..";

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
    for parameter in ["allowed_read_paths", "denied_read_paths"] {
        ctx.check(parameter, entry.path())?;
    }
    Ok(entry)
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
    let limits = ctx.scope().texts("max_file_size_bytes").flatten();
    let limits = limits.map(|limit| limit.parse().map_err(|_| not_a_number(limit)));
    let limits: Vec<u64> = limits.collect::<Result<_, _>>()?;
    Ok(limits.into_iter().min().unwrap_or(LARGEST_FILE))
}

fn not_a_number(limit: &str) -> ToolError {
    ToolError::failed(format!(
        "`max_file_size_bytes` is `{limit}`, which is not a number of bytes; the operator must correct it"
    ))
}
