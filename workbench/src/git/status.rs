//! `get-git-status`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use super::repository::{Purpose, Repository};
use crate::scope::may_read;

/// The most files of an answer.
const MOST_FILES: usize = 2_000;

/// The state of the repository.
#[derive(Debug, Default, serde::Serialize, schemars::JsonSchema)]
struct Status {
    /// The branch that is checked out; absent if a commit is.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The id of the commit that is checked out; absent if there is none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The files that differ from the commit, sorted by their paths.
    files: Vec<ChangedFile>,
    /// The number of files beyond the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

/// A file that differs from the commit.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct ChangedFile {
    path: String,
    /// The change that the index has: `added`, `modified`, `deleted`, `type_changed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_index: Option<Change>,
    /// The change that the work tree has in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_work_tree: Option<Change>,
}

/// The change of a file.
#[derive(Clone, Copy, Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Change {
    Added,
    Modified,
    Deleted,
    TypeChanged,
    /// Git does not know the file.
    Untracked,
    /// Two branches changed the file differently.
    Conflict,
}

/// Returns the branch that is checked out, and the files that differ from its last commit.
#[tool(
    name = "get-git-status",
    category = observe,
    roles(none, reason = "profiles grant it"),
    sandbox = lacking_layers,
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(.., optional),
        denied_read_paths = denied_paths(.., optional),
    )
)]
async fn git_status(ctx: &ToolContext) -> Result<Status, ToolError> {
    let repository = Repository::of_call(ctx, Purpose::Read).await?;
    let arguments = [
        "status",
        "--porcelain=v2",
        "-z",
        "--branch",
        "--no-renames",
        "--untracked-files=all",
        "--ignore-submodules=all",
    ];
    let output = repository.git(&arguments).run().await?;
    let output = String::from_utf8_lossy(&output);
    let mut status = Status {
        branch: repository.branch(),
        ..Status::default()
    };
    for record in output.split_terminator('\0') {
        if let Some(id) = record.strip_prefix("# branch.oid ") {
            status.commit = Some(id.to_owned()).filter(|id| id != "(initial)");
        }
        let file = ChangedFile::read(record);
        status
            .files
            .extend(file.filter(|file| may_read(ctx, &file.path)));
    }
    status.files.sort_by(|a, b| a.path.cmp(&b.path));
    let more = status.files.len().saturating_sub(MOST_FILES);
    status.left_out = Some(more).filter(|more| *more > 0);
    status.files.truncate(MOST_FILES);
    Ok(status)
}

impl ChangedFile {
    /// Reads a record of a file; none for other records.
    fn read(record: &str) -> Option<Self> {
        let (kind, rest) = record.split_once(' ')?;
        let (in_index, in_work_tree, path) = match kind {
            "?" => (None, Some(Change::Untracked), rest),
            // XY, the submodule, three modes and two ids, and the path.
            "1" => {
                let mut words = rest.splitn(8, ' ');
                let mut states = words.next()?.chars();
                let (index, work_tree) = (states.next()?, states.next()?);
                (Change::read(index), Change::read(work_tree), words.nth(6)?)
            }
            "u" => (None, Some(Change::Conflict), rest.splitn(10, ' ').nth(9)?),
            _ => return None,
        };
        Some(Self {
            path: path.to_owned(),
            in_index,
            in_work_tree,
        })
    }
}

impl Change {
    const fn read(state: char) -> Option<Self> {
        match state {
            'A' => Some(Self::Added),
            'M' => Some(Self::Modified),
            'D' => Some(Self::Deleted),
            'T' => Some(Self::TypeChanged),
            _ => None,
        }
    }
}
