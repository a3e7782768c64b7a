//! The vocabulary: the words that names and governance know, and the tags of each.
//!
//! It is English in general, not that of one API. `vocabulary.tsv` has a row for each word; a tag has
//! one meaning, whoever asks for it. An unknown word is no evidence.

use std::{collections::HashMap, sync::LazyLock};

use foldhash::fast::FixedState;
use toolwright_model::{Kind, TOOL_VERBS};

use super::forms::{self, Form};

toolwright_model::words! {
    /// A property of a word.
    Tag {
        /// Describes a thing and stands before it: `archived`, `public`.
        Adjective = "adjective",
        /// Means any item: `resource`.
        Anything = "anything",
        /// Makes a noun of the next word: `the`.
        Article = "article",
        /// Begins a clause about something else than the action: `which`.
        Aside = "aside",
        /// Names a right, or who has one: `role`, `owner`.
        Authority = "authority",
        /// Is one of the few verbs of most resources: `list`.
        Basic = "basic",
        /// Names a resource of which the caller is or has one: `user`.
        Caller = "caller",
        /// Begins a condition: `if`.
        Condition = "condition",
        /// Joins a second verb to the first: `and`.
        Conjunction = "conjunction",
        /// Gives its holder a right when it is asked for: `token`.
        Credential = "credential",
        /// Names what is computed from other data: `forecast`.
        Derived = "derived",
        /// Names a place outside of the service: `bucket`.
        Destination = "destination",
        /// Makes a verb of the word before it: `share several`.
        Determiner = "determiner",
        /// Ends the domain name of a group of resources: `io`.
        Domain = "domain",
        /// Is the extension of a file, or of a program that answers: `json`, `php`.
        Format = "format",
        /// Means little as a noun: `information`.
        Hollow = "hollow",
        /// Ends the name of an identifier: `uuid`.
        Identifier = "identifier",
        /// Has one form for one and for many: `news`.
        Invariable = "invariable",
        /// Means the operation itself: `endpoint`.
        Itself = "itself",
        /// Is two words in some spellings and one in others: `o auth`.
        Joined = "joined",
        /// Describes how an item is chosen rather than the item: `id`, `slug`.
        Key = "key",
        /// Applies a verb later than at once: `async`.
        Later = "later",
        /// Was just created or changed: `newly`.
        Made = "made",
        /// Applies a verb to many things: `bulk`.
        Many = "many",
        /// Stands before a verb and tells its manner: `partial`.
        Modifier = "modifier",
        /// Is an ordinary noun, of which compounds are made: `contact` of `contactperson`.
        Noun = "noun",
        /// Applies to many things: the noun of the verb is a plural by default.
        OfMany = "of-many",
        /// Moves its object to or from something else: `attach`.
        Moves = "moves",
        /// Means that something is the caller's own: `my`.
        Own = "own",
        /// Selects a page of a list: `offset`.
        Paging = "paging",
        /// Makes one verb of itself and the word before it: `log in`.
        Particle = "particle",
        /// Is a credential that each request creates anew: `otp`.
        Passing = "passing",
        /// Stands before the verb of a sentence: `allows you to`.
        Preamble = "preamble",
        /// Stands before the resource in a path and means no part of it: `api`.
        Prefix = "prefix",
        /// Ends a noun phrase: `of`.
        Preposition = "preposition",
        /// Is a remark about something else: `comment`.
        Remark = "remark",
        /// Is a credential that no client should read: `password`.
        Secret = "secret",
        /// Means the caller: `me`.
        Myself = "self",
        /// Is a state that can be set: `settings`.
        Settable = "settable",
        /// Has the form of a plural and is one thing: `settings`.
        Single = "single",
        /// Is the state of something else, or what is set of it: `status`.
        State = "state",
        /// Stands after a verb and tells its manner: `next`.
        Suffix = "suffix",
        /// Owns all things of a customer: `workspace`.
        Tenant = "tenant",
        /// Is a property that several things share: `email`.
        Trait = "trait",
        /// Undoes something, so that DELETE may mean it: `unfollow`.
        Undo = "undo",
        /// Is one word, although it looks like two: `checklist`.
        Whole = "whole",
        /// Describes the interface rather than the action: `accepts`.
        Working = "working",
    }
}

