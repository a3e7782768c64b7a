//! Rules that take the thing of the path as the operation id and the summary name it.

use std::collections::BTreeSet;

use toolwright_model::{Kind, Method, most_similar};

use super::{
    adjectives::is_adjective,
    compound::spelt_words,
    context::Context,
    related::{is_other_thing, unknown_verb},
};
use crate::language::{
    clause::{Clause, VerbAt, VerbPlace, is_container, is_version},
    is_plural,
    reading::{Step, StepSource},
    singular,
    vocabulary::{Tag, any, is, tool_verb, verb},
    words,
};

/// Shorter words are part of others by chance.
const PART: usize = 3;

/// The most words of a thing that takes the place of that of the path.
const TOLD: usize = 3;

/// Checks whether the summary lists parts of the item of a path.
fn lists_parts(context: &Context<'_>, steps: &[Step], clause: &Clause) -> bool {
    let item = steps.last().is_some_and(Step::is_item);
    // `Get all devices of a rule`
    let lists = clause.has_verb("list") || clause.all && clause.has_verb("get");
    let parts = clause.head_noun().is_some_and(is_plural) && lists;
    let id = context.reading.id_clause();
    item && parts && id.is_none_or(|id| id.verb.is_none())
}

/// Returns the clause whose thing may take the place of that of the path: of the operation id, or of
/// the summary if it lists or if the operation id has no other words than the path.
fn claim<'c>(context: &'c Context<'_>, steps: &[Step]) -> Option<&'c Clause> {
    let reading = context.reading;
    let summary = reading.summary_clause();
    let lists = |clause: &&Clause| lists_parts(context, steps, clause);
    let thing = |id: &&Clause| !id.object.is_empty() || !id.topic.is_empty();
    let id = reading.id_clause().filter(|_| reading.id.len() == 1);
    let only = summary.filter(|clause| {
        let head = clause.head_noun().map(singular);
        let named = head.is_some_and(|head| !GENERIC.contains(&head.as_str()));
        let undone = |at: VerbAt| at.verb.kind == Kind::Delete || is(at.verb.base, Tag::Undo);
        let agrees = reading.facts.method != Method::Delete || clause.verb.is_some_and(undone);
        let summary = reading.facts.summary.as_deref().unwrap_or_default();
        let plain = !summary.is_empty() && !clause.quote.contains('(');
        let of_path = |word: &String| steps.iter().any(|step| has(&step.words, word));
        let repeats = |id: &Clause| id.object.iter().chain(&id.topic).all(of_path);
        let repeats = reading.id_clause().is_none_or(repeats);
        let letters = |word: &String| word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let several = clause.object.len() > 1 && clause.object.iter().all(letters);
        repeats && several && named && agrees && plain
    });
    summary.filter(lists).or(only).or(id.filter(thing))
}

/// Takes the thing of the operation id if the summary has it too, or that of the summary alone if the
/// operation id has no other words than the path, and the path has it nowhere.
pub(crate) fn take_other(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let Some(clause) = claim(context, steps).filter(|clause| is_short(context, steps, clause))
    else {
        return false;
    };
    let Some(head) = clause.head_noun().map(singular) else {
        return false;
    };
    let summary = context.reading.summary_clause();
    let told = |other: &Clause| other.head_noun().map(singular).as_ref() == Some(&head);
    let last = steps
        .last()
        .filter(|step| step.source == StepSource::Literal);
    if last.is_none() || !summary.is_some_and(told) || is_known(steps, clause, &head) {
        return false;
    }
    let own = context.service.as_str();
    let told = |word: &&String| !is(word, Tag::Many) && *word != own;
    let mut words: Vec<String> = clause.object.iter().filter(told).cloned().collect();
    if let Some((_, before)) = words.split_last_mut() {
        // `collections document structure` of `/collections.documents`
        let of_path = |word: &&mut String| steps.iter().any(|step| has(&step.words, word));
        for word in before.iter_mut().filter(of_path) {
            *word = singular(word);
        }
    }
    let parts = clause.head_noun().is_some_and(is_plural);
    match steps.last_mut() {
        _ if words.is_empty() => return false,
        // `updatePageProperties` of `/pages/{id}`
        Some(last) if last.is_item() && parts => steps.push(Step::from_words(words)),
        Some(last) => last.words = words,
        None => return false,
    }
    true
}

