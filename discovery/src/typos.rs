//! Words with typing errors.

use crate::tool_text::is_marked;

/// The shortest word that is corrected, in characters.
const SHORTEST: usize = 4;

/// The shortest word that may have two errors, in characters.
const LONG: usize = 8;

/// The most words that a misspelt one may stand for.
const MOST: usize = 4;

/// Returns the words that may be meant by one that is not among them, the most similar first, with the
/// number of errors. Two swapped letters are one error.
pub(crate) fn similar<'w>(
    word: &str,
    words: impl Iterator<Item = &'w str>,
) -> Vec<(&'w str, usize)> {
    let length = word.chars().count();
    if length < SHORTEST || word.chars().any(|c| c.is_ascii_digit()) {
        return Vec::new();
    }
    let most = if length < LONG { 1 } else { 2 };
    let mut found: Vec<_> = words
        .filter(|known| !is_marked(known) && known.len().abs_diff(word.len()) <= most * 2)
        .filter_map(|known| {
            let errors = strsim::osa_distance(word, known);
            (errors <= most).then_some((errors, known))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST);
    found
        .into_iter()
        .map(|(errors, known)| (known, errors))
        .collect()
}
