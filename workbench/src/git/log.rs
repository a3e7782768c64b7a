//! `list-git-commits`.

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::confined::lacking_layers;

use super::repository::{Purpose, Repository, check_revision};
use crate::scope::check_folder;

/// The number of commits if the call does not state one, and the most of them.
const COMMITS: (usize, usize) = (20, 200);

/// The longest message of a commit in an answer, in bytes.
const LONGEST_MESSAGE: usize = 4_000;

/// Some commits.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Commits {
    /// The commits, the newest first.
    commits: Vec<Commit>,
    /// True if there are older ones; `skip` leads to them.
    more: bool,
}

/// A commit.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Commit {
    id: String,
    parents: Vec<String>,
    /// The time, as of RFC 3339.
    time: String,
    author: String,
    /// The message, with its trailers.
    message: String,
}

/// Lists the commits of a branch, the newest first.
#[tool(
    name = "list-git-commits",
    category = observe,
    roles(none, reason = "profiles grant it"),
    sandbox = lacking_layers,
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(.., optional),
        denied_read_paths = denied_paths(.., optional),
    )
)]
async fn list_commits(
    ctx: &ToolContext,
    /// The branch, the tag or the commit to begin at. By default the commit that is checked out.
    revision: Option<String>,
    /// Only commits that change this file, or files below this folder.
    path: Option<String>,
    /// The most commits of the answer. By default 20, at most 200.
    limit: Option<usize>,
    /// The number of commits to leave out at the beginning.
    skip: Option<usize>,
) -> Result<Commits, ToolError> {
    if let Some(path) = &path {
        check_folder(ctx, path)?;
    }
    let repository = Repository::of_call(ctx, Purpose::Read).await?;
    let revision = revision.as_deref().unwrap_or("HEAD");
    check_revision(revision)?;
    let from = repository.must_find(revision).await?;
    let limit = limit.unwrap_or(COMMITS.0).clamp(1, COMMITS.1);
    let count = format!("--max-count={}", limit + 1);
    let skip = format!("--skip={}", skip.unwrap_or_default());
    let mut arguments = vec![
        "log",
        "-z",
        "--no-show-signature",
        "--no-decorate",
        "--format=%H%n%P%n%aI%n%an <%ae>%n%B",
        &count,
        &skip,
        &from,
        "--",
    ];
    arguments.extend(path.as_deref());
    let output = repository.git(&arguments).run().await?;
    let output = String::from_utf8_lossy(&output);
    let commits = output.split_terminator('\0').filter_map(Commit::read);
    let mut commits: Vec<_> = commits.collect();
    let more = commits.len() > limit;
    commits.truncate(limit);
    Ok(Commits { commits, more })
}

impl Commit {
    fn read(record: &str) -> Option<Self> {
        let mut lines = record.splitn(5, '\n');
        let mut line = || lines.next().map(str::to_owned);
        let (id, parents, time, author) = (line()?, line()?, line()?, line()?);
        let mut message = line().unwrap_or_default().trim_end().to_owned();
        if message.len() > LONGEST_MESSAGE {
            message.truncate(message.floor_char_boundary(LONGEST_MESSAGE));
            message.push('…');
        }
        let parents = parents.split_whitespace().map(str::to_owned).collect();
        Some(Self {
            id,
            parents,
            time,
            author,
            message,
        })
    }
}
