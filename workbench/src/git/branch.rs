//! `create-git-branch`.

use std::{fs::File, io::Write as _, os::fd::AsFd as _};

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use toolwright::{ToolContext, ToolError, tool};

use super::repository::Repository;
use crate::{failure::failed, workspace::AccessError};

/// A branch that was created.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Branch {
    branch: String,
    /// The id of its commit.
    commit: String,
    /// True if it is checked out.
    checked_out: bool,
}

/// Creates a branch at the commit that is checked out, and checks it out. No file changes by that.
#[tool(
    name = "create-git-branch",
    category = execute,
    effect = create,
    approval = none,
    reason = "It changes no file, and the profile states the names of branches.",
    open_world = false,
    roles(none, reason = "profiles grant it, with the names of branches"),
    scope(branch_pattern = pattern(branch))
)]
async fn create_branch(
    ctx: &ToolContext,
    /// The name, such as `cogworks/swi-1`. There must be no such branch.
    branch: String,
    /// Checks the branch out. By default true.
    check_out: Option<bool>,
) -> Result<Branch, ToolError> {
    let repository = Repository::of_call(ctx).await?;
    let reference = reference(&repository, &branch).await?;
    let commit = repository.must_find("HEAD").await?;
    let none = "0".repeat(commit.len());
    let arguments = ["update-ref", &reference, &commit, &none];
    if repository.git(&arguments).try_run().await?.is_none() {
        let message =
            format!("the branch `{branch}`, or one that its name contains, exists already");
        return Err(failed("branch_exists", message));
    }
    let checked_out = check_out.unwrap_or(true);
    if checked_out {
        check_out_branch(&repository, &reference)?;
    }
    Ok(Branch {
        branch,
        commit,
        checked_out,
    })
}

/// Returns the reference of a branch, if it is a name that git accepts.
pub(super) async fn reference(repository: &Repository, branch: &str) -> Result<String, ToolError> {
    let reference = format!("refs/heads/{branch}");
    let check = repository.git(&["check-ref-format", &reference]);
    let is_valid = !branch.starts_with('-') && check.try_run().await?.is_some();
    if !is_valid {
        let message = format!("`{branch}` is not a name of a branch");
        return Err(failed("invalid_branch", message));
    }
    repository.check_branch(branch)?;
    Ok(reference)
}

/// Writes the `HEAD` of the repository, under the lock that git uses.
fn check_out_branch(repository: &Repository, reference: &str) -> Result<(), ToolError> {
    const LOCK: &str = "HEAD.lock";
    let own = repository.own().as_fd();
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let lock = openat(own, LOCK, flags, Mode::from_raw_mode(0o666));
    let lock = lock.map_err(|_| failed("git_locked", "another process uses the repository"))?;
    let written = writeln!(File::from(lock), "ref: {reference}");
    let renamed = written
        .map_err(AccessError::from)
        .and_then(|()| Ok(renameat(own, LOCK, own, "HEAD")?));
    if renamed.is_err() {
        let _ = unlinkat(own, LOCK, AtFlags::empty());
    }
    Ok(renamed?)
}