/// Checks whether a clause names a thing in a few words after its verb.
fn is_short(context: &Context<'_>, steps: &[Step], clause: &Clause) -> bool {
    let leads = |at: VerbAt| at.sure && at.place == VerbPlace::Head;
    let short = clause.topic.is_empty() && clause.object.len() <= TOLD;
    let summary = context.reading.summary_clause();
    let lists = summary.is_some_and(|summary| lists_parts(context, steps, summary));
    // `findTicketById`
    let code = context.reading.id_clause() == Some(clause);
    let ends = |first: &String| code && first == "by";
    let by = clause.tail.first().is_none_or(ends);
    let empty = [Tag::Hollow, Tag::Itself, Tag::Anything, Tag::State];
    let head = clause.head_noun().map(singular).unwrap_or_default();
    let plain = empty.iter().all(|tag| !is(&head, *tag));
    let plain = plain && !any(&clause.object, Tag::Conjunction);
    clause.verb.is_some_and(leads) && short && (by || lists) && plain
}

/// Checks whether the path has the head of a thing, or, with another spelling, a long word of it.
fn is_known(steps: &[Step], clause: &Clause, head: &str) -> bool {
    // `attorney id` of `/attorneys/{id}`
    let names = if steps.last().is_some_and(Step::is_item) && is(head, Tag::Identifier) {
        clause.object.iter().map(|word| singular(word)).collect()
    } else {
        vec![head.to_owned()]
    };
    let spelt = |step: &Step, name: &str| {
        let words = step.words.iter().map(String::as_str);
        name.len() > LONG && most_similar(name, words).is_some()
    };
    let known = |step: &Step| {
        let mut names = names.iter();
        names.any(|name| has_part(&step.words, name) || spelt(step, name))
    };
    steps.iter().any(known)
}

/// Shorter words are like others by chance.
const LONG: usize = 8;

/// Checks whether some words contain a word, a part of it, or a longer word that contains it.
fn has_part(words: &[String], name: &str) -> bool {
    let same = |word: &String| {
        let word = singular(word);
        // `collectionmanagement` of a collection
        let longer = word.starts_with(name) && !word.ends_with(name);
        let part = word.len().min(name.len()) >= PART;
        word == name || !longer && part && (word.contains(name) || name.contains(&word))
    };
    words.iter().any(same)
}

/// Words that name no other thing than the word before them.
const GENERIC: [&str; 6] = ["entry", "instance", "item", "model", "object", "record"];

/// The most words of a noun phrase; one of more words is a description.
const PHRASE: usize = 4;

/// Takes the thing as the operation id or the summary names it, if the words of the path are part of
/// that name: `Get the hourly forecast` of `/forecast/hourly`.
pub(crate) fn take_phrase(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    // `timetracking/list`
    let lists = |step: &mut Step| step.keys.is_empty() && step.words == ["list"];
    if steps.len() > 1
        && let Some(list) = steps.pop_if(lists)
    {
        let mut thing: Vec<Step> = steps.pop().into_iter().collect();
        let takes = take_phrase(context, &mut thing);
        steps.append(&mut thing);
        steps.push(list);
        return takes;
    }
    if let Some(last) = steps.last_mut() {
        last.words = spelt_words(context, &last.words);
    }
    let Some((last, before)) = steps.split_last() else {
        return false;
    };
    let named = last.source == StepSource::Literal && context.reading.path.call.is_empty();
    // `datapoints/count`, `tasks/failed`
    let other = |only: &String| tool_verb(only).is_some() || is_adjective(only) && only != "all";
    let other = matches!(last.words.as_slice(), [only] if other(only)) && !before.is_empty();
    // `pulls/{index}/merge` with `mergePull`
    let called = |clause: &Clause| {
        let of_path = |at: VerbAt| at.sure && last.words.iter().eq([at.verb.base]);
        !context.reading.facts.method.is_safe() && clause.verb.is_some_and(of_path)
    };
    if !named || any(&last.words, Tag::Preposition) || context.reading.clauses().any(called) {
        return false;
    }
    let found = phrases(context, last)
        .into_iter()
        .filter_map(|phrase| Called::new(context, before, last, &phrase))
        .filter(|called| called.turned || !other)
        .max_by_key(|called| called.covered);
    let Some(called) = found else { return false };
    let kept = before.len() - called.covered;
    let changes = called.covered > 0 || called.words != last.words;
    steps.drain(kept..before.len());
    if let Some(last) = steps.last_mut() {
        last.words = called.words;
    }
    changes
}

