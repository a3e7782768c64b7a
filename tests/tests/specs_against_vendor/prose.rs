//! Descriptions that ours copied from the vendor's document.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::document::walk;

/// The least length of a copied sentence. Short ones such as `List comments` match by chance.
const MIN_WORDS: usize = 5;

/// Returns our sentences that also occur in the vendor's document.
pub(crate) fn copied(ours: &Value, theirs: &Value) -> Vec<String> {
    let known: BTreeSet<_> = sentences(theirs).into_iter().collect();
    sentences(ours)
        .into_iter()
        .filter(|sentence| known.contains(sentence))
        .collect()
}

/// Returns the sentences of all descriptions in lower-case words.
fn sentences(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(document, &mut |node| {
        for name in ["summary", "description"] {
            let text = node.get(name).and_then(Value::as_str).unwrap_or_default();
            found.extend(text.split(['.', ';', '\u{2013}']).filter_map(plain));
        }
    });
    found
}

fn plain(sentence: &str) -> Option<String> {
    let words: Vec<_> = sentence
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    (words.len() >= MIN_WORDS).then(|| words.join(" "))
}
