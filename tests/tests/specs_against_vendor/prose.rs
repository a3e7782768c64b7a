//! Whether a description of ours is the vendor's.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::document::{Document, walk};

/// From how many words on equal words are a copy. `List comments` has no other words.
const MIN_WORDS: usize = 5;

/// The texts of ours that are, word for word, a text or a sentence of the vendor's.
pub(crate) fn copied(ours: &Document, theirs: &Document) -> Vec<String> {
    let known: BTreeSet<_> = sentences(theirs).into_iter().collect();
    sentences(ours)
        .into_iter()
        .filter(|sentence| known.contains(sentence))
        .collect()
}

/// The sentences of all descriptions, in lower-case words.
fn sentences(document: &Document) -> Vec<String> {
    let mut found = Vec::new();
    walk(document.root(), &mut |node| {
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