/// Returns the noun phrases of the operation id and of the summary.
fn phrases(context: &Context<'_>, thing: &Step) -> Vec<Vec<String>> {
    let own = context.service.as_str();
    let id = context.reading.id_clause().map(|clause| {
        let topic = clause.verb.is_some_and(|at| at.place != VerbPlace::Head);
        let topic = clause.topic.iter().filter(|_| topic);
        topic.chain(&clause.object).cloned().collect::<Vec<_>>()
    });
    let summary = context.reading.summary_clause();
    let act = summary.and_then(unknown_verb);
    let summary = summary.map(|clause| clause.object.clone());
    let skipped = |word: &String| {
        let acts = act.as_ref() == Some(word);
        let served = word == own || thing.words.len() == 1 && singular(word) == singular(own);
        is(word, Tag::Many) || is(word, Tag::Determiner) || is_version(word) || served || acts
    };
    let all = id.into_iter().chain(summary).map(|mut phrase| {
        phrase.retain(|word| !skipped(word));
        let empty = |last: &String| {
            let own = singular(last) == singular(thing.last()) || is_other_thing(context, last);
            !own && (is(last, Tag::Hollow) || is_container(last))
        };
        while phrase.len() > 1 && phrase.last().is_some_and(empty) {
            phrase.pop();
        }
        phrase
    });
    all.filter(|phrase| (1..=PHRASE).contains(&phrase.len()))
        .collect()
}

/// A name of the thing of a path.
struct Called {
    /// Its words.
    words: Vec<String>,
    /// The number of steps before the thing whose words it contains.
    covered: usize,
    /// True if the thing describes the step before it.
    turned: bool,
}

impl Called {
    /// Reads a noun phrase as a name of the last step. The steps directly before it may be part of
    /// the name, and so may other words that both the operation id and the summary have.
    fn new(context: &Context<'_>, before: &[Step], last: &Step, phrase: &[String]) -> Option<Self> {
        let (prefix, suffix) = around(phrase, &last.words)?;
        let state = |step: &Step| is_described(step, last, suffix);
        let turned = before.last().is_some_and(state)
            && (!last.is_many() && !last.is_item() || !ends_otherwise(context, last, phrase));
        let elsewhere = |word: &String| before.iter().any(|step| has(&step.words, word));
        let ends = suffix.last().is_some_and(|last| is_adjective(last));
        let again =
            suffix.iter().any(elsewhere) || matches!(suffix, [only] if is_joined(before, only));
        if !turned && (ends || again) {
            return None;
        }
        let mut prefix = prefix.to_vec();
        let nearer = before.iter().rev().skip(usize::from(turned));
        let covers = nearer.take_while(|step| is_part(step, &prefix)).count();
        let covered = usize::from(turned) + covers;
        let rest = before.get(..before.len() - covered).unwrap_or_default();
        let further = |word: &String| rest.iter().any(|step| has_like(&step.words, word));
        while prefix.first().is_some_and(further) {
            prefix.remove(0);
        }
        let own = |word: &String| has(&last.words, word);
        let fits = |word: &String| {
            let verb = verb(word).is_some_and(|verb| verb.is_plain());
            let known = elsewhere(word) || is_told_twice(context, word, !suffix.contains(word));
            let part = NO_PART.iter().all(|tag| !is(word, *tag));
            let part = part || suffix.contains(word) && is_other_thing(context, word);
            known && !verb && !own(word) && word.len() > 1 && word != "me" && part
        };
        let hollow = |word: &String| word != "item" && is(&singular(word), Tag::Anything);
        let many = |word: &String| is_plural(word) && !elsewhere(word) && !is(word, Tag::Single);
        if !prefix.iter().chain(suffix).all(fits)
            || prefix.iter().any(many)
            || suffix.iter().any(hollow)
            || prefix.iter().any(further)
        {
            return None;
        }
        for word in &mut prefix {
            // `cis-line-types`: the last word of a step
            let ends = before
                .iter()
                .any(|step| singular(step.last()) == singular(word));
            if ends && !is(word, Tag::Single) {
                *word = singular(word);
            }
        }
        let mut thing = last.words.clone();
        if let Some(last) = thing.last_mut().filter(|_| !suffix.is_empty()) {
            *last = singular(last);
        }
        let words = [prefix.as_slice(), &thing, suffix].concat();
        let different: BTreeSet<String> = words.iter().map(|word| singular(word)).collect();
        (different.len() == words.len()).then_some(Self {
            words,
            covered,
            turned,
        })
    }
}

/// Checks whether a word of steps ends with a word that is not separated: `permissionscheme`.
fn is_joined(steps: &[Step], word: &str) -> bool {
    let ends = |own: &String| own.len() > word.len() && own.ends_with(&singular(word));
    word.len() > PART && steps.iter().any(|step| step.words.iter().any(ends))
}

