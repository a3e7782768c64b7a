//! The words of a query, with their synonyms and corrections.

use toolwright::Effect;
use toolwright_model::{Promise, promise_of};

use crate::{
    index::{Alternative, Index, Wanted},
    synonyms::{LONGEST_PHRASE, Meaning, known_words, meanings, meanings_with_gap},
    tool_text::{marked_effect, marked_last, marked_verb},
    typos::similar,
    words::{begins_aside, begins_noun, is_determiner, is_stop_word, stem, words},
};

/// The most words of a query that count.
const MOST_WORDS: usize = 40;

/// The weight of a synonym.
const SYNONYM: f32 = 0.85;

/// The weight of a synonym that is not the first of its row.
const SIDEWAYS: f32 = 0.51;

/// The weight of the words before an aside as the last noun of a name.
const LAST: f32 = 0.5;

/// The weight of a verb after the first one of a query.
const LATER_VERB: f32 = 0.4;

/// The weight of a word as a verb if it follows an article or a preposition.
const NOUN_AS_VERB: f32 = 0.5;

/// The weight of the verb of a tool's name.
const VERB: f32 = 1.0;

/// The weight of the effect that a verb promises, compared with the verb.
const EFFECT: f32 = 0.5;

/// The weight of the verbs of a query, compared with its other words.
const INTENT: f32 = 1.8;

/// The weight of the words after the first one that begins an aside.
const ASIDE: f32 = 0.85;

/// The weight of a correction, for each error.
const CORRECTION: f32 = 0.7;

/// The verbs that a query without a verb means.
const NO_VERB: [(&str, f32); 3] = [("list", 0.8), ("get", 0.6), ("search", 0.6)];

/// A word of a query.
struct Word {
    stem: String,
    is_stop_word: bool,
    /// True for a word that begins a less important phrase: `of`, `that`.
    begins_aside: bool,
    /// True after a word that a noun follows.
    is_noun: bool,
}

/// Returns the words of a query. All verbs that it may mean are one of them: a tool has one verb.
pub(crate) fn wanted(query: &str, index: &Index) -> Vec<Wanted> {
    let words = read(query);
    let mut verbs = Wanted::default();
    let mut wanted = Vec::new();
    let mut lasts = Vec::new();
    let mut rest = words.as_slice();
    let mut weight = 1.0;
    while let Some(first) = rest.first() {
        let (phrase, others) = rest.split_at(phrase_length(rest));
        let meant = meanings(&joined(phrase));
        let as_verb = verb_weight(first, &verbs);
        // The verbs that the phrase may mean.
        let mut found = Wanted::default();
        let mut word = alternatives(phrase, meant, index, &mut found);
        if !word.alternatives.is_empty() {
            word.weight = weight;
            if weight == 1.0 {
                lasts.push(word.as_last());
            }
            wanted.push(word);
        }
        let stems: Vec<&str> = rest.iter().map(|word| word.stem.as_str()).collect();
        let mut apart = Wanted::default();
        apart.add_meanings(meanings_with_gap(&stems), 1.0, &mut found);
        if !apart.alternatives.is_empty() {
            apart.weight = weight;
            wanted.push(apart);
        }
        for mut verb in found.alternatives {
            verb.weight *= as_verb;
            verbs.alternatives.push(verb);
        }
        if first.begins_aside && rest.len() < words.len() {
            weight = ASIDE;
        }
        rest = others;
    }
    if verbs.alternatives.is_empty() {
        verbs.is_implied = true;
        for (verb, weight) in NO_VERB {
            verbs.add(vec![marked_verb(verb)], weight);
        }
    }
    wanted.extend(lasts);
    verbs.weight = INTENT;
    wanted.push(verbs);
    wanted
}

