//! `create-git-commit`.

use std::{fmt::Write as _, io::Read as _};

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::{confined::lacking_layers, failed};

use super::{
    branch::reference,
    repository::{Purpose, Repository, as_argument},
};
use crate::{scope::largest_file, workspace::AccessError};

/// The most files of one commit.
const MOST_FILES: usize = 1_000;

/// The beginning of our trailers. A message must not contain one.
const TRAILER: &str = "toolwright-";

/// A commit that was created.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Created {
    /// The id of the commit.
    commit: String,
    branch: String,
    /// The paths of the committed files.
    paths: Vec<String>,
}

/// A file to commit, as a line of git's index.
struct Staged {
    mode: &'static str,
    id: String,
    path: String,
}

/// Commits files to the branch that is checked out: the named ones, with their content in the work tree, and no
/// others. A named file that does not exist is removed. Nothing is pushed.
///
/// The message gets the role and the id of the call as trailers.
#[tool(
    name = "create-git-commit",
    category = execute,
    effect = create,
    approval = none,
    reason = "It changes no file, nothing is pushed, and the profile states the branches and the paths.",
    open_world = false,
    roles(none, reason = "profiles grant it, with the branches and the paths"),
    sandbox = lacking_layers,
    scope(
        branch_pattern = pattern(branch),
        allowed_commit_paths = allowed_paths(paths),
        max_file_size_bytes = value(optional),
    )
)]
async fn create_commit(
    ctx: &ToolContext,
    /// The branch that is checked out.
    branch: String,
    /// The paths of the files, such as `src/main.rs`.
    paths: Vec<String>,
    /// The message: a short line, and more after an empty line.
    message: String,
) -> Result<Created, ToolError> {
    check_message(&message)?;
    if paths.is_empty() || paths.len() > MOST_FILES {
        let message = format!("a commit has at least one file, and at most {MOST_FILES}");
        return Err(failed("invalid_arguments", message));
    }
    let repository = Repository::of_call(ctx, Purpose::Change).await?;
    check_branch(ctx, &repository, &branch)?;
    let reference = reference(&repository, &branch).await?;
    let parent = repository.commit_of(&reference).await?;
    for path in &paths {
        ctx.check("allowed_commit_paths", path)?;
    }
    check_filters(&repository, &paths).await?;
    let mut staged = Vec::new();
    for path in &paths {
        staged.push(stage(ctx, &repository, path).await?);
    }
    let tree = write_tree(&repository, parent.as_deref(), &staged).await?;
    let commit = write_commit(ctx, &repository, &tree, parent.as_deref(), &message).await?;
    let none = "0".repeat(commit.len());
    let old = parent.as_deref().unwrap_or(&none);
    let update = repository.git(&["update-ref", &reference, &commit, old]);
    if update.try_run().await?.is_none() {
        let message = "another process changed the branch at the same time; call again";
        return Err(failed("branch_changed", message));
    }
    // The index of the repository learns of the files, and does not show them as changed.
    // If another process uses the index, it is not changed. The commit is complete without it.
    let _ = update_index(ctx, &repository, &staged).await;
    Ok(Created {
        commit,
        branch,
        paths,
    })
}

/// Adds the files to a copy of the repository's index, and puts it in the index's place.
async fn update_index(
    ctx: &ToolContext,
    repository: &Repository,
    staged: &[Staged],
) -> Result<(), ToolError> {
    let made_of = repository.copy_index()?;
    let update = repository.git_on_copy(&["update-index", "-z", "--index-info"]);
    update.input(lines(staged)).run().await?;
    repository.replace_index(ctx, made_of).await
}

/// Checks that the branch is the one that is checked out. Another one must be in the scope as well, or it is a
/// violation.
fn check_branch(ctx: &ToolContext, repository: &Repository, branch: &str) -> Result<(), ToolError> {
    let current = repository.branch();
    if current.as_deref() == Some(branch) {
        return Ok(());
    }
    ctx.check("branch_pattern", current.as_deref().unwrap_or_default())?;
    Err(failed(
        "other_branch",
        match current {
            Some(current) => format!("the branch `{current}` is checked out, and not `{branch}`"),
            None => format!("a commit is checked out, and not the branch `{branch}`"),
        },
    ))
}

/// Checks that a message is one, and states no trailer of ours.
fn check_message(message: &str) -> Result<(), ToolError> {
    let is_ours = |line: &str| line.trim_start().to_lowercase().starts_with(TRAILER);
    if message.trim().is_empty() || message.contains('\0') {
        return Err(failed(
            "invalid_message",
            "the message of the commit is empty",
        ));
    }
    if message.lines().any(is_ours) {
        let problem = format!("a line of the message begins with `{TRAILER}`");
        return Err(failed("invalid_message", problem));
    }
    Ok(())
}

