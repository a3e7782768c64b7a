//! The places of the parts of files, and the comments at them.

use std::{collections::BTreeMap, ops::Range};

use prost_reflect::FileDescriptor;

use crate::document::source::{Place, SourceId};

/// The number of the field `name` in all descriptors.
const NAME: i32 = 1;

/// The places of the parts of a document.
#[derive(Debug)]
pub(super) struct Places {
    document: SourceId,
    /// The files with a text, by the name under which they are imported.
    files: BTreeMap<String, FilePlaces>,
    /// The lines of a descriptor set's listing, by full name.
    listed: BTreeMap<String, Range<usize>>,
}

/// The places of the parts of one file, by their path in its descriptor.
#[derive(Debug, Default)]
struct FilePlaces {
    source: Option<SourceId>,
    spans: BTreeMap<Vec<i32>, Range<usize>>,
    comments: BTreeMap<Vec<i32>, String>,
}

impl Places {
    pub(super) const fn new(document: SourceId) -> Self {
        Self {
            document,
            files: BTreeMap::new(),
            listed: BTreeMap::new(),
        }
    }

    /// Uses the lines of a listing.
    pub(super) fn with_listing(mut self, listed: BTreeMap<String, Range<usize>>) -> Self {
        self.listed = listed;
        self
    }

    /// Adds a file, with its text if there is one.
    pub(super) fn add(&mut self, file: &FileDescriptor, text: Option<(SourceId, &str)>) {
        let lines = text.map(|(_, text)| line_starts(text));
        let mut places = FilePlaces {
            source: text.map(|(source, _)| source),
            ..FilePlaces::default()
        };
        let info = file.file_descriptor_proto().source_code_info.as_ref();
        for location in info.into_iter().flat_map(|info| &info.location) {
            let span = lines
                .as_deref()
                .and_then(|lines| span(lines, &location.span));
            if let Some(span) = span {
                places.spans.entry(location.path.clone()).or_insert(span);
            }
            let leading = location.leading_comments.as_ref();
            if let Some(comment) = leading.or(location.trailing_comments.as_ref()) {
                let comments = places.comments.entry(location.path.clone());
                comments.or_insert_with(|| comment.clone());
            }
        }
        self.files.insert(file.name().to_owned(), places);
    }

    /// Returns the place of the name of a part.
    pub(super) fn place(&self, file: &FileDescriptor, path: &[i32], name: &str) -> Place {
        let start = Place::start_of(self.document);
        if let Some(line) = self.listed.get(name) {
            return Place::new(self.document, line.start, line.end);
        }
        let Some(places) = self.files.get(file.name()) else {
            return start;
        };
        let named = [path, &[NAME]].concat();
        let span = places.spans.get(&named).or_else(|| places.spans.get(path));
        match (places.source, span) {
            (Some(source), Some(span)) => Place::new(source, span.start, span.end),
            (Some(source), None) => Place::start_of(source),
            (None, _) => start,
        }
    }

    /// Returns the comment before a part, or after it.
    pub(super) fn comment(&self, file: &FileDescriptor, path: &[i32]) -> Option<String> {
        let comment = self.files.get(file.name())?.comments.get(path)?;
        super::texts::text_of(comment)
    }
}

/// Returns the bytes of a span: its first line and column, and its last line, if it is another one,
/// and column.
fn span(lines: &[usize], span: &[i32]) -> Option<Range<usize>> {
    let at = |line: i32, column: i32| {
        let start = lines.get(usize::try_from(line).ok()?)?;
        Some(start + usize::try_from(column).ok()?)
    };
    match *span {
        [line, column, end] => Some(at(line, column)?..at(line, end)?),
        [line, column, last, end] => Some(at(line, column)?..at(last, end)?),
        _ => None,
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(breaks.map(|(at, _)| at + 1))
        .collect()
}
