//! The index: BM25 over the fields of tools, each with a weight of its own (BM25F).
//!
//! The formula is small, and the libraries that have it either cannot weigh the words of a query, which
//! synonyms and typing errors need, or bring forty crates (`docs/discovery.md`).

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use toolwright::{ToolSpec, audit::ToolKind};

use crate::tool_text::{Field, nouns};

/// The point at which further occurrences of a word matter less.
const SATURATION: f32 = 1.2;

/// The part of a score that a tool loses if the query means no word of its name.
const NAME: f32 = 0.6;

/// The influence of the rarity of a synonym itself. The rest is that of the most frequent one of its
/// word: a rare synonym means no more than the word.
const OWN: f32 = 0.7;

/// The words of tools.
pub(crate) struct Index {
    /// The place of each word in `postings`.
    terms: HashMap<Box<str>, usize>,
    postings: Vec<Vec<Posting>>,
    classes: Vec<Class>,
    /// The places of the nouns of each tool's name.
    names: Vec<Vec<usize>>,
}

/// A tool that has a word.
#[derive(Clone, Copy)]
struct Posting {
    tool: u32,
    /// The occurrences of the word, weighted by the fields, with diminishing returns.
    frequency: f32,
}

/// The rank of a tool before its score counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A tested sequence of calls.
    Skill,
    /// Any other tool.
    Tool,
}

/// One word of a query. Only the best of its spellings and synonyms counts for a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) alternatives: Vec<Alternative>,
    /// The importance of the word, compared with others.
    pub(crate) weight: f32,
    /// True if the query does not contain the word. It finds no tools by itself.
    pub(crate) is_implied: bool,
}

/// A spelling or a synonym of a word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alternative {
    /// The words. A tool must have all of them.
    pub(crate) terms: Vec<String>,
    pub(crate) weight: f32,
}

impl Index {
    pub(crate) fn new(tools: &[Arc<ToolSpec>]) -> Self {
        let mut builder = Builder::default();
        let texts: Vec<[Vec<String>; 5]> = tools
            .iter()
            .map(|spec| Field::ALL.map(|field| field.words(spec)))
            .collect();
        let lengths = Field::ALL.map(|field| average(&texts, field));
        for (tool, fields) in texts.iter().enumerate() {
            builder.add(tool, fields, &lengths);
        }
        let names = tools.iter().map(|spec| {
            let words = nouns(spec);
            let places = words
                .iter()
                .filter_map(|word| builder.terms.get(word.as_str()));
            let mut places: Vec<usize> = places.copied().collect();
            places.sort_unstable();
            places.dedup();
            places
        });
        Self {
            names: names.collect(),
            terms: builder.terms,
            postings: builder.postings,
            classes: tools.iter().map(|spec| Class::of(spec)).collect(),
        }
    }

    /// Checks whether a tool has the word.
    pub(crate) fn has(&self, term: &str) -> bool {
        self.terms.contains_key(term)
    }

