//! `search-repo-text` and `search-repo-code`: the lines of many files that match.

mod lines;
mod matches;

use std::path::Path;

use globset::GlobMatcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::{
    WalkState,
    types::{Types, TypesBuilder},
};
use rustix::io::Errno;
use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::failed;

use super::find::matcher;
use crate::{
    blocking::blocking,
    scope::largest_file,
    walk::{Kind, LeftOut, Step, Walk},
    workspace::{AccessError, Workspace},
};
use lines::Lines;
use matches::{FileMatches, Matches, SearchResult};

/// The number of matching lines if the call does not state one, and the most of them.
const MATCHES: (usize, usize) = (100, 1_000);

/// The most lines around a match.
const MOST_CONTEXT: usize = 20;

/// The largest compiled expression, in bytes.
const EXPRESSION_SIZE: usize = 4 << 20;

/// The part of a search that both tools share.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Where {
    /// The folder or the file to search, such as `src`. By default the whole repository.
    #[serde(default)]
    path: Option<String>,
    /// Only files whose paths match this pattern, such as `*.md` or `src/**/*.rs`.
    #[serde(default)]
    files: Option<String>,
    /// The number of lines to show before and after each match, at most 20. By default none.
    #[serde(default)]
    context_lines: Option<usize>,
    /// Finds both upper and lower case.
    #[serde(default)]
    ignore_case: Option<bool>,
    /// Searches files that `.gitignore` names as well.
    #[serde(default)]
    with_ignored: Option<bool>,
    /// The most matching lines of the answer. By default 100, at most 1000.
    #[serde(default)]
    limit: Option<usize>,
}

/// A search for a string.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct SearchText {
    /// The string, without special characters. It is in one line.
    text: String,
    #[serde(flatten)]
    within: Where,
}

/// A search by a regular expression.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct SearchCode {
    /// The regular expression, as of the Rust crate `regex`. It matches within a line.
    pattern: String,
    /// Only files of this language, such as `rust`, `py` or `md`.
    #[serde(default)]
    language: Option<String>,
    /// Matches whole words only.
    #[serde(default)]
    whole_word: Option<bool>,
    #[serde(flatten)]
    within: Where,
}

/// Searches the files of the repository for a string, and shows the lines with it.
///
/// Files that `.gitignore` names, binary files, and files that the role may not read are not searched.
#[tool(
    name = "search-repo-text",
    category = observe,
    roles(none, reason = "profiles grant it, with the paths"),
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
        max_file_size_bytes = value(optional),
    )
)]
async fn search_text(ctx: &ToolContext, input: SearchText) -> Result<SearchResult, ToolError> {
    blocking(ctx, move |ctx| {
        let mut expression = RegexMatcherBuilder::new();
        expression.fixed_strings(true);
        let matcher = input.within.compile(&mut expression, &input.text)?;
        search(ctx, &input.within, matcher, None)
    })
    .await
}

/// Searches source code for a regular expression, and shows the lines that match.
///
/// Files that `.gitignore` names, binary files, and files that the role may not read are not searched.
///
/// # When to use
/// To find the definition or the uses of a name. `search-repo-text` finds a string with special characters.
#[tool(
    name = "search-repo-code",
    category = observe,
    roles(none, reason = "profiles grant it, with the paths"),
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
        max_file_size_bytes = value(optional),
    )
)]
async fn search_code(ctx: &ToolContext, input: SearchCode) -> Result<SearchResult, ToolError> {
    blocking(ctx, move |ctx| {
        let mut expression = RegexMatcherBuilder::new();
        expression.word(input.whole_word.unwrap_or_default());
        let matcher = input.within.compile(&mut expression, &input.pattern)?;
        let language = input.language.as_deref().map(files_of);
        search(ctx, &input.within, matcher, language.transpose()?)
    })
    .await
}

