//! The ranking of sections: BM25 over the stems of their words. The formula is small, and of the crates that
//! have it, one depends on a crate that nobody maintains, and the other one is a database.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
};

use frostem::{Algorithm, Stemmer};

/// How soon further occurrences of a word in a section stop to matter.
const SATURATION: f32 = 1.2;

/// How much the length of a section matters.
const LENGTH: f32 = 0.75;

/// The longest query, in words.
const LONGEST_QUERY: usize = 64;

/// Words that tell nothing apart.
const COMMON: [&str; 24] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "how", "i", "in", "is",
    "it", "of", "on", "or", "that", "the", "to", "what", "with",
];

/// The words of all sections.
pub(super) struct Index {
    /// The sections with each word.
    postings: HashMap<String, Vec<Posting>>,
    /// The number of words of each section.
    lengths: Vec<usize>,
    average: f32,
}

/// A section with a word.
struct Posting {
    section: usize,
    count: usize,
}

impl Index {
    pub(super) fn new(texts: impl Iterator<Item = String>) -> Self {
        let mut postings: HashMap<String, Vec<Posting>> = HashMap::new();
        let mut lengths = Vec::new();
        for (section, text) in texts.enumerate() {
            let words = words(&text);
            lengths.push(words.len());
            for word in words {
                let sections = postings.entry(word).or_default();
                match sections.last_mut() {
                    Some(last) if last.section == section => last.count += 1,
                    _ => sections.push(Posting { section, count: 1 }),
                }
            }
        }
        let all: usize = lengths.iter().sum();
        Self {
            postings,
            average: ratio(all, lengths.len().max(1)).max(1.0),
            lengths,
        }
    }

    /// Returns the sections with words of the query and their scores, the best first, and of equal ones the
    /// first.
    pub(super) fn search(&self, query: &Query) -> Vec<(usize, f32)> {
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for word in &query.0 {
            let sections = self.postings.get(word).map_or(&[][..], Vec::as_slice);
            let without = self.lengths.len() - sections.len();
            let rarity = ((ratio(without, 1) + 0.5) / (ratio(sections.len(), 1) + 0.5)).ln_1p();
            for Posting { section, count } in sections {
                let length = self.lengths.get(*section).copied().unwrap_or_default();
                let length = 1.0 - LENGTH + LENGTH * ratio(length, 1) / self.average;
                let count = ratio(*count, 1);
                let weight = count * (SATURATION + 1.0) / (count + SATURATION * length);
                *scores.entry(*section).or_default() += rarity * weight;
            }
        }
        let mut found: Vec<_> = scores.into_iter().collect();
        found.sort_by(|a, b| match b.1.total_cmp(&a.1) {
            Ordering::Equal => a.0.cmp(&b.0),
            order => order,
        });
        found
    }
}

/// The words of a query.
pub(super) struct Query(BTreeSet<String>);

impl Query {
    /// Reads a query; none if it has no word.
    pub(super) fn new(text: &str) -> Option<Self> {
        let words: BTreeSet<_> = words(text).into_iter().take(LONGEST_QUERY).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Returns the number of its words that a line has.
    pub(super) fn words_of(&self, line: &str) -> usize {
        let line: BTreeSet<_> = words(line).into_iter().collect();
        self.0.intersection(&line).count()
    }
}

/// Splits text into the stems of its words.
fn words(text: &str) -> Vec<String> {
    let stemmer = Stemmer::new(Algorithm::English);
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(str::to_lowercase);
    let words = words.filter(|word| !COMMON.contains(&word.as_str()));
    words.map(|word| stemmer.stem(&word).into_owned()).collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rank needs no more digits than a number of four bytes has"
)]
fn ratio(one: usize, other: usize) -> f32 {
    one as f32 / other as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_short_sections_weigh_more() {
        let texts = [
            "the tool is called by an agent",
            "approvals expire, and an agent asks again",
            "approval",
            "nothing of the kind",
        ];
        let index = Index::new(texts.iter().map(ToString::to_string));
        let query = Query::new("how do agents get approved").unwrap();
        let found: Vec<_> = index.search(&query).iter().map(|(at, _)| *at).collect();
        assert_eq!(found, [1, 2, 0]);
        assert_eq!(query.words_of("the approvals of two agents"), 2);
        assert!(Query::new("how is the ?!").is_none());
    }
}