/// Reads the words of a query, without numbers, which are values of arguments, and without articles.
fn read(query: &str) -> Vec<Word> {
    let mut is_noun = false;
    let words = words(query).into_iter().take(MOST_WORDS);
    let words = words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    let words = words.filter_map(|word| {
        let read = Word {
            stem: stem(&word),
            is_stop_word: is_stop_word(&word),
            begins_aside: begins_aside(&word),
            is_noun,
        };
        is_noun = begins_noun(&word);
        (!is_determiner(&word)).then_some(read)
    });
    words.collect()
}

/// Returns the weight of a word as a verb of the query, given the verbs before it.
fn verb_weight(word: &Word, verbs: &Wanted) -> f32 {
    let as_noun = if word.is_noun { NOUN_AS_VERB } else { 1.0 };
    let later = if verbs.alternatives.is_empty() {
        1.0
    } else {
        LATER_VERB
    };
    as_noun * later
}

/// Returns the number of words of the longest phrase with a meaning that begins here, at least 1.
fn phrase_length(words: &[Word]) -> usize {
    let lengths = (2..=LONGEST_PHRASE.min(words.len())).rev();
    let mut lengths = lengths.filter(|length| {
        let phrase = words.get(..*length).unwrap_or_default();
        !meanings(&joined(phrase)).is_empty()
    });
    lengths.next().unwrap_or(1)
}

fn joined(words: &[Word]) -> String {
    let stems: Vec<&str> = words.iter().map(|word| word.stem.as_str()).collect();
    stems.join(" ")
}

/// Returns the words that a phrase may mean, and adds the verbs.
fn alternatives(
    phrase: &[Word],
    meant: &'static [Meaning],
    index: &Index,
    verbs: &mut Wanted,
) -> Wanted {
    let mut wanted = Wanted::default();
    let own = phrase.iter().filter(|word| !word.is_stop_word);
    for word in own {
        wanted.add(vec![word.stem.clone()], 1.0);
        if meant.is_empty() && !index.has(&word.stem) {
            for (term, errors) in similar(&word.stem, index.terms().chain(known_words())) {
                let weight = (0..errors).fold(1.0, |weight, _| weight * CORRECTION);
                wanted.add(vec![term.to_owned()], weight);
                wanted.add_meanings(meanings(term), weight, verbs);
            }
        }
    }
    wanted.add_meanings(meant, 1.0, verbs);
    wanted
}

impl Wanted {
    /// Adds the meanings of a word: nouns to this one, and verbs to those of the query.
    fn add_meanings(
        &mut self,
        meant: impl IntoIterator<Item = &'static Meaning>,
        weight: f32,
        verbs: &mut Self,
    ) {
        for meaning in meant {
            match meaning {
                Meaning::Verb(verb) => verbs.add_verb(verb, VERB * weight),
                Meaning::Noun { stems, is_first } => {
                    let weight = weight * if *is_first { SYNONYM } else { SIDEWAYS };
                    self.add(stems.clone(), weight);
                }
            }
        }
    }

    /// Adds a verb of names, and with less weight the effect that it promises.
    fn add_verb(&mut self, verb: &str, weight: f32) {
        self.add(vec![marked_verb(verb)], weight);
        let effect = match promise_of(verb) {
            Some(Promise::Reads) => Effect::Read,
            Some(Promise::Has(effect)) => effect,
            _ => return,
        };
        self.add(vec![marked_effect(effect)], weight * EFFECT);
    }

    /// Returns the word as the last noun of a name. It finds no tools by itself.
    fn as_last(&self) -> Self {
        let alternatives = self.alternatives.iter().cloned().map(|mut alternative| {
            if let Some(last) = alternative.terms.last_mut() {
                *last = marked_last(last);
            }
            alternative
        });
        Self {
            alternatives: alternatives.collect(),
            weight: self.weight * LAST,
            is_implied: true,
        }
    }

    fn add(&mut self, terms: Vec<String>, weight: f32) {
        self.alternatives.push(Alternative { terms, weight });
    }
}
