//! Words with typing errors.

use crate::{index::Index, tool_text::is_marked};

/// The shortest word that is corrected, in characters.
const SHORTEST: usize = 4;

/// The shortest word that may have two errors, in characters.
const LONG: usize = 8;

/// The most words that a misspelt one may stand for.
const MOST: usize = 4;

/// Returns the words of an index that may be meant by one that no tool has, the most similar first, with
/// the number of errors. Two swapped letters are one error.
pub(crate) fn similar(word: &str, index: &Index) -> Vec<(String, usize)> {
    let length = word.chars().count();
    if length < SHORTEST || word.chars().any(|c| c.is_ascii_digit()) {
        return Vec::new();
    }
    let most = if length < LONG { 1 } else { 2 };
    let mut found: Vec<_> = index
        .terms()
        .filter(|term| !is_marked(term) && term.len().abs_diff(word.len()) <= most * 2)
        .filter_map(|term| {
            let errors = strsim::osa_distance(word, term);
            (errors <= most).then(|| (errors, term.to_owned()))
        })
        .collect();
    found.sort_unstable();
    found.truncate(MOST);
    found
        .into_iter()
        .map(|(errors, term)| (term, errors))
        .collect()
}