impl Where {
    fn compile(
        &self,
        expression: &mut RegexMatcherBuilder,
        pattern: &str,
    ) -> Result<RegexMatcher, ToolError> {
        let expression = expression
            .case_insensitive(self.ignore_case.unwrap_or_default())
            .line_terminator(Some(b'\n'))
            .size_limit(EXPRESSION_SIZE)
            .dfa_size_limit(EXPRESSION_SIZE);
        let compiled = expression.build(pattern);
        compiled.map_err(|error| failed("invalid_pattern", error.to_string()))
    }
}

/// Returns the files of a language.
fn files_of(language: &str) -> Result<Types, ToolError> {
    let mut types = TypesBuilder::new();
    types.add_defaults().select(language);
    let types = types.build();
    types.map_err(|_| {
        let message = format!("there is no language `{language}`; limit the `files` instead");
        failed("unknown_language", message)
    })
}

/// A search, as each thread carries it out.
struct Search<'a> {
    workspace: &'a Workspace,
    matcher: RegexMatcher,
    files: Option<GlobMatcher>,
    types: Option<Types>,
    context: usize,
    limit: usize,
    largest_file: u64,
}

fn search(
    ctx: &ToolContext,
    within: &Where,
    expression: RegexMatcher,
    types: Option<Types>,
) -> Result<SearchResult, ToolError> {
    let workspace = Workspace::of_call(ctx)?;
    let with_ignored = within.with_ignored.unwrap_or_default();
    let walk = Walk::new(ctx, &workspace, within.path.as_deref(), with_ignored)?;
    let search = Search {
        workspace: &workspace,
        matcher: expression,
        files: within.files.as_deref().map(matcher).transpose()?,
        types,
        context: within.context_lines.unwrap_or_default().min(MOST_CONTEXT),
        limit: within.limit.unwrap_or(MATCHES.0).min(MATCHES.1),
        largest_file: largest_file(ctx)?,
    };
    let matches = Matches::new(search.limit);
    let root = workspace.path();
    walk.parallel().run(|| {
        let mut searcher = Lines::searcher(search.context);
        let (search, matches) = (&search, &matches);
        Box::new(move |entry| {
            let step = entry.ok().and_then(|entry| Step::new(root, &entry));
            if let Some(step) = step.filter(|step| search.wants(step)) {
                let found = search.file(&mut searcher, &step.path);
                matches.add(step.path, found);
            }
            WalkState::Continue
        })
    });
    Ok(matches.finish())
}

impl Search<'_> {
    fn wants(&self, step: &Step) -> bool {
        let path = Path::new(&step.path);
        step.kind == Kind::File
            && self.files.as_ref().is_none_or(|files| files.is_match(path))
            && self
                .types
                .as_ref()
                .is_none_or(|types| types.matched(path, false).is_whitelist())
    }

    /// Searches a file, or reports why it is left out.
    fn file(
        &self,
        searcher: &mut grep_searcher::Searcher,
        path: &str,
    ) -> Result<FileMatches, LeftOut> {
        let nothing = LeftOut::default();
        let (file, stat) = match self.workspace.open_file(path) {
            Ok(opened) => opened,
            // Another process was faster than the search.
            Err(AccessError::NotFound) => return Err(nothing),
            Err(_) => {
                return Err(LeftOut {
                    closed_files: 1,
                    ..nothing
                });
            }
        };
        if u64::try_from(stat.st_size).is_ok_and(|size| size > self.largest_file) {
            return Err(LeftOut {
                large_files: 1,
                ..nothing
            });
        }
        let mut lines = Lines::new(self.limit);
        match searcher.search_file(&self.matcher, &file, &mut lines) {
            Ok(()) if lines.is_binary => Err(LeftOut {
                binary_files: 1,
                ..nothing
            }),
            Ok(()) => Ok(lines.found),
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NOENT) => Err(nothing),
            Err(_) => Err(LeftOut {
                closed_files: 1,
                ..nothing
            }),
        }
    }
}
