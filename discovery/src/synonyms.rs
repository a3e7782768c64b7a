//! Words that mean the same for tools, and the verbs that a task may mean.
//!
//! `synonyms.tsv` has a row for each group: `verb` or `noun`, and the words. Of a verb, the first word is
//! one of tool names; a task with any of the others means it. Nouns mean each other, and most of all the first.

use std::{collections::HashMap, sync::LazyLock};

use crate::words::{stem, words};

/// The most words of a phrase with a meaning.
pub(crate) const LONGEST_PHRASE: usize = 3;

/// The most words between the two parts of a phrase with a gap. There may be none.
const WIDEST_GAP: usize = 4;

/// The mark of the gap in a phrase.
const GAP: &str = "…";

/// The meanings of words and phrases, by their stems. The key of a phrase with a gap has its mark.
static SYNONYMS: LazyLock<HashMap<String, Vec<Meaning>>> =
    LazyLock::new(|| parse(include_str!("synonyms.tsv")));

/// A word that another may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The verb of tool names.
    Verb(String),
    /// The stem of a noun, or the stems of its words.
    Noun {
        stems: Vec<String>,
        /// True for the first of its row, which tools use most.
        is_first: bool,
    },
}

/// Returns the meanings of a phrase, given its stems joined by spaces.
pub(crate) fn meanings(stems: &str) -> &'static [Meaning] {
    SYNONYMS.get(stems).map_or(&[], Vec::as_slice)
}

/// Returns the single words that have a meaning, as stems.
pub(crate) fn known_words<'a>() -> impl Iterator<Item = &'a str> {
    SYNONYMS
        .keys()
        .map(String::as_str)
        .filter(|key| !key.contains(' '))
}

/// Returns the meanings of phrases with a gap, such as `take … out`, that begin with the first of these
/// stems.
pub(crate) fn meanings_with_gap(stems: &[&str]) -> Vec<&'static Meaning> {
    let Some((first, others)) = stems.split_first() else {
        return Vec::new();
    };
    let lasts = others.iter().take(WIDEST_GAP + 1);
    let found = lasts.flat_map(|last| meanings(&format!("{first} {GAP} {last}")));
    found.collect()
}

fn parse(table: &str) -> HashMap<String, Vec<Meaning>> {
    let mut synonyms: HashMap<String, Vec<Meaning>> = HashMap::new();
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let mut columns = row.split('\t');
        let (Some(kind), Some(list)) = (columns.next(), columns.next()) else {
            continue;
        };
        let group: Vec<&str> = list.split(", ").collect();
        match (kind, group.as_slice()) {
            ("verb", [verb, others @ ..]) => {
                for word in others.iter().chain([verb]) {
                    let meanings = synonyms.entry(stems_of(word).join(" ")).or_default();
                    meanings.push(Meaning::Verb((*verb).to_owned()));
                }
            }
            _ => {
                for word in &group {
                    let meanings = synonyms.entry(stems_of(word).join(" ")).or_default();
                    let others = group.iter().filter(|other| *other != word);
                    meanings.extend(others.map(|other| Meaning::Noun {
                        stems: stems_of(other),
                        is_first: Some(other) == group.first(),
                    }));
                }
            }
        }
    }
    synonyms
}

fn stems_of(text: &str) -> Vec<String> {
    let parts = text.split(' ').flat_map(|part| match part {
        GAP => vec![GAP.to_owned()],
        part => words(part).iter().map(|word| stem(word)).collect(),
    });
    parts.collect()
}