/// The certainty of a verb's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// It is a verb and means this.
    Plain,
    /// It is also a common noun (`report`, `order`), so its position must show that it is a verb.
    AlsoNoun,
    /// It has this meaning in some services and another in others (`resolve` a name, `resolve` an
    /// incident), so other evidence must agree.
    Vague,
}

/// A verb and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verb {
    /// The base form.
    pub(crate) base: &'static str,
    /// The kind of operation that it speaks for.
    pub(crate) kind: Kind,
    /// The certainty of its spelling.
    pub(crate) certainty: Certainty,
    /// The verb of tool names that is the same, if there is one.
    pub(crate) tool: Option<&'static str>,
}

impl Verb {
    /// Checks whether it changes nothing.
    pub(crate) fn reads(&self) -> bool {
        self.kind <= Kind::Derive
    }

    /// Checks whether it is a verb in any position.
    pub(crate) fn is_plain(&self) -> bool {
        self.certainty == Certainty::Plain
    }
}

/// A row of the vocabulary.
#[derive(Clone, Copy, Debug, Default)]
struct VocabularyRow {
    /// A bit for each tag.
    tags: u64,
    /// The meaning as a verb.
    verb: Option<Verb>,
    /// The plural, if no rule gives it.
    plural: Option<&'static str>,
}

const TEXT: &str = include_str!("vocabulary.tsv");

static ROWS: LazyLock<HashMap<&'static str, VocabularyRow, FixedState>> =
    LazyLock::new(|| rows().collect());

/// Returns the rows of the file.
fn rows() -> impl Iterator<Item = (&'static str, VocabularyRow)> {
    let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.filter_map(|line| line.split_once('\t'));
    cells.map(|(word, tags)| (word, row(word, tags)))
}

/// Reads the tags of a word.
fn row(word: &'static str, text: &'static str) -> VocabularyRow {
    let mut row = VocabularyRow::default();
    let (mut kind, mut certainty, mut tool) = (None, Certainty::Plain, None);
    for tag in text.split(' ') {
        match tag.split_once('=') {
            Some(("kind", value)) => kind = Kind::from_word(value),
            Some(("tool", value)) => tool = Some(value),
            Some(("plural", value)) => row.plural = Some(value),
            _ if tag == "also-noun" => certainty = Certainty::AlsoNoun,
            _ if tag == "vague" => certainty = Certainty::Vague,
            _ => row.tags |= Tag::from_word(tag).map_or(0, bit),
        }
    }
    row.verb = kind.map(|kind| Verb {
        base: word,
        kind,
        certainty,
        tool: tool.or_else(|| TOOL_VERBS.binary_search(&word).is_ok().then_some(word)),
    });
    row
}

const fn bit(tag: Tag) -> u64 {
    1 << tag as u32
}

/// Checks whether a lower-case word has the tag.
pub(crate) fn is(word: &str, tag: Tag) -> bool {
    ROWS.get(word).is_some_and(|row| row.tags & bit(tag) != 0)
}

/// Checks whether the vocabulary has a word.
pub(crate) fn is_known(word: &str) -> bool {
    ROWS.contains_key(word)
}

/// Checks whether one of the words has the tag.
pub(crate) fn any<'a>(words: impl IntoIterator<Item = &'a String>, tag: Tag) -> bool {
    words.into_iter().any(|word| is(word, tag))
}

/// Returns the words with the tag, in the order of the alphabet.
pub(crate) fn tagged(tag: Tag) -> impl Iterator<Item = &'static str> {
    let rows = rows().filter(move |(_, row)| row.tags & bit(tag) != 0);
    rows.map(|(word, _)| word)
}

/// Returns the plurals that no rule gives, with their singulars.
pub(super) fn irregular_plurals() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = ROWS.iter();
    rows.filter_map(|(word, row)| Some((*word, row.plural?)))
}