/// Checks that no file has a filter, such as of Git LFS: without it, other content would be committed.
async fn check_filters(repository: &Repository, paths: &[String]) -> Result<(), ToolError> {
    let check = repository.git(&["check-attr", "-z", "--stdin", "filter"]);
    let checked = check.input(paths.join("\0")).run().await?;
    let checked = String::from_utf8_lossy(&checked);
    let words: Vec<_> = checked.split_terminator('\0').collect();
    let filtered = words.chunks_exact(3).find_map(|record| match record {
        [_, _, "unspecified" | "unset"] => None,
        [path, _, filter] => Some((*path, *filter)),
        _ => None,
    });
    let Some((path, filter)) = filtered else {
        return Ok(());
    };
    let message = format!("`{path}` has the filter `{filter}`, which the tools do not run");
    Err(failed("filtered_file", message))
}

/// Stores the content of a file. It is read as the tools for files do, and git never opens the path.
async fn stage(
    ctx: &ToolContext,
    repository: &Repository,
    path: &str,
) -> Result<Staged, ToolError> {
    let (file, stat) = match repository.workspace.open_file(path) {
        Ok(opened) => opened,
        Err(AccessError::NotFound) => {
            return Ok(Staged {
                mode: "0",
                id: String::new(),
                path: path.to_owned(),
            });
        }
        Err(error) => return Err(error.into()),
    };
    let largest = largest_file(ctx)?;
    let mut content = Vec::new();
    let read = file
        .take(largest.saturating_add(1))
        .read_to_end(&mut content);
    read.map_err(AccessError::from)?;
    if u64::try_from(content.len()).is_ok_and(|size| size > largest) {
        let message = format!("`{path}` is larger than {largest} bytes");
        return Err(failed("file_too_large", message));
    }
    // The path selects the line ends that the repository wants.
    let of_path = format!("--path={path}");
    let store = repository.git(&["hash-object", "-w", "--stdin", &of_path]);
    let id = store.input(content).run().await?;
    let mode = if stat.st_mode & 0o100 == 0 {
        "100644"
    } else {
        "100755"
    };
    Ok(Staged {
        mode,
        id: String::from_utf8_lossy(&id).trim_end().to_owned(),
        path: path.to_owned(),
    })
}

/// Returns the files as the lines that git's index takes.
fn lines(staged: &[Staged]) -> String {
    let width = staged.iter().map(|file| file.id.len()).max();
    let none = "0".repeat(width.filter(|width| *width > 0).unwrap_or(40));
    let mut lines = String::new();
    for Staged { mode, id, path } in staged {
        let id = if id.is_empty() { &none } else { id };
        // Writing to a `String` cannot fail.
        let _ = write!(lines, "{mode} {id}\t{path}\0");
    }
    lines
}

/// Writes the tree: the parent's tree, with the files. It has an index of its own.
async fn write_tree(
    repository: &Repository,
    parent: Option<&str>,
    staged: &[Staged],
) -> Result<String, ToolError> {
    let index = as_argument(&repository.path("index"));
    let git = |arguments: &[&str]| repository.git(arguments).variable("GIT_INDEX_FILE", &index);
    if let Some(parent) = parent {
        git(&["read-tree", parent]).run().await?;
    }
    let update = git(&["update-index", "-z", "--index-info"]);
    update.input(lines(staged)).run().await?;
    let tree = git(&["write-tree"]).run().await?;
    let tree = String::from_utf8_lossy(&tree).trim_end().to_owned();
    if let Some(parent) = parent {
        let old = format!("{parent}^{{tree}}");
        let old = git(&["rev-parse", "--verify", "--end-of-options", &old]);
        if String::from_utf8_lossy(&old.run().await?).trim_end() == tree {
            let message = "the files are the same as in the last commit";
            return Err(failed("nothing_to_commit", message));
        }
    }
    Ok(tree)
}

async fn write_commit(
    ctx: &ToolContext,
    repository: &Repository,
    tree: &str,
    parent: Option<&str>,
    message: &str,
) -> Result<String, ToolError> {
    let role = ctx.role.as_str();
    let message = format!(
        "{}\n\nToolwright-Role: {role}\nToolwright-Call: {}\n",
        message.trim_end(),
        ctx.correlation_id
    );
    let mut arguments = vec!["commit-tree", "--no-gpg-sign", tree];
    arguments.extend(parent.iter().flat_map(|parent| ["-p", *parent]));
    let time = format!("@{} +0000", ctx.time.as_second());
    let mail = format!("{role}@toolwright.invalid");
    let mut git = repository.git(&arguments);
    for person in ["AUTHOR", "COMMITTER"] {
        git = git
            .variable(&format!("GIT_{person}_NAME"), role)
            .variable(&format!("GIT_{person}_EMAIL"), &mail)
            .variable(&format!("GIT_{person}_DATE"), &time);
    }
    let commit = git.input(message).run().await?;
    Ok(String::from_utf8_lossy(&commit).trim_end().to_owned())
}
