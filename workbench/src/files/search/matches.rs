//! The matches of all files: the first ones by path, and not by the time at which a thread finds them.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use crate::walk::LeftOut;

/// The longest answer, in bytes of its lines.
const LONGEST_ANSWER: usize = 256 << 10;

/// The result of a search.
#[derive(Debug, Default, serde::Serialize, schemars::JsonSchema)]
pub(super) struct SearchResult {
    /// The files with matches, sorted by their paths.
    files: Vec<FoundFile>,
    /// The number of all matching lines.
    match_count: usize,
    /// The number of all files with matching lines.
    file_count: usize,
    /// The part that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// A file with matches.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct FoundFile {
    /// The path below the root of the repository.
    path: String,
    lines: Vec<Line>,
}

/// A line of a file.
#[derive(Clone, Debug, serde::Serialize, schemars::JsonSchema)]
pub(super) struct Line {
    /// The number of the line, from 1.
    #[serde(rename = "line")]
    pub(super) number: u64,
    pub(super) text: String,
    /// True for a line around a match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) context: bool,
}

/// The matches of a file: all of them are counted, and the first ones kept.
#[derive(Clone, Debug, Default)]
pub(super) struct FileMatches {
    pub(super) count: usize,
    pub(super) lines: Vec<Line>,
}

/// The matches that were found so far.
pub(super) struct Matches {
    limit: usize,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    files: BTreeMap<String, FileMatches>,
    /// The number of kept matches.
    kept: usize,
    match_count: usize,
    file_count: usize,
    left_out: LeftOut,
}

impl Matches {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            found: Mutex::default(),
        }
    }

    /// Adds the matches of a file, and forgets matches of later paths that are too many.
    pub(super) fn add(&self, path: String, matches: Result<FileMatches, LeftOut>) {
        let matches = match matches {
            Ok(matches) if matches.count == 0 => return,
            matches => matches,
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = match matches {
            Ok(matches) => matches,
            Err(left_out) => return found.left_out.add(left_out),
        };
        found.match_count += matches.count;
        found.file_count += 1;
        found.kept += matches.count;
        found.files.insert(path, matches);
        while let Some(last) = found.files.last_entry() {
            let count = last.get().count;
            if found.kept - count < self.limit {
                break;
            }
            found.files.pop_last();
            found.kept -= count;
        }
    }

    pub(super) fn finish(self) -> SearchResult {
        let found = self.found.into_inner();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let mut result = SearchResult {
            match_count: found.match_count,
            file_count: found.file_count,
            ..SearchResult::default()
        };
        let mut shown = Shown::default();
        for (path, matches) in found.files {
            let lines = matches.lines.into_iter();
            let lines: Vec<_> = lines
                .take_while(|line| shown.admits(line, self.limit))
                .collect();
            if lines.iter().any(|line| !line.context) {
                result.files.push(FoundFile { path, lines });
            }
        }
        let mut left_out = found.left_out;
        left_out.beyond_limit = result.match_count - shown.matches;
        result.left_out = left_out.unless_empty();
        result
    }
}

/// The part of the answer that was written.
#[derive(Default)]
struct Shown {
    matches: usize,
    bytes: usize,
    is_full: bool,
}

impl Shown {
    fn admits(&mut self, line: &Line, limit: usize) -> bool {
        self.bytes += line.text.len();
        self.is_full |= self.bytes > LONGEST_ANSWER || self.matches >= limit;
        if self.is_full {
            return false;
        }
        self.matches += usize::from(!line.context);
        true
    }
}
