//! `get-git-diff`.

use std::io::Read as _;

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use super::{
    blob::Blob,
    repository::{Purpose, Repository, check_revision},
};
use crate::{
    diff,
    scope::{largest_file, may_read},
    workspace::AccessError,
};

/// The most files whose changes are shown.
const MOST_FILES: usize = 200;

/// The longest answer, in bytes.
const LONGEST: usize = 256 << 10;

/// The revisions and files to compare.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Compare {
    /// The older side: a branch, a tag or a commit. By default the commit that is checked out.
    #[serde(default)]
    from: Option<String>,
    /// The newer side. By default the files of the work tree.
    #[serde(default)]
    to: Option<String>,
    /// Only this file, or the files below this folder.
    #[serde(default)]
    path: Option<String>,
}

/// The difference of two revisions.
#[derive(Debug, Default, serde::Serialize, schemars::JsonSchema)]
struct Difference {
    /// The paths of the files that differ, sorted.
    files: Vec<String>,
    /// The changes, as unified diffs.
    diff: String,
    /// The paths of further files, whose changes are not shown; `path` limits the answer to one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

/// A file that differs.
#[derive(Debug)]
struct Raw {
    old: Blob,
    new: Blob,
    path: String,
}

/// Compares two commits, or a commit with the files of the work tree. Files that git does not know are not
/// compared.
#[tool(
    name = "get-git-diff",
    category = observe,
    roles(none, reason = "profiles grant it"),
    sandbox = lacking_layers,
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(.., optional),
        denied_read_paths = denied_paths(.., optional),
        max_file_size_bytes = value(optional),
    )
)]
async fn git_diff(ctx: &ToolContext, input: Compare) -> Result<Difference, ToolError> {
    let repository = Repository::of_call(ctx, Purpose::Read).await?;
    let raw = input.raw(&repository).await?;
    let largest = largest_file(ctx)?;
    let mut difference = Difference::default();
    for raw in raw.into_iter().filter(|raw| may_read(ctx, &raw.path)) {
        let is_full = difference.files.len() >= MOST_FILES || difference.diff.len() >= LONGEST;
        if is_full {
            difference.left_out.push(raw.path);
            continue;
        }
        let Some(diff) = raw.show(&repository, largest, input.to.is_none()).await? else {
            continue;
        };
        difference.diff += &diff;
        difference.files.push(raw.path);
    }
    Ok(difference)
}

impl Compare {
    /// Returns the files that may differ.
    async fn raw(&self, repository: &Repository) -> Result<Vec<Raw>, ToolError> {
        let from = self.from.as_deref().unwrap_or("HEAD");
        for revision in [Some(from), self.to.as_deref()].into_iter().flatten() {
            check_revision(revision)?;
        }
        let from = repository.must_find(from).await?;
        let to = match &self.to {
            Some(to) => Some(repository.must_find(to).await?),
            None => None,
        };
        let command = if to.is_some() {
            "diff-tree"
        } else {
            "diff-index"
        };
        let fixed = [
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            "--ignore-submodules=all",
        ];
        let mut arguments = vec![command];
        arguments.extend(fixed);
        arguments.push(&from);
        arguments.extend(to.as_deref());
        arguments.push("--");
        arguments.extend(self.path.as_deref());
        let output = repository.git(&arguments).run().await?;
        let output = String::from_utf8_lossy(&output);
        let mut parts = output.split_terminator('\0');
        let mut files = Vec::new();
        while let (Some(state), Some(path)) = (parts.next(), parts.next()) {
            files.extend(Raw::read(state, path));
        }
        Ok(files)
    }
}

impl Raw {
    /// Reads `:100644 100644 OLD NEW M` and a path.
    fn read(state: &str, path: &str) -> Option<Self> {
        let mut words = state.strip_prefix(':')?.split(' ');
        let mut word = || words.next().map(str::to_owned);
        let (old_mode, new_mode) = (word()?, word()?);
        Some(Self {
            old: Blob {
                mode: old_mode,
                id: word()?,
            },
            new: Blob {
                mode: new_mode,
                id: word()?,
            },
            path: path.to_owned(),
        })
    }

    /// Returns the change as a unified diff; none if the file is the same.
    async fn show(
        &self,
        repository: &Repository,
        largest: u64,
        is_work_tree: bool,
    ) -> Result<Option<String>, ToolError> {
        let mode = match (&*self.old.mode, &*self.new.mode) {
            (old, new) if old == new || !self.old.exists() || !self.new.exists() => String::new(),
            (old, new) => format!("mode of {} changed from {old} to {new}\n", self.path),
        };
        let sides = [&self.old, &self.new];
        let is_shown = |blob: &&Blob| blob.is_file() || !blob.exists();
        if !sides.iter().all(is_shown) {
            let problem = "is a symbolic link or a repository; its change is not shown";
            return Ok(Some(format!("{mode}{} {problem}\n", self.path)));
        }
        let old = side(repository, &self.old, largest).await?;
        let new = if is_work_tree && self.new.exists() {
            match work_tree(repository, &self.path, largest) {
                Ok(new) => new,
                Err(error) => return Ok(Some(format!("{}: {error}\n", self.path))),
            }
        } else {
            side(repository, &self.new, largest).await?
        };
        let (Side::Content(old), Side::Content(new)) = (old, new) else {
            return Ok(Some(format!(
                "{mode}{} is too large to compare\n",
                self.path
            )));
        };
        if mode.is_empty() && old == new {
            return Ok(None);
        }
        let diff = diff::unified(&self.path, old.as_deref(), new.as_deref());
        Ok(Some(mode + &diff))
    }
}

/// The content of a side, if it has one.
enum Side {
    Content(Option<Vec<u8>>),
    TooLarge,
}

async fn side(repository: &Repository, blob: &Blob, largest: u64) -> Result<Side, ToolError> {
    if !blob.exists() {
        return Ok(Side::Content(None));
    }
    let content = blob.content(repository, largest).await?;
    Ok(content.map_or(Side::TooLarge, |content| Side::Content(Some(content))))
}

/// Reads the file of the work tree, as the tools for files do.
fn work_tree(repository: &Repository, path: &str, largest: u64) -> Result<Side, AccessError> {
    let (file, stat) = repository.workspace.open_file(path)?;
    if u64::try_from(stat.st_size).is_ok_and(|size| size > largest) {
        return Ok(Side::TooLarge);
    }
    let mut content = Vec::new();
    file.take(largest).read_to_end(&mut content)?;
    Ok(Side::Content(Some(content)))
}
