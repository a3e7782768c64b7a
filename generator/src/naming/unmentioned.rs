//! The parents that no text of the operation mentions.

use super::{
    adjectives::is_adjective, context::Context, noun::NounAtom, related::calls, rule::RuleSubject,
    told::has,
};
use crate::language::{
    clause::Clause,
    reading::{Step, StepSource},
    singular,
    vocabulary::{Tag, is, verb},
    words,
};

/// What the texts of an operation mention, next to the thing of its path.
struct Mentions<'a> {
    context: &'a Context<'a>,
    tags: Vec<Vec<String>>,
    thing: String,
}

impl<'a> Mentions<'a> {
    fn new(context: &'a Context<'a>, thing: &str) -> Self {
        let tags = context.reading.facts.tags.iter();
        Self {
            context,
            tags: tags.map(|tag| words(tag)).collect(),
            thing: thing.to_owned(),
        }
    }

    /// Checks whether the operation id or the summary has a word.
    fn has(&self, word: &str) -> bool {
        in_words(&self.context.id, word) || in_words(&self.context.text, word)
    }

    /// Checks whether a tag has a word. A tag of a step further away must name the thing too.
    fn is_tag(&self, word: &str, near: bool) -> bool {
        let names = |tag: &&Vec<String>| near || tag.len() > 1 && in_words(tag, &self.thing);
        let mut tags = self.tags.iter().filter(names);
        tags.any(|tag| in_words(tag, word))
    }
}

/// Checks whether a thing needs the step before it: `media/featured`, `diagnostics/settings`.
fn is_general(thing: &str) -> bool {
    const GENERAL: [Tag; 6] = [
        Tag::Format,
        Tag::State,
        Tag::Settable,
        Tag::Single,
        Tag::Hollow,
        Tag::Credential,
    ];
    is_adjective(thing) || GENERAL.iter().any(|tag| is(thing, *tag))
}

/// Removes steps of which no parameter selects an item and which neither the operation id nor the
/// summary mentions, if these name the thing: `/controller/api/v1/projects`. Directly before a thing of
/// one word, a step also stays that a tag mentions.
pub(crate) fn drop_unmentioned(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let Some(last) = steps.last() else {
        return false;
    };
    let mentions = Mentions::new(context, last.last());
    // `rest_services.get_violations`
    let call = Clause::of_name(context.reading.path.call.clone(), "");
    let called = call.verb.is_some() && !call.object.is_empty();
    let (alone, general) = (last.words.len() == 1, is_general(&mentions.thing));
    let named = mentions.has(&mentions.thing);
    let count = steps.len();
    let mut at = 0;
    steps.retain(|step| {
        at += 1;
        let near = at + 1 == count && alone;
        let stays = step.is_item() || step.source != StepSource::Literal;
        let needed = near && general;
        let free = |word: &String| {
            let mentioned = mentions.has(word) || mentions.is_tag(word, near);
            !is_telling(word) && (!mentioned || EMPTY.contains(&singular(word).as_str()))
        };
        let free = named && !needed && !calls(step) && step.words.iter().all(free);
        let last = at == count && !(called && is_interface(context, &step.words));
        last || stays || !free && !is_interface(context, &step.words)
    });
    steps.len() < count
}

/// Marks the parents that the name does not need, if the operation id or the summary names the thing.
pub(crate) fn leave_out(subject: &RuleSubject<'_>, atoms: &mut [NounAtom]) -> bool {
    let Some((_, thing)) = subject.thing() else {
        return false;
    };
    let (context, parents) = (subject.context, subject.parents());
    let summary = context.reading.facts.summary.as_deref();
    let summary = summary.map(words).unwrap_or_default();
    let named = |head: &String| in_words(&context.id, head) || in_words(&summary, head);
    if !thing.last().is_some_and(named) {
        return false;
    }
    let needs = |at| needs(context, &summary, parents, at, thing);
    let needed: Vec<bool> = (0..parents.len()).map(needs).collect();
    for atom in atoms.iter_mut() {
        atom.needed = needed.get(atom.place.0).copied().unwrap_or(true);
    }
    needed.contains(&false)
}

