//! The grammar of names and sentences: the verb of a clause, and what it is done to.
//!
//! A clause is `modifier* (topic) verb particle? (conjunction verb)* object (preposition tail)?`. A name
//! has its verb first (`listUsers`), last (`users_list`) or, rarely, inside (`account_get_photo`). A
//! sentence has it after a preamble: `This endpoint allows you to retrieve …`.

mod sentence;

use super::{
    Form, is_plural,
    vocabulary::{Tag, Verb, any, is, join_particles, verb, verb_form},
};
pub(crate) use sentence::{after_condition, is_container, start, with_conjunction};

/// The position of a verb in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerbPlace {
    /// It is the only word.
    Whole,
    /// It is the first word, or a conjunction joins it to the first.
    Head,
    /// It is the last word.
    Tail,
    /// It is between other words.
    Inner,
}

/// A verb in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VerbAt {
    /// The verb.
    pub(crate) verb: Verb,
    /// The form of the word.
    pub(crate) form: Form,
    /// The position.
    pub(crate) place: VerbPlace,
    /// True if the word can only be a verb here: it has no other meaning, or its neighbours show it.
    pub(crate) sure: bool,
}

/// A clause of a name or of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clause {
    /// The words before the verb: `account` of `account_get_photo`.
    pub(crate) topic: Vec<String>,
    /// The verb of the action.
    pub(crate) verb: Option<VerbAt>,
    /// The verbs that a conjunction joins to it, and words that may be the verb instead.
    pub(crate) others: Vec<VerbAt>,
    /// The words of the object, without articles and other determiners. All words, if there is no
    /// verb.
    pub(crate) object: Vec<String>,
    /// The words from the first preposition after the object on.
    pub(crate) tail: Vec<String>,
    /// True if the object is indefinite: `a token`, `new credentials`.
    pub(crate) indefinite: bool,
    /// True if it is done to many things at once.
    pub(crate) many: bool,
    /// True if it is done to all things.
    pub(crate) all: bool,
    /// True if it is done later than at once.
    pub(crate) later: bool,
    /// True if the object is a list of things: `a list of users`.
    pub(crate) lists: bool,
    /// True if it is about something of the caller's own: `my account`.
    pub(crate) own: bool,
    /// True for a sentence that describes the response: `Returns …`.
    pub(crate) answers: bool,
    /// The number of its sentence in the text, from 0.
    pub(crate) sentence: usize,
    /// The text that it was read from.
    pub(crate) quote: String,
}

impl Clause {
    /// Reads the words of a name: of a path segment, or of a part of an operation id.
    pub(crate) fn of_name(words: Vec<String>, quote: &str) -> Self {
        let words = join_particles(words);
        let mut clause = Self {
            many: any(&words, Tag::Many),
            all: words.iter().any(|word| word == "all"),
            later: any(&words, Tag::Later),
            own: any(&words, Tag::Own) || any(&words, Tag::Myself),
            quote: quote.to_owned(),
            ..Self::default()
        };
        let (words, tail) = trim(&words);
        clause.tail = tail.to_vec();
        // `on-fetch` handles an event of another operation
        let found = match words {
            [] => Vec::new(),
            [first, ..] if first == "on" => Vec::new(),
            [only] => verb(only).map(|verb| (0, verb)).into_iter().collect(),
            words => main_first(candidates(words), words.len()),
        };
        let at = |&(at, verb): &(usize, Verb)| VerbAt {
            verb,
            form: Form::Base,
            place: place(at, words.len()),
            sure: verb.is_plain(),
        };
        clause.verb = found.first().map(at);
        clause.others = found.iter().skip(1).map(at).collect();
        let split = found.first().map_or(0, |(at, _)| at + 1);
        clause.topic = words
            .get(..split.saturating_sub(1))
            .unwrap_or_default()
            .to_vec();
        clause.object = words.get(split..).unwrap_or_default().to_vec();
        clause.drop_joined();
        // `delete-a-media-item`
        if let [article, _, ..] = clause.object.as_slice()
            && clause.verb.is_some()
            && matches!(article.as_str(), "a" | "an" | "the")
        {
            clause.object.remove(0);
        }
        let several = ["one", "or", "more"];
        if clause.object.len() > several.len()
            && clause.object.starts_with(&several.map(str::to_owned))
        {
            clause.object.drain(..several.len());
            clause.many = true;
        }
        clause
    }

    /// Removes the verbs that a conjunction joins to the first: `or-update`.
    fn drop_joined(&mut self) {
        while let [joint, second, ..] = self.object.as_slice()
            && self.verb.is_some()
            && is(joint, Tag::Conjunction)
            && let Some((verb, form)) = verb_form(second)
        {
            let joined = VerbAt {
                verb,
                form,
                place: VerbPlace::Head,
                sure: true,
            };
            self.others.retain(|other| other.verb != verb);
            self.others.insert(0, joined);
            self.object.drain(..2);
        }
    }

