//! Source files in memory and places in them.

use std::fmt;

/// The block size for counting characters, in bytes.
const BLOCK: usize = 4096;

/// The source files of one run. The generator's core accesses files only through this type.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

/// One file.
#[derive(Debug)]
pub struct Source {
    /// The path as the user wrote it, with forward slashes.
    pub path: String,
    /// The content, without a byte order mark.
    pub text: String,
    /// The byte offset of the start of each line.
    lines: Vec<u32>,
    /// The number of characters before each block of [`BLOCK`] bytes. A minified document can be
    /// one line of megabytes, so its characters are not counted again for each diagnostic.
    characters: Vec<usize>,
}

/// The id of a file in a [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

/// A span in a source file: the bytes from `start` up to, not including, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

/// A value with its place.
pub type Placed<T> = toolwright_model::settings::Placed<T, Place>;

/// A line and a column, both counted from 1. The column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

impl Sources {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file. A byte order mark at its start is dropped.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> SourceId {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0)
            .chain(starts.map(|(at, _)| saturate(at + 1)))
            .collect();
        self.files.push(Source {
            path: path.into(),
            characters: characters_before_blocks(&text),
            text,
            lines,
        });
        SourceId(saturate(self.files.len() - 1))
    }

    /// Returns the file of an id.
    #[must_use]
    pub fn file(&self, id: SourceId) -> Option<&Source> {
        self.files.get(usize::try_from(id.0).ok()?)
    }

    /// Returns the path of a file; empty for an id of another set.
    #[must_use]
    pub fn path(&self, id: SourceId) -> &str {
        self.file(id).map_or("", |file| &file.path)
    }

    /// Returns the line and column of the start of a place.
    #[must_use]
    pub fn line_column(&self, place: Place) -> LineColumn {
        self.file(place.source)
            .map_or(LineColumn { line: 1, column: 1 }, |file| {
                file.line_column(place.start)
            })
    }

    /// Returns the source string at a place.
    #[must_use]
    pub fn text(&self, place: Place) -> Option<&str> {
        self.file(place.source)?
            .text
            .get(place.start as usize..place.end as usize)
    }

    /// Returns the whole line of the start of a place, and the byte offset in that line.
    #[must_use]
    pub fn line(&self, place: Place) -> (&str, usize) {
        self.file(place.source)
            .map_or(("", 0), |file| file.line(place.start))
    }

    /// Returns the place limited to its first line, for nodes of many lines.
    #[must_use]
    pub(crate) fn first_line(&self, place: Place) -> Place {
        let line = self.text(place).and_then(|text| text.lines().next());
        let length = line.map_or(0, |line| saturate(line.trim_end().len()));
        Place {
            end: place.start.saturating_add(length),
            ..place
        }
    }

    /// Returns all files with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        (0..).map(SourceId).zip(&self.files)
    }
}

impl Source {
    /// Returns the line at an offset without its line break, and the offset in that line.
    fn line(&self, offset: u32) -> (&str, usize) {
        let number = self.line_number(offset);
        let start = self.line_start(number);
        let end = self.lines.get(number).map(|next| *next as usize);
        let line = self.text.get(start..end.unwrap_or(self.text.len()));
        let line = line.unwrap_or_default().trim_end_matches(['\n', '\r']);
        (line, (offset as usize - start).min(line.len()))
    }

    fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_number(offset);
        let start = self.line_start(line);
        let column = self.characters_before(offset as usize) - self.characters_before(start);
        LineColumn {
            line: saturate(line),
            column: saturate(column + 1),
        }
    }

    /// Returns the number of characters before an offset.
    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let block = offset / BLOCK;
        let counted = self.characters.get(block).copied().unwrap_or_default();
        let rest = self.text.as_bytes().get(block * BLOCK..offset);
        counted + rest.map_or(0, characters_in)
    }

    /// Returns the line number of an offset, counted from 1.
    fn line_number(&self, offset: u32) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    fn line_start(&self, number: usize) -> usize {
        let start = self.lines.get(number.saturating_sub(1)).copied();
        start.unwrap_or_default() as usize
    }
}

impl Place {
    /// Creates a place in a file.
    #[must_use]
    pub fn new(source: SourceId, start: usize, end: usize) -> Self {
        Self {
            source,
            start: saturate(start),
            end: saturate(end),
        }
    }

    /// Returns the start of a file, for diagnostics about the whole file.
    #[must_use]
    pub(crate) const fn start_of(source: SourceId) -> Self {
        Self {
            source,
            start: 0,
            end: 0,
        }
    }

    /// Checks whether the place contains another one.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Counts the characters before each block of bytes and before the end.
fn characters_before_blocks(text: &str) -> Vec<usize> {
    let mut before = vec![0];
    let mut count = 0;
    for block in text.as_bytes().chunks(BLOCK) {
        count += characters_in(block);
        before.push(count);
    }
    before
}

/// Counts characters: each has exactly one byte that is not a continuation byte.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Converts to `u32`. The loader refuses files of 4 GiB and more, so no offset is lost.
fn saturate(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let mut sources = Sources::new();
        let id = sources.add("a.yaml", "\u{feff}é: 1\nbc: 2\n");
        let at = |start| {
            sources
                .line_column(Place::new(id, start, start))
                .to_string()
        };
        assert_eq!(at(0), "1:1");
        assert_eq!(at(2), "1:2");
        assert_eq!(at(6), "2:1");
        assert_eq!(at(8), "2:3");
    }

    #[test]
    fn columns_are_right_in_long_lines() {
        let text = "é".repeat(10_000);
        let mut sources = Sources::new();
        let id = sources.add("a.json", format!("x\n{text}"));
        for column in [0, 1, 2047, 2048, 2049, 9_999, 10_000] {
            let place = Place::new(id, 2 + 2 * column, 2 + 2 * column);
            let at = sources.line_column(place);
            assert_eq!((at.line, at.column as usize), (2, column + 1));
        }
    }
}
