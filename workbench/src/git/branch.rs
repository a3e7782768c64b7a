//! `create-git-branch`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::{confined::lacking_layers, failed};

use super::repository::{Purpose, Repository};

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
    sandbox = lacking_layers,
    scope(branch_pattern = pattern(branch))
)]
async fn create_branch(
    ctx: &ToolContext,
    /// The name, such as `cogworks/swi-1`. There must be no such branch.
    branch: String,
    /// Checks the branch out. By default true.
    check_out: Option<bool>,
) -> Result<Branch, ToolError> {
    let repository = Repository::of_call(ctx, Purpose::Change).await?;
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
        repository.check_out(ctx, &reference).await?;
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
