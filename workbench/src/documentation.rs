//! `search-docs-pages`: the sections of documentation that fit a question best.

mod index;
mod page;

use std::io::Read as _;

use index::{Index, Query};
use page::{Page, Section};
use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::failed;

use crate::{
    blocking::blocking,
    scope::largest_file,
    walk::{Kind, LeftOut, Walk},
    workspace::Workspace,
};

/// The endings of the names of pages.
const PAGES: [&str; 6] = [".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt"];

/// The number of sections if the call does not state one, and the most of them.
const SECTIONS: (usize, usize) = (8, 50);

/// The greatest size of all pages, in bytes.
const MOST_TEXT: u64 = 64 << 20;

/// The sections that fit best.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct FoundSections {
    /// The sections, the best first.
    sections: Vec<FoundSection>,
    /// The number of pages that were searched.
    page_count: usize,
    /// The part that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// A section of a page.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct FoundSection {
    /// The path below the root of the repository.
    path: String,
    /// The headings that lead to the section, the title of the page first.
    headings: Vec<String>,
    /// The first line of the section, from 1.
    first_line: usize,
    /// Its last line.
    last_line: usize,
    /// The first line of the excerpt.
    excerpt_line: usize,
    /// The lines that fit best.
    excerpt: String,
    /// How well the section fits, compared with the others.
    score: f32,
}

/// Searches the documentation of the repository for a question or some words, and shows the sections that fit
/// best.
///
/// # When to use
/// To learn how something is meant to work. `read-repo-file` reads a section by its lines, and
/// `search-repo-text` finds an exact string.
#[tool(
    name = "search-docs-pages",
    category = observe,
    roles(none, reason = "profiles grant it, with the paths"),
    open_world = false,
    scope(
        allowed_read_paths = allowed_paths(..),
        denied_read_paths = denied_paths(.., optional),
        max_file_size_bytes = value(optional),
    )
)]
async fn search_pages(
    ctx: &ToolContext,
    /// A question, or some words. Words of the same stem fit as well.
    query: String,
    /// The folder to search, such as `docs`. By default the whole repository.
    path: Option<String>,
    /// The most sections of the answer. By default 8, at most 50.
    limit: Option<usize>,
) -> Result<FoundSections, ToolError> {
    blocking(ctx, move |ctx| {
        let workspace = Workspace::of_call(ctx)?;
        let walk = Walk::new(ctx, &workspace, path.as_deref(), false)?;
        let (pages, mut left_out) = read_pages(&workspace, walk, largest_file(ctx)?);
        let sections: Vec<(&Page, &Section)> = pages
            .iter()
            .flat_map(|page| page.sections.iter().map(move |section| (page, section)))
            .collect();
        let texts = sections.iter().map(|(page, section)| page.indexed(section));
        let index = Index::new(texts);
        let query = Query::new(&query);
        let query = query.ok_or_else(|| failed("empty_query", "the query contains no word"))?;
        let limit = limit.unwrap_or(SECTIONS.0).min(SECTIONS.1);
        let found = index.search(&query);
        left_out.beyond_limit = found.len().saturating_sub(limit);
        let found = found.into_iter().take(limit);
        let found = found.filter_map(|(number, score)| {
            let (page, section) = sections.get(number)?;
            Some(FoundSection::new(page, section, &query, score))
        });
        Ok(FoundSections {
            sections: found.collect(),
            page_count: pages.len(),
            left_out: left_out.unless_empty(),
        })
    })
    .await
}

/// Reads the pages of a walk, in the order of their paths.
fn read_pages(workspace: &Workspace, walk: Walk, largest: u64) -> (Vec<Page>, LeftOut) {
    let (mut pages, mut left_out) = (Vec::new(), LeftOut::default());
    let mut room = MOST_TEXT;
    let is_page = |path: &str| {
        let path = path.to_ascii_lowercase();
        PAGES.iter().any(|ending| path.ends_with(ending))
    };
    let files = walk
        .sorted(workspace, 0)
        .filter(|step| step.kind == Kind::File);
    for step in files.filter(|step| is_page(&step.path)) {
        let Ok((file, stat)) = workspace.open_file(&step.path) else {
            left_out.closed_files += 1;
            continue;
        };
        let size = u64::try_from(stat.st_size).unwrap_or_default();
        if size > largest.min(room) {
            left_out.large_files += 1;
            continue;
        }
        let mut text = String::new();
        match file.take(largest).read_to_string(&mut text) {
            Ok(_) => {
                room = room.saturating_sub(size);
                pages.push(Page::new(step.path, &text));
            }
            Err(_) => left_out.binary_files += 1,
        }
    }
    (pages, left_out)
}

impl FoundSection {
    fn new(page: &Page, section: &Section, query: &Query, score: f32) -> Self {
        let (excerpt_line, excerpt) = section.excerpt(|line| query.words_of(line));
        Self {
            path: page.path.clone(),
            headings: section.headings.clone(),
            first_line: section.first_line,
            last_line: section.last_line(),
            excerpt_line,
            excerpt,
            score,
        }
    }
}