/// Returns the verb whose base form is the word, except for digits at its end: `login2`.
pub(crate) fn verb(word: &str) -> Option<Verb> {
    let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
    ROWS.get(word).and_then(|row| row.verb)
}

/// Returns the verb of a word, and the form of the word.
pub(crate) fn verb_form(word: &str) -> Option<(Verb, Form)> {
    if let Some(verb) = verb(word) {
        return Some((verb, Form::Base));
    }
    forms::bases(word)
        .into_iter()
        .find_map(|(base, form)| Some((verb(&base)?, form)))
}

/// Checks whether the word is a past participle: `archived`.
pub(crate) fn is_past(word: &str) -> bool {
    matches!(verb_form(word), Some((_, Form::Past)))
}

/// Returns the verb of tool names that a word is or stands for.
pub(crate) fn tool_verb(word: &str) -> Option<&'static str> {
    ROWS.get(word)?.verb?.tool
}

/// Words that begin a verb: `auto-complete`, `re-run`.
const BEFORE: [&str; 7] = ["auto", "cherry", "de", "dis", "long", "re", "un"];

/// Joins the words of verbs that some spell as two: `check in`.
pub(crate) fn join_particles(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let after = is(&word, Tag::Particle);
        let joins = |last: &&mut String| {
            let may = after || BEFORE.contains(&last.as_str());
            may && verb(&[last.as_str(), &word].concat()).is_some()
        };
        match joined.last_mut().filter(joins) {
            Some(last) => last.push_str(&word),
            None => joined.push(word),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_understood_and_in_order() {
        let words: Vec<&str> = rows().map(|(word, _)| word).collect();
        assert!(words.windows(2).all(|pair| pair[0] < pair[1]));
        for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
            let (word, tags) = line.split_once('\t').unwrap();
            for tag in tags.split(' ') {
                let known = match tag.split_once('=') {
                    Some(("kind", kind)) => Kind::from_word(kind).is_some(),
                    Some(("tool", verb)) => TOOL_VERBS.contains(&verb),
                    Some(("plural", plural)) => !plural.is_empty(),
                    _ => matches!(tag, "also-noun" | "vague") || Tag::from_word(tag).is_some(),
                };
                assert!(known, "{word}: {tag}");
            }
        }
    }

    #[test]
    fn every_verb_of_tool_names_has_a_meaning_that_its_promise_allows() {
        use toolwright_model::{Promise, promise_of};
        for word in TOOL_VERBS.iter() {
            let verb = verb(word).unwrap_or_else(|| panic!("{word}"));
            let kept = match promise_of(word) {
                None => true,
                Some(Promise::Reads) => verb.reads(),
                Some(Promise::Has(effect)) => verb.kind.effect() == effect,
                Some(Promise::Changes) => !verb.reads(),
            };
            assert!(kept, "{word} is {}", verb.kind);
        }
    }

    #[test]
    fn every_tag_is_used() {
        for tag in Tag::ALL {
            assert!(tagged(*tag).next().is_some(), "{tag}");
        }
    }

    #[test]
    fn forms_are_found() {
        let (verb, form) = verb_form("retrieves").unwrap();
        assert_eq!((verb.base, form), ("retrieve", Form::ThirdPerson));
        let (verb, form) = verb_form("deleted").unwrap();
        assert_eq!((verb.base, form), ("delete", Form::Past));
        assert!(verb_form("documents").is_none());
    }

    #[test]
    fn synonyms_stand_for_a_verb_of_tool_names() {
        assert_eq!(tool_verb("fetch"), Some("get"));
        assert_eq!(tool_verb("archive"), Some("archive"));
        assert_eq!(tool_verb("item"), None);
    }

    #[test]
    fn verbs_of_two_words_are_one() {
        let joined = |text: &str| join_particles(super::super::words(text)).join(" ");
        assert_eq!(joined("look-up-items"), "lookup items");
        assert_eq!(joined("auto-complete"), "autocomplete");
        assert_eq!(joined("items-in"), "items in");
    }
}