    /// Returns the words, in no order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.keys().map(AsRef::as_ref)
    }

    /// Returns the tools with any of the words, and their scores, best first: skills before others, and
    /// of two with the same score the one with the lower place.
    pub(crate) fn search(&self, wanted: &[Wanted], most: usize) -> Vec<(usize, f32)> {
        let mut scores = vec![0.0_f32; self.classes.len()];
        let mut best = vec![0.0_f32; self.classes.len()];
        for word in wanted {
            let common = self.rarity_of(word);
            let mut touched = Vec::new();
            for alternative in &word.alternatives {
                let own = self.rarity(self.having(alternative));
                let rarity = (common + OWN * (own - common)) * word.weight;
                for (tool, frequency) in self.frequencies(alternative) {
                    let Some(kept) = best.get_mut(tool as usize) else {
                        continue;
                    };
                    if *kept == 0.0 {
                        touched.push(tool);
                    }
                    *kept = kept.max(rarity * frequency * alternative.weight);
                }
            }
            for tool in touched {
                let at = tool as usize;
                if let (Some(score), Some(kept)) = (scores.get_mut(at), best.get_mut(at)) {
                    let kept = std::mem::take(kept);
                    if *score > 0.0 || !word.is_implied {
                        *score += kept;
                    }
                }
            }
        }
        self.weigh_names(wanted, &mut scores);
        self.ranked(&scores, most)
    }

    /// Lowers the scores of tools whose names have words that the query does not mean: of two tools with
    /// the words of a query, the one with the shorter name is meant.
    fn weigh_names(&self, wanted: &[Wanted], scores: &mut [f32]) {
        let mut meant = vec![0.0_f32; self.postings.len()];
        for alternative in wanted.iter().flat_map(|word| &word.alternatives) {
            for term in &alternative.terms {
                let place = self.terms.get(term.as_str());
                if let Some(weight) = place.and_then(|place| meant.get_mut(*place)) {
                    *weight = weight.max(alternative.weight);
                }
            }
        }
        for (score, name) in scores.iter_mut().zip(&self.names) {
            if *score == 0.0 {
                continue;
            }
            let (mut sum, mut all) = (0.0, f32::MIN_POSITIVE);
            for place in name {
                let having = self.postings.get(*place).map_or(0, Vec::len);
                let rarity = self.rarity(having);
                all += rarity;
                sum += rarity * meant.get(*place).copied().unwrap_or_default();
            }
            *score *= 1.0 - NAME + NAME * sum / all;
        }
    }

    /// Returns the tools with all words of an alternative, and the average of their frequencies.
    fn frequencies(&self, alternative: &Alternative) -> Vec<(u32, f32)> {
        let postings = alternative.terms.iter().map(|term| self.postings_of(term));
        let Some(mut postings) = postings.collect::<Option<Vec<&[Posting]>>>() else {
            return Vec::new();
        };
        postings.sort_by_key(|postings| postings.len());
        let Some((rarest, others)) = postings.split_first() else {
            return Vec::new();
        };
        let number = postings.len() as f32;
        let frequencies = rarest.iter().filter_map(|posting| {
            let mut sum = posting.frequency;
            for other in others {
                let found = other.binary_search_by_key(&posting.tool, |other| other.tool);
                sum += other.get(found.ok()?)?.frequency;
            }
            Some((posting.tool, sum / number))
        });
        frequencies.collect()
    }

    /// Returns the rarity of the most frequent word that a word of a query may mean.
    fn rarity_of(&self, word: &Wanted) -> f32 {
        let alternatives = word.alternatives.iter();
        let having = alternatives.map(|alternative| self.having(alternative));
        self.rarity(having.max().unwrap_or_default())
    }

    /// Returns the number of tools that have the rarest word of an alternative.
    fn having(&self, alternative: &Alternative) -> usize {
        let terms = alternative.terms.iter();
        let having = terms.map(|term| self.postings_of(term).map_or(0, <[_]>::len));
        having.min().unwrap_or_default()
    }

    /// Sorts the tools by class and score, and returns the first ones.
    fn ranked(&self, scores: &[f32], most: usize) -> Vec<(usize, f32)> {
        let scored = scores.iter().zip(&self.classes).enumerate();
        let mut found: Vec<_> = scored
            .filter(|(_, (score, _))| **score > 0.0)
            // The bits of positive numbers are in the order of the numbers.
            .map(|(place, (score, class))| (*class, Reverse(score.to_bits()), place))
            .collect();
        if found.len() > most && most > 0 {
            found.select_nth_unstable(most - 1);
        }
        found.truncate(most);
        found.sort_unstable();
        found
            .into_iter()
            .map(|(_, Reverse(bits), place)| (place, f32::from_bits(bits)))
            .collect()
    }

    fn postings_of(&self, term: &str) -> Option<&[Posting]> {
        self.postings.get(*self.terms.get(term)?).map(Vec::as_slice)
    }

    /// Returns the rarity of a word that this many tools have.
    fn rarity(&self, having: usize) -> f32 {
        let (all, having) = (self.classes.len() as f32, having as f32);
        (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
    }
}

#[derive(Default)]
struct Builder {
    terms: HashMap<Box<str>, usize>,
    postings: Vec<Vec<Posting>>,
}

impl Builder {
    fn add(&mut self, tool: usize, fields: &[Vec<String>; 5], averages: &[f32; 5]) {
        let mut frequencies: Vec<(&str, f32)> = Vec::new();
        for ((field, words), average) in Field::ALL.into_iter().zip(fields).zip(averages) {
            let matters = field.length_matters();
            let length = 1.0 - matters + matters * words.len() as f32 / average;
            let each = field.weight() / length.max(f32::MIN_POSITIVE);
            frequencies.extend(words.iter().map(|word| (word.as_str(), each)));
        }
        frequencies.sort_unstable_by_key(|(word, _)| *word);
        for group in frequencies.chunk_by(|(a, _), (b, _)| a == b) {
            let Some((word, _)) = group.first() else {
                continue;
            };
            let frequency: f32 = group.iter().map(|(_, each)| each).sum();
            let posting = Posting {
                tool: u32::try_from(tool).unwrap_or(u32::MAX),
                frequency: frequency * (SATURATION + 1.0) / (frequency + SATURATION),
            };
            let next = self.postings.len();
            let place = *self.terms.entry((*word).into()).or_insert(next);
            match self.postings.get_mut(place) {
                Some(postings) => postings.push(posting),
                None => self.postings.push(vec![posting]),
            }
        }
    }
}

impl Class {
    pub(crate) fn of(spec: &ToolSpec) -> Self {
        match ToolKind::from_spec(spec) {
            ToolKind::Skill => Self::Skill,
            ToolKind::Raw | ToolKind::Discovery => Self::Tool,
        }
    }
}

/// Returns the average number of words in a field.
fn average(texts: &[[Vec<String>; 5]], field: Field) -> f32 {
    let lengths = texts.iter().filter_map(|fields| fields.get(field as usize));
    let sum: usize = lengths.map(Vec::len).sum();
    (sum as f32 / texts.len().max(1) as f32).max(1.0)
}