/// Checks whether the words of a phrase after the thing are those of the step before it, which the thing
/// describes.
fn is_described(step: &Step, thing: &Step, suffix: &[String]) -> bool {
    let part = matches!(suffix, [only] if !step.is_item() && has(&step.words, only));
    part || same(&step.words, suffix) && !thing.is_many() && !thing.is_item()
}

/// Checks whether another noun phrase than this one ends with the thing: `getUserGroups` next to `List
/// group users`.
fn ends_otherwise(context: &Context<'_>, thing: &Step, phrase: &[String]) -> bool {
    let mut heads = context.reading.clauses().filter_map(Clause::head_noun);
    heads.any(|head| {
        let own = phrase
            .last()
            .is_some_and(|last| singular(last) == singular(head));
        !own && singular(head) == singular(thing.last())
    })
}

/// Checks whether the words of a phrase before the thing contain those of a step, so that they stand
/// for it.
fn is_part(step: &Step, prefix: &[String]) -> bool {
    let caller = !step.is_item() && any(&step.words, Tag::Caller);
    let literal = step.source == StepSource::Literal;
    literal && !caller && step.words.iter().all(|word| has(prefix, word))
}

/// Tags of words that are no part of the name of a thing.
const NO_PART: [Tag; 8] = [
    Tag::Own,
    Tag::Hollow,
    Tag::Key,
    Tag::Itself,
    Tag::Preposition,
    Tag::Article,
    Tag::Conjunction,
    Tag::Aside,
];

/// Returns the words of a phrase before and after those of a thing.
fn around<'p>(phrase: &'p [String], thing: &[String]) -> Option<(&'p [String], &'p [String])> {
    let at = (0..phrase.len()).find(|at| {
        let run = phrase.get(*at..at + thing.len());
        run.is_some_and(|run| same(run, thing))
    })?;
    let (prefix, rest) = phrase.split_at_checked(at)?;
    Some((prefix, rest.get(thing.len()..)?))
}

/// Checks whether words are the same, in singular or plural.
pub(super) fn same(some: &[String], others: &[String]) -> bool {
    let mut pairs = some.iter().zip(others);
    some.len() == others.len() && pairs.all(|(a, b)| singular(a) == singular(b))
}

/// Checks whether words have a word, in singular or plural.
pub(super) fn has(words: &[String], word: &str) -> bool {
    words.iter().any(|other| singular(other) == singular(word))
}

/// Checks whether words have a word, or one of which it is a part: `app` of `application`.
pub(super) fn has_like(words: &[String], word: &str) -> bool {
    let part = |other: &String| {
        other.len() > 2 && word.len() > 2 && (other.contains(word) || word.contains(other.as_str()))
    };
    has(words, word) || words.iter().any(part)
}

/// Checks whether two of the operation id, the summary and the names of schemas have a word. A word
/// before the thing may be in the summary alone.
fn is_told_twice(context: &Context<'_>, word: &str, before: bool) -> bool {
    let schemas = &context.reading.facts.schemas;
    let schemas = [&schemas.element, &schemas.answer, &schemas.body]
        .into_iter()
        .flatten();
    let (id, text) = (has(&context.id, word), has(&context.text, word));
    let summary = context.reading.facts.summary.as_deref();
    let only = before && tells(word) && summary.is_some_and(|summary| !summary.is_empty());
    // `io.example.core.v1.Pod`: the namespace is no part of the name
    let bare = |schema: &String| words(schema.rsplit('.').next().unwrap_or(schema));
    text && (id || only)
        || (id || text) && schemas.into_iter().any(|schema| has(&bare(schema), word))
}

/// Checks whether a word of the summary distinguishes the things from others.
fn tells(word: &str) -> bool {
    let tags = [Tag::Tenant, Tag::Trait];
    let digits = word.contains(|c: char| c.is_ascii_digit());
    !digits && !EMPTY.contains(&word) && tags.iter().all(|tag| !is(word, *tag))
}

/// Adjectives that do not distinguish the things from others.
const EMPTY: [&str; 23] = [
    "assigned",
    "associated",
    "available",
    "basic",
    "current",
    "default",
    "detailed",
    "entire",
    "full",
    "given",
    "individual",
    "new",
    "paged",
    "previous",
    "provided",
    "registered",
    "requested",
    "specified",
    "stored",
    "supported",
    "unique",
    "updated",
    "uploaded",
];
