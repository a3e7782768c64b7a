//! The words of a query, with their synonyms and corrections.

use toolwright::Effect;
use toolwright_model::{Promise, promise_of};

use crate::{
    index::{Alternative, Index, Wanted},
    synonyms::{LONGEST_PHRASE, Meaning, known_words, meanings, meanings_with_gap},
    tool_text::{marked_effect, marked_verb},
    typos::similar,
    words::{begins_aside, is_stop_word, stem, words},
};

/// The most words of a query that count.
const MOST_WORDS: usize = 40;

/// The weight of a synonym.
const SYNONYM: f32 = 0.7;

/// The weight of the verb of a tool's name.
const VERB: f32 = 0.8;

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
}

/// Returns the words of a query. All verbs that it may mean are one of them: a tool has one verb.
pub(crate) fn wanted(query: &str, index: &Index) -> Vec<Wanted> {
    let words = words(query).into_iter().take(MOST_WORDS);
    // A number is a value of an argument.
    let words = words.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    let words: Vec<Word> = words
        .map(|word| Word {
            stem: stem(&word),
            is_stop_word: is_stop_word(&word),
            begins_aside: begins_aside(&word),
        })
        .collect();
    let mut verbs = Wanted::default();
    let mut wanted = Vec::new();
    let mut rest = words.as_slice();
    let mut weight = 1.0;
    while let Some(first) = rest.first() {
        let (phrase, others) = rest.split_at(phrase_length(rest));
        let meant = meanings(&joined(phrase));
        let mut word = alternatives(phrase, meant, index, &mut verbs);
        if !word.alternatives.is_empty() {
            word.weight = weight;
            wanted.push(word);
        }
        let stems: Vec<&str> = rest.iter().map(|word| word.stem.as_str()).collect();
        for meaning in meanings_with_gap(&stems) {
            if let Meaning::Verb(verb) = meaning {
                verbs.add_verb(verb, VERB);
            }
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
    verbs.weight = INTENT;
    wanted.push(verbs);
    wanted
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
fn alternatives(phrase: &[Word], meant: &[Meaning], index: &Index, verbs: &mut Wanted) -> Wanted {
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
    fn add_meanings(&mut self, meant: &[Meaning], weight: f32, verbs: &mut Self) {
        for meaning in meant {
            match meaning {
                Meaning::Verb(verb) => verbs.add_verb(verb, VERB * weight),
                Meaning::Noun(stems) => self.add(stems.clone(), SYNONYM * weight),
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

    fn add(&mut self, terms: Vec<String>, weight: f32) {
        self.alternatives.push(Alternative { terms, weight });
    }
}
