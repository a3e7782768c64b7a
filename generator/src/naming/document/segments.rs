//! The segments of the paths of a document.

use crate::{
    language::words,
    naming::segment::{is_version, literal_words},
};

/// A part of a path: the literal words of a segment, or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The words of a literal.
    Words(Vec<String>),
    /// A version, as one string: `v2`, `2020-11-20`.
    Version(String),
    /// The name of a parameter.
    Parameter(String),
}

/// A piece with the number of its segment.
pub(super) type Placed = (usize, Piece);

/// Splits a path into its pieces.
pub(super) fn pieces(path: &str) -> Vec<Placed> {
    let mut pieces = Vec::new();
    for (at, segment) in segments(path).enumerate() {
        if is_version(segment) {
            let text = words(segment).join("-");
            let bare = text.starts_with(|c: char| c.is_ascii_digit());
            let text = if bare && !text.contains('-') {
                format!("v{text}")
            } else {
                text
            };
            pieces.push((at, Piece::Version(text)));
            continue;
        }
        let mut rest = segment;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            push_words(at, before, &mut pieces);
            pieces.push((at, Piece::Parameter(name.to_owned())));
            rest = after;
        }
        match rest.strip_prefix(':').filter(|_| rest == segment) {
            Some(name) => pieces.push((at, Piece::Parameter(name.to_owned()))),
            None => push_words(at, rest, &mut pieces),
        }
    }
    pieces
}

fn push_words(at: usize, text: &str, pieces: &mut Vec<Placed>) {
    let words = match text.contains(['.', '#', '?', '=', '&']) {
        true => words(text),
        false => literal_words(text),
    };
    if !words.is_empty() {
        pieces.push((at, Piece::Words(words)));
    }
}

/// Returns the segments of a path.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !segment.is_empty())
}
