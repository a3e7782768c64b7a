//! The matching lines of one file.

use std::io;

use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};

use super::matches::{FileMatches, Line};

/// The longest line of an answer, in bytes.
const LONGEST_LINE: usize = 400;

/// The most memory for one line of a file, in bytes.
const MOST_MEMORY: usize = 16 << 20;

/// Collects the lines of a file.
pub(super) struct Lines {
    pub(super) found: FileMatches,
    pub(super) is_binary: bool,
    limit: usize,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            found: FileMatches::default(),
            is_binary: false,
            limit,
        }
    }

    /// Creates the searcher of a thread.
    pub(super) fn searcher(context: usize) -> Searcher {
        SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MOST_MEMORY))
            .build()
    }

    fn push(&mut self, number: Option<u64>, text: &[u8], is_context: bool) {
        self.found.lines.push(Line {
            number: number.unwrap_or_default(),
            text: shown(text),
            context: is_context,
        });
    }
}

impl Sink for &mut Lines {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found.count += 1;
        if self.found.count <= self.limit {
            self.push(found.line_number(), found.bytes(), false);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        if self.found.count <= self.limit {
            self.push(found.line_number(), found.bytes(), true);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Returns a line without its line break. A long one is cut.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    let end = text.floor_char_boundary(LONGEST_LINE);
    match text.split_at_checked(end) {
        Some((start, rest)) if !rest.is_empty() => {
            format!("{start} … and {} more bytes", rest.len())
        }
        _ => text.to_owned(),
    }
}
