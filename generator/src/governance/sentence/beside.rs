//! Actions after the first verb of a sentence: `Gets a message and removes it`.

use toolwright_model::Kind;

use super::{Statement, of_verb};
use crate::language::{
    Form, WordList,
    clause::with_conjunction,
    is_plural,
    vocabulary::{Certainty, Tag, Verb, is, verb_form},
    words,
};

/// Words at the start of a sentence that refer to the previous one.
static BACK: WordList = WordList::new(
    "additionally afterwards also attention besides beware caution finally furthermore important \
     it moreover note subsequently then this warning",
);

/// Words between that and what is done.
static BESIDE: WordList = WordList::new(
    "additionally afterwards also attention automatically besides beware caution finally \
     furthermore if immediately important it moreover note permanently subsequently successful that \
     the then this warning will",
);

/// Verbs that describe the interface instead of a change: `It accepts a list`.
static WORKING: WordList =
    WordList::new("accept allow apply enable perform process provide replace report return sort");

/// Words that begin the object of a verb.
static OBJECTS: WordList = WordList::new("a all an any each every it its the them their this");

/// Returns the verbs that a conjunction joins to the first: plain verbs, and other verbs with an
/// object.
///
/// `… that the user can mount or unmount` has another subject, and so has `… of create and update
/// operations`.
pub(super) fn coordinated(rest: &[String], form: Form) -> Vec<Verb> {
    let mut found = Vec::new();
    let mut before = ["", ""];
    let clause = rest.iter().take_while(|word| !is(word, Tag::Aside));
    for (at, word) in clause.enumerate() {
        let [first, conjunction] = before;
        // `and mark them as read`
        let takes_object = takes_object(rest.get(at + 1..).unwrap_or_default());
        if is(conjunction, Tag::Conjunction)
            && let Some((verb, second)) = verb_form(word)
            && (second == form || conjunction != "or" && second == Form::ThirdPerson)
            && (verb.certainty == Certainty::Plain || takes_object && changes(verb))
            && verb_form(first).is_none_or(|(_, other)| other != form)
        {
            found.push(verb);
        }
        before = [conjunction, word];
    }
    found
}

/// Checks whether the words after a verb begin its object: `and mark them`, `and store findings to
/// a trigger`, but `and release notes`.
fn takes_object(rest: &[String]) -> bool {
    match rest {
        [next, ..] if OBJECTS.has(next) => true,
        [next, to, ..] => is_plural(next) && matches!(to.as_str(), "to" | "into" | "onto"),
        _ => false,
    }
}

/// Returns the verbs that directly follow the first in an enumeration: `Retrieves, inserts and
/// deletes items`, `List, create or delete items`.
pub(super) fn enumerated(sentence: &str, first: &str, rest: &[String], form: Form) -> Vec<Verb> {
    let comma = sentence.split_whitespace().any(|token| {
        let word = token.strip_suffix(',');
        word.is_some_and(|word| word.eq_ignore_ascii_case(first))
    });
    let following = rest.iter().map_while(|word| match verb_form(word) {
        Some((verb, other)) if other == form => Some(Some(verb)),
        _ => is(word, Tag::Conjunction).then_some(None),
    });
    following.flatten().filter(|_| comma).collect()
}

/// Checks whether a sentence that creates a thing may overwrite one instead: `Create or update an item`,
/// `Add / update a note`, `Creates a row, or replaces it`.
pub(super) fn may_overwrite(sentence: &str, first: &str, form: Form) -> bool {
    let words = words(&with_conjunction(sentence));
    let Some(at) = words.iter().position(|word| word == first) else {
        return false;
    };
    let rest = words.get(at + 1..).unwrap_or_default();
    let end = rest.iter().position(|word| is(word, Tag::Aside));
    let clause = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    clause.windows(2).enumerate().any(|(at, pair)| {
        let after = clause.get(at + 2..).unwrap_or_default();
        let overwrites = |(verb, other): (Verb, Form)| {
            let sure = verb.is_plain() || at == 0 || takes_object(after);
            other == form && verb.kind == Kind::Overwrite && sure
        };
        matches!(pair, [or, word] if or == "or" && verb_form(word).is_some_and(overwrites))
    })
}

/// Returns the side effect that a later sentence describes: `It also removes the message.`
pub(crate) fn side_effect(sentence: &str) -> Option<Statement> {
    let words = words(sentence);
    let (first, _) = words.split_first()?;
    let itself = words.get(1).is_some_and(|word| is(word, Tag::Itself));
    let succeeds = ["if", "successful"].map(str::to_owned);
    let begins = BACK.has(first) || first == "the" && itself;
    let at = words
        .iter()
        .take_while(|word| BESIDE.has(word) || is(word, Tag::Itself));
    let at = at.count();
    let rest = words
        .get(at..)
        .filter(|_| begins || words.starts_with(&succeeds))?;
    let (first, form) = verb_form(rest.first()?)?;
    let will = at.checked_sub(1).and_then(|at| words.get(at));
    let does = form == Form::ThirdPerson || form == Form::Base && will.is_some_and(|w| w == "will");
    if !does {
        return None;
    }
    let next = rest.get(1).map(String::as_str).unwrap_or_default();
    let acts = match first.certainty {
        Certainty::Plain => OBJECTS.has(next) || is_plural(next),
        // `It also marks them as read`, but `It also lists all`
        _ => OBJECTS.has(next),
    };
    let others = coordinated(rest, form).into_iter();
    let first = Some(first).filter(|_| acts);
    let changing = first
        .into_iter()
        .chain(others)
        .filter(|verb| changes(*verb));
    changing.max_by_key(|verb| verb.kind).map(of_verb)
}

/// Checks whether the verb describes a change.
fn changes(verb: Verb) -> bool {
    !verb.reads() && !WORKING.has(verb.base)
}