/// Checks whether a name needs a parent of its thing. A parent that neither the operation id nor the summary mentions
/// is often the owner of everything, such as an account, or a word of the path without a meaning for the reader.
fn needs(
    context: &Context<'_>,
    summary: &[String],
    steps: &[Step],
    at: usize,
    thing: &[String],
) -> bool {
    let (Some(step), Some(head)) = (steps.get(at), thing.last()) else {
        return true;
    };
    let all = |text: &[String]| step.words.iter().all(|word| in_words(text, word));
    let (in_id, in_summary) = (all(&context.id), all(summary));
    if step.source == StepSource::Parameter {
        return in_id || in_summary;
    }
    let telling = |word: &String| is_telling(word) && !is(word, Tag::Myself) && !is(word, Tag::Own);
    let caller = is_caller(step);
    if caller && context.reading.clauses().any(|clause| clause.own) {
        return true;
    }
    if !caller && step.words.iter().any(telling) {
        return true;
    }
    let several = thing.len() > 1;
    if at + 1 < steps.len() {
        // what the operation id has is in many documents the path
        return if summary.is_empty() {
            in_id
        } else {
            in_summary
        };
    }
    let called = verb(head).is_some_and(|verb| verb.is_plain());
    if called || is_general(head) {
        return true;
    }
    if step.is_item() {
        let whose = caller || is_tenant(step);
        let description = context.reading.facts.description.as_deref();
        let described = || all(&description.map(words).unwrap_or_default());
        return in_id || in_summary || !whose && (!several || described());
    }
    in_summary || in_id && !several
}

/// Checks whether a step is the caller: `/me/keys`, `/user/keys`.
fn is_caller(step: &Step) -> bool {
    let tags = [Tag::Myself, Tag::Own, Tag::Caller];
    let caller = |word: &String| tags.iter().any(|tag| is(word, *tag));
    // `users/{id}` are others
    let others = step.words.len() == 1 && step.is_item() && is(step.last(), Tag::Caller);
    step.words.iter().all(caller) && !others
}

/// Checks whether the items of a step own all things: `/accounts/{id}/users`.
fn is_tenant(step: &Step) -> bool {
    match step.words.as_slice() {
        [first, last] if is(first, Tag::Anything) && last.starts_with("group") => true,
        words => words
            .last()
            .is_some_and(|last| is(&singular(last), Tag::Tenant)),
    }
}

/// Words that do not describe the things after them, even if a text has them.
const EMPTY: [&str; 9] = [
    "entity",
    "extra",
    "manage",
    "management",
    "object",
    "operation",
    "reference",
    "resource",
    "util",
];

/// Checks whether words have a word, or join it with others.
fn in_words(told: &[String], word: &str) -> bool {
    has(told, word) || word.len() >= LONG && told.concat().contains(&singular(word))
}

/// Checks whether words only describe the interface: `rest-service`, `api-public`.
fn is_interface(context: &Context<'_>, words: &[String]) -> bool {
    let tags = [Tag::Prefix, Tag::Itself, Tag::Adjective];
    let empty = |word: &String| {
        let known = tags.iter().any(|tag| is(word, *tag));
        known || singular(word) == "service" || word == context.service.as_str()
    };
    words.first().is_some_and(|first| is(first, Tag::Prefix)) && words.iter().all(empty)
}

/// Checks whether a word of the path matters even if no text has it.
fn is_telling(word: &str) -> bool {
    const TELLING: [&str; 7] = [
        "inbound", "incoming", "outbound", "outgoing", "sandbox", "test", "testnet",
    ];
    let tags = [
        Tag::State,
        Tag::Caller,
        Tag::Myself,
        Tag::Own,
        Tag::Adjective,
    ];
    TELLING.contains(&word) || tags.iter().any(|tag| is(word, *tag))
}

/// Words of so many letters are part of others only if these contain them.
const LONG: usize = 5;
