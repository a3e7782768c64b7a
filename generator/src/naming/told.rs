//! Rules that take the thing of the path as the operation id and the summary name it.

use std::collections::BTreeSet;

use toolwright_model::{Kind, Method};

use super::{
    adjectives::is_adjective,
    compound::spelt_words,
    context::Context,
    related::{calls, is_other_thing, unknown_verb},
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
/// the summary if it lists or if there is no operation id.
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
        let plain = reading.facts.summary.is_some() && !clause.quote.contains('(');
        reading.id.is_empty() && clause.object.len() > 1 && named && agrees && plain
    });
    summary.filter(lists).or(id.filter(thing)).or(only)
}

/// Takes the thing of the operation id if the summary has it too, or that of the summary alone if there
/// is no operation id, and the path has it nowhere.
pub(crate) fn take_other(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let Some(clause) = claim(context, steps) else {
        return false;
    };
    let summary = context.reading.summary_clause();
    let leads = clause
        .verb
        .is_some_and(|at| at.sure && at.place == VerbPlace::Head);
    let Some(head) = clause.head_noun().map(singular) else {
        return false;
    };
    let hollow = [Tag::Hollow, Tag::Itself, Tag::Anything, Tag::State];
    let told = |other: &Clause| other.head_noun().map(singular).as_ref() == Some(&head);
    let told = summary.is_some_and(told);
    let known = |step: &Step| {
        let same = |word: &String| {
            let word = singular(word);
            // `collectionmanagement` of a collection
            let longer = word.starts_with(&head) && !word.ends_with(&head);
            let part = word.len().min(head.len()) >= PART;
            word == head || !longer && part && (word.contains(&head) || head.contains(&word))
        };
        step.words.iter().any(same)
    };
    let short = clause.topic.is_empty() && clause.object.len() <= TOLD;
    let lists = summary.is_some_and(|summary| lists_parts(context, steps, summary));
    // `findTicketById`
    let code = context.reading.id_clause() == Some(clause);
    let ends = |first: &String| code && first == "by";
    let by = clause.tail.first().is_none_or(ends);
    let short = short && (by || lists);
    let plain = !hollow.iter().any(|tag| is(&head, *tag));
    let plain = plain && !any(&clause.object, Tag::Conjunction);
    let last = steps
        .last()
        .filter(|step| step.source == StepSource::Literal);
    let takes = leads && told && short && plain && last.is_some();
    if !takes || steps.iter().any(known) {
        return false;
    }
    let own = context.service.as_str();
    let told = |word: &&String| !is(word, Tag::Many) && *word != own;
    let words: Vec<String> = clause.object.iter().filter(told).cloned().collect();
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

/// Words that name no other thing than the word before them.
const GENERIC: [&str; 6] = ["entry", "instance", "item", "model", "object", "record"];

/// The most words of a noun phrase; one of more words is a description.
const PHRASE: usize = 4;

/// Takes the thing as the operation id or the summary names it, if the words of the path are part of
/// that name: `Get the hourly forecast` of `/forecast/hourly`.
pub(crate) fn take_phrase(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
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
/// before the thing may be in the summary alone, if there is no operation id.
fn is_told_twice(context: &Context<'_>, word: &str, before: bool) -> bool {
    let schemas = &context.reading.facts.schemas;
    let schemas = [&schemas.element, &schemas.answer, &schemas.body]
        .into_iter()
        .flatten();
    let (id, text) = (has(&context.id, word), has(&context.text, word));
    let summary = context.reading.facts.summary.as_ref();
    let only = before && summary.is_some_and(|summary| !summary.is_empty());
    let only = only && (context.reading.id.is_empty() || is_telling_adjective(word));
    // `io.example.core.v1.Pod`: the namespace is no part of the name
    let bare = |schema: &String| words(schema.rsplit('.').next().unwrap_or(schema));
    text && (id || only)
        || (id || text) && schemas.into_iter().any(|schema| has(&bare(schema), word))
}

/// Checks whether a word tells which things are meant: `archived`, but not `available`.
fn is_telling_adjective(word: &str) -> bool {
    const EMPTY: [&str; 22] = [
        "assigned",
        "associated",
        "available",
        "basic",
        "current",
        "custom",
        "default",
        "detailed",
        "full",
        "given",
        "individual",
        "new",
        "paged",
        "previous",
        "provided",
        "registered",
        "specified",
        "stored",
        "supported",
        "unique",
        "updated",
        "uploaded",
    ];
    is_adjective(word) && !EMPTY.contains(&word)
}

/// What the texts of an operation mention, next to the thing of its path.
struct Mentions<'a> {
    context: &'a Context<'a>,
    tags: Vec<Vec<String>>,
    thing: String,
}

impl Mentions<'_> {
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

    /// Checks whether the thing needs the step before it: `media/featured`, `diagnostics/settings`.
    fn is_general(&self) -> bool {
        const GENERAL: [Tag; 5] = [
            Tag::State,
            Tag::Settable,
            Tag::Single,
            Tag::Hollow,
            Tag::Credential,
        ];
        is_adjective(&self.thing) || GENERAL.iter().any(|tag| is(&self.thing, *tag))
    }
}

/// Removes steps of which no parameter selects an item and which neither the operation id nor the
/// summary mentions, if these name the thing: `/controller/api/v1/projects`. Directly before a thing of
/// one word, a step also stays that a tag mentions, or that follows a selected one.
pub(crate) fn drop_unmentioned(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let Some(last) = steps.last() else {
        return false;
    };
    let mentions = Mentions {
        context,
        tags: context
            .reading
            .facts
            .tags
            .iter()
            .map(|tag| words(tag))
            .collect(),
        thing: last.last().to_owned(),
    };
    // `rest_services.get_violations`
    let call = Clause::of_name(context.reading.path.call.clone(), "");
    let called = call.verb.is_some() && !call.object.is_empty();
    let (alone, general) = (last.words.len() == 1, mentions.is_general());
    let named = mentions.has(&mentions.thing);
    let count = steps.len();
    let (mut at, mut selected) = (0, false);
    steps.retain(|step| {
        at += 1;
        let near = at + 1 == count && alone;
        let stays = step.is_item() || step.source != StepSource::Literal;
        let itself = |word: &String| is(&singular(word), Tag::Itself);
        let needed = near && (general || selected && !step.words.iter().all(itself));
        selected |= stays;
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

/// Words that tell nothing about the things after them, even if a text has them.
const EMPTY: [&str; 6] = [
    "entity",
    "manage",
    "management",
    "object",
    "operation",
    "resource",
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
