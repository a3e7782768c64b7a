//! The visible part of a source line.

use std::{borrow::Cow, ops::Range};

use toolwright_model::text::{has_invisible, is_invisible};

use crate::document::source::{Place, Sources};

/// The maximum length of an uncut line, in bytes.
const LONGEST: usize = 160;

/// The number of characters before the place in a cut line.
const BEFORE: usize = 40;

/// The number of characters from the start of the place in a cut line.
const BEHIND: usize = 80;

/// The line of a place, or a part of it, with the span of the place inside.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) span: Range<usize>,
    /// True if the line is cut.
    pub(super) cut: bool,
}

impl<'a> Excerpt<'a> {
    /// Creates the excerpt for a place. A place of several lines ends at the end of its first line.
    ///
    /// A long line is cut before anything else, since a minified document is one line of megabytes.
    pub(super) fn new(place: Place, sources: &'a Sources) -> Self {
        let (line, start) = sources.line(place);
        let start = line.floor_char_boundary(start);
        let length = place.end.saturating_sub(place.start) as usize;
        let end = line.ceil_char_boundary((start + length.max(1)).min(line.len()));
        let cut = line.len() > LONGEST;
        let (from, to) = if cut {
            let from = step_back(line, start, BEFORE);
            (from, step_forward(line, start, BEHIND))
        } else {
            (0, line.len())
        };
        let visible = |range: Range<usize>| replace_invisible(line.get(range).unwrap_or_default());
        let text = visible(from..to);
        let before = if from > 0 { "… " } else { "" };
        let behind = if to < line.len() { " …" } else { "" };
        let at = before.len() + visible(from..start).len();
        let span = at..at + visible(start..end.clamp(start, to)).len();
        let text = if cut {
            Cow::Owned(format!("{before}{text}{behind}"))
        } else {
            text
        };
        Self { text, span, cut }
    }
}

/// Replaces invisible characters with a visible one.
fn replace_invisible(text: &str) -> Cow<'_, str> {
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

/// Returns the offset `count` characters before `from`.
fn step_back(line: &str, from: usize, count: usize) -> usize {
    let before = line.get(..from).unwrap_or(line);
    before
        .char_indices()
        .rev()
        .take(count)
        .last()
        .map_or(from, |(at, _)| at)
}

/// Returns the offset `count` characters after `from`.
fn step_forward(line: &str, from: usize, count: usize) -> usize {
    let behind = line.get(from..).unwrap_or_default();
    behind
        .char_indices()
        .nth(count)
        .map_or(line.len(), |(at, _)| from + at)
}
