//! What a text says beside its first verb: `Gets a message and removes it`.

use super::{ASIDES, CONJUNCTIONS, ITSELF, Statement, of_verb};
use crate::english::lexicon::{Certainty, Verb, verb_form};
use crate::english::{Form, WordList, is_plural, words};

/// Words with which a sentence goes back to what was said before.
static BACK: WordList = WordList::new(
    "additionally afterwards also attention besides beware caution finally furthermore important \
     it moreover note subsequently then this warning",
);

/// Words between that and what is done.
static BESIDE: WordList = WordList::new(
    "additionally afterwards also attention automatically besides beware caution finally \
     furthermore immediately important it moreover note permanently subsequently that the then this \
     warning will",
);

/// Verbs that say how an operation works, not what it changes: `It accepts a list`.
static WORKING: WordList =
    WordList::new("accept allow apply enable perform process replace report return sort");

/// Words that begin the object of a verb.
static OBJECTS: WordList = WordList::new("a all an any each every it its the them their this");

/// The verbs that a conjunction puts beside the first: plain ones, and with an object others, too.
///
/// `… that the user can mount or unmount` is about something else, and so is `… of create and
/// update operations`.
pub(super) fn coordinated(rest: &[String], form: Form) -> Vec<Verb> {
    let mut found = Vec::new();
    let mut before = ["", ""];
    let clause = rest.iter().take_while(|word| !ASIDES.has(word));
    for (at, word) in clause.enumerate() {
        let [first, conjunction] = before;
        // `and mark them as read`
        let takes_object = rest.get(at + 1).is_some_and(|next| OBJECTS.has(next));
        if CONJUNCTIONS.has(conjunction)
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

/// What is done beside it, where a later sentence says so: `It also removes the message.`
pub(crate) fn side_effect(sentence: &str) -> Option<Statement> {
    let words = words(sentence);
    let (first, _) = words.split_first()?;
    let itself = words.get(1).is_some_and(|word| ITSELF.has(word));
    let begins = BACK.has(first) || first == "the" && itself;
    let at = words
        .iter()
        .take_while(|word| BESIDE.has(word) || ITSELF.has(word));
    let at = at.count();
    let rest = words.get(at..).filter(|_| begins)?;
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

/// Whether the verb says that something changes.
fn changes(verb: Verb) -> bool {
    !verb.reads() && !WORKING.has(verb.base)
}
