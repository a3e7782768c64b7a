//! Removes from the facts of an operation what its label was derived from.

use std::sync::LazyLock;

use regex::Regex;
use toolwright_generator::internals::OperationFacts;

static ABOUT_SCOPES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)scope|permission|privilege|oauth|access token").unwrap());

/// The ends of sentences and lines.
static END: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[.!?]\s+|\n+|<br ?/?>").unwrap());

/// Removes scopes, extensions about permissions or kinds of operations, and the sentences about
/// scopes.
pub(crate) fn blind(mut facts: OperationFacts) -> OperationFacts {
    facts.scopes.clear();
    facts.extensions.retain(|(name, _)| {
        !ABOUT_SCOPES.is_match(name) && !name.contains("operation-type") && !name.contains("grant")
    });
    for text in [&mut facts.summary, &mut facts.description] {
        *text = text
            .as_deref()
            .map(without_scopes)
            .filter(|text| !text.is_empty());
    }
    facts
}

/// The sentences of a text that are about scopes.
pub(crate) fn about_scopes(text: &str) -> impl Iterator<Item = &str> {
    sentences(text).filter(|sentence| ABOUT_SCOPES.is_match(sentence))
}

fn without_scopes(text: &str) -> String {
    sentences(text)
        .filter(|sentence| !ABOUT_SCOPES.is_match(sentence))
        .collect()
}

/// The sentences and lines of a text, with their ends.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    let mut ends: Vec<usize> = END.find_iter(text).map(|end| end.end()).collect();
    ends.push(text.len());
    ends.into_iter().map(move |end| {
        let sentence = text.get(from..end).unwrap_or_default();
        from = end;
        sentence
    })
}
