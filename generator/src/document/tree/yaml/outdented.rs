//! Flow collections whose lines are indented less than the block that contains them.
//!
//! YAML forbids them, and common readers accept them:
//!
//! ```yaml
//! schema:
//!   required: [
//!     id,
//! ]
//! ```
//!
//! Indentation has no meaning within a flow collection, so the collection is put on one line. Each
//! character keeps its offset: only line breaks and comments become spaces.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScanError};

use super::offsets::Offsets;

/// The parser's errors for such a collection.
const ERRORS: [&str; 2] = [
    "invalid indentation",
    "invalid indentation in flow construct",
];

/// The number of bytes that are read again at most, since each collection takes a pass.
const MOST_BYTES: usize = 128 * 1024 * 1024;

/// Returns whether the parser rejected the indentation within a flow collection.
pub(super) fn is_outdented(error: &ScanError) -> bool {
    ERRORS.contains(&error.info())
}

/// Returns how many collections of a text are put on one line at most.
pub(super) fn most_collections(text: &str) -> usize {
    MOST_BYTES / text.len().max(1)
}

/// A place in a text, in characters and in bytes.
#[derive(Clone, Copy, Default)]
pub(super) struct Position {
    pub(super) character: usize,
    pub(super) byte: usize,
}

/// Returns the first opening bracket from a position up to an error, if only space and `:` or `-` may be
/// before it.
pub(super) fn bracket_between(text: &str, from: Position, error: usize) -> Option<Position> {
    let between = text.get(from.byte..error)?;
    let (count, (at, _)) = between
        .char_indices()
        .enumerate()
        .find(|(_, (_, character))| matches!(character, '[' | '{'))?;
    let before = between.get(..at)?;
    let indicates = |character: char| character.is_whitespace() || ":-?".contains(character);
    before.chars().all(indicates).then_some(Position {
        character: from.character + count,
        byte: from.byte + at,
    })
}

/// Puts the flow collection that begins at an opening bracket on one line.
///
/// Returns nothing if it does not extend beyond the error, or is faulty itself, or has a comment that cannot be replaced
/// by as many spaces.
pub(super) fn on_one_line(
    text: &str,
    offsets: &Offsets<'_>,
    start: Position,
    error: usize,
) -> Option<String> {
    let gaps = gaps(text, offsets, start)?;
    let end = gaps.last()?.end;
    if end <= error {
        return None;
    }
    let mut joined = String::with_capacity(text.len());
    for gap in gaps {
        joined.push_str(text.get(joined.len()..gap.start)?);
        joined.push_str(&without_lines(text.get(gap)?)?);
    }
    joined.push_str(text.get(end..)?);
    Some(joined)
}

/// Returns the bytes of a flow collection that are outside of its scalars. The last range ends with the closing
/// bracket.
fn gaps(text: &str, offsets: &Offsets<'_>, start: Position) -> Option<Vec<Range<usize>>> {
    let mut gaps = Vec::new();
    let mut open = 0_usize;
    let mut behind = start.byte;
    let byte = |character: usize| offsets.byte(start.character + character);
    for event in Parser::new_from_str(text.get(start.byte..)?) {
        let (event, span) = event.ok()?;
        match event {
            Event::Scalar(..) => {
                gaps.push(behind..byte(span.start.index()).max(behind));
                behind = byte(span.end.index()).max(behind);
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => open += 1,
            Event::SequenceEnd | Event::MappingEnd => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    gaps.push(behind..byte(span.end.index()).max(behind));
                    return Some(gaps);
                }
            }
            _ => {}
        }
    }
    None
}

/// Replaces line breaks and comments by as many spaces. Returns nothing for a comment that is not ASCII.
fn without_lines(gap: &str) -> Option<String> {
    let mut comment = false;
    let mut before = ' ';
    let characters = gap.chars().map(|character| {
        if matches!(character, '\n' | '\r') {
            comment = false;
            before = ' ';
            return Some(' ');
        }
        comment |= character == '#' && before.is_whitespace();
        before = character;
        if comment {
            character.is_ascii().then_some(' ')
        } else {
            Some(character)
        }
    });
    characters.collect()
}