    /// Returns the verb of tool names of the action, if the verb is one for sure.
    pub(crate) fn tool_verb(&self) -> Option<&'static str> {
        self.verb.filter(|at| at.sure).and_then(|at| at.verb.tool)
    }

    /// Checks whether this is the verb of tool names of the action, for sure.
    pub(crate) fn has_verb(&self, verb: &str) -> bool {
        self.tool_verb() == Some(verb)
    }

    /// Returns the last word of the object.
    pub(crate) fn head_noun(&self) -> Option<&str> {
        self.object.last().map(String::as_str)
    }

    /// Checks whether the last word of the object has the tag.
    pub(crate) fn is_about(&self, tag: Tag) -> bool {
        self.head_noun().is_some_and(|last| is(last, tag))
    }
}

/// Returns the place of a verb in so many words.
const fn place(at: usize, words: usize) -> VerbPlace {
    match (at, words) {
        (0, 1) => VerbPlace::Whole,
        (0, _) => VerbPlace::Head,
        _ if at + 1 == words => VerbPlace::Tail,
        _ => VerbPlace::Inner,
    }
}

/// Returns the verbs of several words with their positions. What follows a verb for sure is its
/// object, even if it could be a verb: the verb of `getUpdateStatus` is `get`.
fn candidates(words: &[String]) -> Vec<(usize, Verb)> {
    let last = words.len() - 1;
    let mut found = Vec::new();
    let mut objects = false;
    for (at, word) in words.iter().enumerate() {
        let known = match verb_form(word) {
            // `Gets`, but not the plural `orders`
            Some((verb, Form::ThirdPerson)) if at == 0 && verb.is_plain() => Some(verb),
            Some((verb, Form::Base)) => Some(verb),
            _ => None,
        };
        let Some(verb) = known else { continue };
        if objects && !(at == last && verb.is_plain() && verb.reads()) {
            continue;
        }
        found.push((at, verb));
        objects |= verb.is_plain();
    }
    found
}

/// Moves the main verb to the front: the first that is one for sure, or else the first word, or else
/// the last. After a verb that is also a noun, only the basic verbs count: `reportList`, but
/// `checkLogin`.
fn main_first(mut found: Vec<(usize, Verb)>, words: usize) -> Vec<(usize, Verb)> {
    let first = found.iter().position(|(at, _)| *at == 0);
    let counts = |verb: &Verb| verb.is_plain() && (first.is_none() || is(verb.base, Tag::Basic));
    // a name that begins with `set` sets
    let begins = |verb: &Verb| verb.is_plain() || verb.base == "set";
    let leads = found.iter().position(|(at, verb)| *at == 0 && begins(verb));
    let last = found
        .iter()
        .rposition(|(at, verb)| *at + 1 == words && is(verb.base, Tag::Basic));
    let basic = found
        .iter()
        .filter(|(_, verb)| is(verb.base, Tag::Basic))
        .count();
    let last = last.filter(|_| first.is_none() && basic == 1);
    let sure = leads
        .or(last)
        .or_else(|| found.iter().position(|(_, verb)| counts(verb)));
    if let Some(main) = sure.or(first).or(found.len().checked_sub(1)) {
        let main = found.remove(main);
        found.insert(0, main);
    }
    found
}

/// Returns the words without what describes the manner, and the words from the first preposition on.
fn trim(words: &[String]) -> (&[String], &[String]) {
    let before =
        |word: &&String| is(word, Tag::Modifier) || is(word, Tag::Many) || is_version(word);
    let start = words.iter().take_while(before).count();
    // `all`, `batch`: the name of a thing
    let start = if start == words.len() { 0 } else { start };
    let words = words.get(start..).unwrap_or_default();
    let mut others = words.iter().skip(1);
    let end = others.position(|word| is(word, Tag::Preposition));
    let (words, tail) = words
        .split_at_checked(end.map_or(words.len(), |at| at + 1))
        .unwrap_or_default();
    let after = |word: &&String| {
        is(word, Tag::Suffix) || is_version(word) || word.bytes().all(|b| b.is_ascii_digit())
    };
    let suffixes = words.iter().skip(1).rev().take_while(after).count();
    (
        words.get(..words.len() - suffixes).unwrap_or_default(),
        tail,
    )
}

/// Returns the position of the preposition that begins a relation: `by-email` of `users-by-email`, but
/// not `to` of `one-to-one` and of `document-to-article-links`.
pub(crate) fn relation(words: &[String]) -> Option<usize> {
    let many = words.last().is_some_and(|last| is_plural(last));
    let begins = |pair: &[String]| match pair {
        [before, word, _, ..] if word == "to" && many && !is_plural(before) => false,
        [before, word, after, ..] => is(word, Tag::Preposition) && before != after,
        [_, word] => is(word, Tag::Preposition),
        _ => false,
    };
    let mut rests = (1..words.len()).filter_map(|at| Some((at, words.get(at - 1..)?)));
    rests.find(|(_, rest)| begins(rest)).map(|(at, _)| at)
}

/// Checks whether the word is a version: `v2`, `v1beta1`.
pub(crate) fn is_version(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('v') else {
        return false;
    };
    let stage = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let stages = ["alpha", "beta", "p", "preview"];
    stage.len() < rest.len()
        && (stage.is_empty() || stages.iter().any(|known| stage.starts_with(known)))
}

#[cfg(test)]
mod tests;
