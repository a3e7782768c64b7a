//! The part of a line that is shown.

use std::{borrow::Cow, ops::Range};

use toolwright_model::{text::is_invisible, texts::has_invisible};

use crate::source::{Place, Sources};

/// The longest line that is shown whole, in bytes.
const LONGEST: usize = 160;

/// How many characters are shown before a place in a line that is cut.
const BEFORE: usize = 40;

/// How many characters are shown from a place on in a line that is cut.
const BEHIND: usize = 80;

/// The line of a place, or a part of it, and where the place is in that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) span: Range<usize>,
    /// Whether it is not the whole line.
    pub(super) cut: bool,
}

impl<'a> Excerpt<'a> {
    /// The excerpt for a place. A place of several lines is shown up to the end of its first.
    pub(super) fn of(place: Place, sources: &'a Sources) -> Self {
        let (line, start) = sources.line(place);
        let start = line.floor_char_boundary(start);
        let length = place.end.saturating_sub(place.start) as usize;
        let end = line.ceil_char_boundary((start + length.max(1)).min(line.len()));
        let length_of = |end: usize| replaced(line.get(..end).unwrap_or(line)).len();
        let (start, end) = (length_of(start), length_of(end));
        let line = replaced(line);
        if line.len() <= LONGEST {
            return Self {
                text: line,
                span: start..end,
                cut: false,
            };
        }
        let line = line.as_ref();
        let from = back(line, start, BEFORE);
        let to = forth(line, start, BEHIND);
        let shown = line.get(from..to).unwrap_or_default();
        let before = if from > 0 { "… " } else { "" };
        let behind = if to < line.len() { " …" } else { "" };
        let at = before.len() + start - from;
        Self {
            span: at..at + end.min(to).saturating_sub(start),
            text: Cow::Owned(format!("{before}{shown}{behind}")),
            cut: true,
        }
    }
}

/// The text with each character that cannot be seen replaced by one that can.
fn replaced(text: &str) -> Cow<'_, str> {
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let visible = text.chars().map(|c| {
        if is_invisible(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    });
    Cow::Owned(visible.collect())
}

/// The offset `count` characters before another.
fn back(line: &str, from: usize, count: usize) -> usize {
    let before = line.get(..from).unwrap_or(line);
    before
        .char_indices()
        .rev()
        .take(count)
        .last()
        .map_or(from, |(at, _)| at)
}

/// The offset `count` characters behind another.
fn forth(line: &str, from: usize, count: usize) -> usize {
    let behind = line.get(from..).unwrap_or_default();
    behind
        .char_indices()
        .nth(count)
        .map_or(line.len(), |(at, _)| from + at)
}
