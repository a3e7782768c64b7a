//! Rules for things that the texts relate to another: the state of a thing, and what a parameter filters.

use toolwright_model::Method;

use super::{
    abbreviations::is_same,
    adjectives::{is_adjective, schema_noun},
    context::Context,
    told::{has, has_like, same},
};
use crate::language::{
    clause::{Clause, VerbAt, VerbPlace},
    facts::AnswerShape,
    is_plural,
    reading::{
        Step, StepSource,
        parameter::{is_id, is_like, own_words},
    },
    singular,
    vocabulary::{Tag, is, is_past, verb},
    words,
};

/// Adds what the summary gets of the thing: `Get the status of a job` of `/jobs/{id}`.
pub(crate) fn take_state(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let literal = |step: &&Step| step.source == StepSource::Literal;
    let (Some(last), Some(clause)) = (
        steps.last().filter(literal),
        context.reading.summary_clause(),
    ) else {
        return false;
    };
    let one = singular(last.last());
    let of = whose(clause).filter(|thing| singular(thing) == one);
    let told = match (clause.object.as_slice(), of) {
        (_, None) => return false,
        // `the number of clients`
        ([number], Some(of)) if number == "number" && is_plural(of) => vec!["count".to_owned()],
        (object, _) => object.to_vec(),
    };
    let gets = clause.answers || clause.has_verb("get") || clause.has_verb("check");
    let gets = gets || clause.verb.is_none() && clause.quote.starts_with("The ");
    let free = context.reading.facts.method == Method::Get && context.reading.path.call.is_empty();
    let Some(state) = told.last().filter(|_| gets && free) else {
        return false;
    };
    // `Envelope`: the answer is the thing itself
    let answer = context.reading.facts.schemas.answer.as_deref();
    let whole = answer.is_some_and(|name| same(&words(name), &last.words));
    let known = state == "count" || has(&context.id, state) || !has(&context.id, &one);
    let takes = known && is_thing(&told) || is_state(&told) && (known || !whole);
    let of_path = |word: &String| steps.iter().any(|step| has_like(&step.words, word));
    if !takes || told.iter().any(of_path) {
        return false;
    }
    if let Some(word) = steps.last_mut().and_then(|last| last.words.last_mut()) {
        *word = one;
    }
    steps.push(Step::from_words(told));
    true
}

/// Checks whether words are a state of something.
fn is_state(words: &[String]) -> bool {
    const LEAST: [Tag; 2] = [Tag::Hollow, Tag::OfMany];
    let read = |word: &String| verb(word).is_none_or(|verb| verb.tool.is_none());
    matches!(words, [state] if is(state, Tag::State) && read(state) && LEAST.iter().all(|tag| !is(state, *tag)))
}

/// Checks whether words are a thing of something: `schedule`, `subscription plan`.
fn is_thing(words: &[String]) -> bool {
    const MOST: usize = 2;
    const NO_THING: [Tag; 6] = [
        Tag::Hollow,
        Tag::OfMany,
        Tag::Itself,
        Tag::Anything,
        Tag::Conjunction,
        Tag::State,
    ];
    let empty = |word: &String| NO_THING.iter().any(|tag| is(&singular(word), *tag));
    let thing = |word: &String| matches!(word.as_str(), "count" | "metadata") || !empty(word);
    words.len() <= MOST && words.iter().all(thing)
}

/// Returns the thing that has what a clause is about: `job` of `the status of a job`, `client` of
/// `the roles associated with a client's scope`.
fn whose(clause: &Clause) -> Option<&String> {
    let tail = match clause.tail.as_slice() {
        [of, tail @ ..] if matches!(of.as_str(), "of" | "for" | "in") => tail,
        [past, with, tail @ ..] if is_past(past) && matches!(with.as_str(), "to" | "with") => tail,
        _ => return None,
    };
    let begins = |word: &&String| is(word, Tag::Article) || is_past(word);
    // `clients currently connected`
    let ends = |word: &&String| {
        let relates = is(word, Tag::Preposition) || is(word, Tag::Aside) || is_past(word);
        !relates && !matches!(word.as_str(), "currently" | "s")
    };
    let words = tail.iter().skip_while(begins);
    words.take_while(ends).last()
}

/// Checks whether both the operation id and the summary end with a word that makes another thing of the words
/// before it: `getMetricMetadata` of `/metrics/{name}`.
pub(super) fn is_other_thing(context: &Context<'_>, word: &str) -> bool {
    let word = singular(word);
    let ends = |clause: &Clause| {
        let head = clause.head_noun().map(singular);
        clause.object.len() > 1 && head.as_ref() == Some(&word)
    };
    let reading = context.reading;
    let told = reading.id_clause().is_some_and(ends) && reading.summary_clause().is_some_and(ends);
    matches!(word.as_str(), "metadata" | "request") && told
}

/// Returns the first word of a sentence that has no known verb, if an article follows: `Load a table`.
pub(super) fn unknown_verb(clause: &Clause) -> Option<String> {
    let mut first = words(&clause.quote).into_iter();
    let act = first
        .next()
        .filter(|_| clause.verb.is_none() && !clause.answers);
    let article = first
        .next()
        .is_some_and(|next| is(&next, Tag::Article) && next != "all");
    act.filter(|act| article && !is(act, Tag::Preposition) && !is_plural(act))
}

/// Puts a step that selects nothing after the last one, if the summary relates them in this order: `Get the
/// usage of an account` of `/usage/accounts/{id}`.
pub(crate) fn take_owner(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let [.., thing, owner] = steps.as_mut_slice() else {
        return false;
    };
    let names = |step: &Step| {
        let plain = step.words.iter().all(|word| !is(word, Tag::Preposition));
        step.source == StepSource::Literal && plain && !calls(step) && !is_adjective(step.last())
    };
    let free = context.reading.path.call.is_empty() && !thing.is_item();
    let Some(clause) = context.reading.summary_clause() else {
        return false;
    };
    if !free || !names(thing) || !names(owner) || !has_owner(clause, thing, owner) {
        return false;
    }
    let one = clause.head_noun().is_some_and(|head| !is_plural(head));
    if let Some(last) = thing.words.last_mut().filter(|_| one && !clause.lists) {
        *last = singular(last);
    }
    let of_thing = |key: &String| {
        let own = own_words(key);
        !own.is_empty() && is_like(&thing.words, &own) && !is_like(&owner.words, &own)
    };
    if owner.keys.last().is_some_and(of_thing) {
        thing.keys.append(&mut owner.keys);
    }
    std::mem::swap(thing, owner);
    true
}

/// Checks whether a clause is about a thing of an owner: `the account usage`, `the usage of an account`.
fn has_owner(clause: &Clause, thing: &Step, owner: &Step) -> bool {
    // more words are a description
    const NEAR: usize = 4;
    let told = clause.answers || clause.verb.is_some_and(|at| at.sure);
    let same = |word: &String, step: &Step| is_same(&singular(word), &singular(step.last()));
    let Some((head, before)) = clause.object.split_last() else {
        return false;
    };
    let ends = |word: &&String| !is(word, Tag::Preposition) && !is(word, Tag::Aside);
    let leads = clause.tail.first();
    let leads = leads.is_some_and(|first| matches!(first.as_str(), "for" | "of"));
    let mut tail = clause.tail.iter().skip(1).take(NEAR);
    let other = tail.by_ref().take_while(ends).last();
    let related = leads && other.is_some_and(|other| same(other, owner));
    // `aquifer demand codes` of `aquifer-codes/demand`
    let mut pairs = clause.object.iter().rev().zip(thing.words.iter().rev());
    let whole = pairs.all(|(a, b)| is_same(&singular(a), &singular(b)));
    let owned = whole && before.iter().any(|word| same(word, owner));
    told && same(head, thing) && !same(head, owner) && (related || owned)
}

/// Takes the plural that the summary lists in place of a singular: `Get the timeline items` of `/timeline`.
/// If the summary does not have the singular before it, the plural is that of the elements' schema.
pub(crate) fn take_listed(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    const MORE: usize = 2;
    const NO_THING: [Tag; 4] = [Tag::Hollow, Tag::Itself, Tag::State, Tag::Single];
    // `media resources`: words that name no other thing
    const EMPTY: [&str; 4] = ["instance", "model", "object", "record"];
    let Some(clause) = context.reading.summary_clause() else {
        return false;
    };
    let gets = clause.answers || clause.has_verb("get") || clause.has_verb("list");
    let facts = context.reading.facts;
    let shape = facts.success().map(|answer| answer.shape);
    let lists = gets && facts.method == Method::Get && shape != Some(AnswerShape::Object);
    let head = clause.head_noun().filter(|head| is_plural(head));
    let (Some(head), Some(last)) = (head, steps.last_mut()) else {
        return false;
    };
    let one = last.source == StepSource::Literal && !last.is_item() && !last.is_many();
    let named = one && !is_adjective(last.last()) && !calls(last) && !is(last.last(), Tag::State);
    let item = singular(head);
    let empty = NO_THING.iter().any(|tag| is(head, *tag) || is(&item, *tag));
    if !lists || !named || empty || EMPTY.contains(&item.as_str()) {
        return false;
    }
    let at = clause.object.iter().position(|word| word == last.last());
    let rest = at.and_then(|at| clause.object.get(at + 1..));
    let plain = |word: &String| verb(word).is_none() && !is(word, Tag::Conjunction);
    if let Some(rest) = rest.filter(|rest| (1..=MORE).contains(&rest.len())) {
        let takes = rest.iter().all(plain);
        last.words.extend(rest.iter().filter(|_| takes).cloned());
        return takes;
    }
    let element = facts.schemas.element.as_deref().and_then(schema_noun);
    // `members`, which are users
    let told = element.is_some_and(|element| element == item) && !is(&item, Tag::Caller);
    let new = !steps.iter().any(|step| has_like(&step.words, &item));
    if told && new {
        steps.push(Step::from_words(vec![head.to_owned()]));
    }
    told && new
}

/// Removes steps at the end that only filter, if a text names the step before them: a parameter, and
/// a literal that is the label of one, as in `/customers/internal/{internalId}`.
pub(crate) fn drop_filters(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    // `products/category/{id}/count`
    let called = |last: &mut Step| calls(last) && last.keys.is_empty() && last.words.len() == 1;
    if steps.len() > 2
        && let Some(call) = steps.pop_if(called)
    {
        let drops = drop_filters(context, steps);
        steps.push(call);
        return drops;
    }
    let is_head = |step: &Step| {
        let mut heads = context.reading.clauses().filter_map(Clause::head_noun);
        heads.any(|head| singular(head) == singular(step.last()))
    };
    let mut count = 0;
    let mut label = None;
    for (at, step) in steps.iter().enumerate().rev() {
        let free = at.checked_sub(1).and_then(|before| steps.get(before));
        // `runs/route/{route_id}/route_type/{route_type}`
        let free = free.is_some_and(|before| !before.is_item() || is_label(before));
        match step.source {
            StepSource::Parameter => {}
            _ if free
                && (is_label(step) || is_told_label(context, step))
                && filters(context, steps, at) =>
            {
                label = Some(step.words.clone());
            }
            _ => break,
        }
        count += 1;
    }
    let Some(at) = steps.len().checked_sub(count + 1) else {
        return false;
    };
    let (before, filters) = steps.split_at(at + 1);
    let named = before.last().is_some_and(is_head) && !filters.iter().any(is_head);
    let named = named && !(label.is_some() && before.last().is_some_and(Step::is_item));
    if count == 0 || !named {
        return false;
    }
    let keys: Vec<String> = filters.iter().flat_map(|step| step.keys.clone()).collect();
    steps.truncate(at + 1);
    let Some(last) = steps.last_mut() else {
        return false;
    };
    if let Some(label) = label {
        last.words.push("by".to_owned());
        last.words.extend(label.iter().map(|word| singular(word)));
        last.keys.extend(keys);
    } else if !last.is_many() {
        last.keys.extend(keys);
    }
    true
}

/// Takes a last parameter that identifies another thing, which a text names, as a step of its own:
/// `Update a segment` of `/shipments/{shipmentId}/{segmentId}`.
pub(crate) fn take_part(context: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let literal = |step: &&mut Step| {
        let thing = step.source == StepSource::Literal && !is_adjective(step.last());
        thing && step.keys.len() > 1
    };
    let Some(last) = steps.last_mut().filter(literal) else {
        return false;
    };
    let own = last.keys.last().map(|key| own_words(key));
    let own = own.unwrap_or_default();
    let Some(head) = own.last().map(|head| singular(head)) else {
        return false;
    };
    let leads = |at: VerbAt| at.sure && at.place == VerbPlace::Head;
    let names = |clause: &Clause| {
        let told = clause.answers || clause.verb.is_some_and(leads);
        // `a segment details`
        let mut object = clause.object.iter().rev();
        let named = object.find(|word| !is(word, Tag::Hollow)) == Some(&head);
        told && named && !has(&clause.object, last.last())
    };
    if is_like(&last.words, &own) || !context.reading.clauses().any(names) {
        return false;
    }
    let keys = last.keys.pop().into_iter().collect();
    steps.push(Step {
        keys,
        ..Step::from_words(own)
    });
    true
}

/// Removes `id` before a key: `users/id/{id}`. If the key identifies another thing than the step before
/// does, that thing takes its place: `geo/id/{place_id}`.
pub(crate) fn drop_identifiers(_: &Context<'_>, steps: &mut Vec<Step>) -> bool {
    let named = name_letters(steps);
    drop_marks(steps) || named
}

fn drop_marks(steps: &mut Vec<Step>) -> bool {
    let marks = |step: &Step| {
        let only = |only: &String| is(only, Tag::Identifier) && only != "key";
        let mark = matches!(step.words.as_slice(), [word] if only(word));
        mark && step.source == StepSource::Literal && step.keys.last().is_some_and(|key| is_id(key))
    };
    let Some(at) = steps.iter().position(marks) else {
        return false;
    };
    let (before, rest) = steps.split_at_mut(at);
    let Some(mark) = rest.first_mut() else {
        return false;
    };
    let own = mark.keys.last().map(|key| own_words(key));
    let own = own.unwrap_or_default();
    match before.last_mut() {
        Some(before) if before.is_item() || calls(before) => return false,
        Some(before) if is_like(&before.words, &own) => {
            before.keys.append(&mut mark.keys);
            steps.remove(at);
        }
        _ if own.is_empty() => mark.source = StepSource::Parameter,
        _ => mark.words = own,
    }
    true
}

/// Names a step of one letter by its key: `u/{username}`. The same holds for `actions` before a call:
/// `actions/{deviceId}/remove`.
fn name_letters(steps: &mut [Step]) -> bool {
    let count = steps.len();
    let called = steps
        .last()
        .is_some_and(|last| last.keys.is_empty() && calls(last));
    let mut named = false;
    for (at, step) in steps.iter_mut().enumerate() {
        let ([only], [key]) = (step.words.as_slice(), step.keys.as_slice()) else {
            continue;
        };
        let action = called && at + 2 == count && singular(only) == "action";
        let mut own = own_words(key);
        if own.is_empty() && !is_id(key) {
            own = words(key);
        }
        let letter = only.len() == 1 && step.source == StepSource::Literal;
        let tells = own
            .iter()
            .any(|word| word.len() > 1 && verb(word).is_none());
        let other = action && !is_like(&step.words, &own);
        if !tells || !(letter || other) {
            continue;
        }
        if let Some(user) = own.last_mut().filter(|last| *last == "username") {
            "user".clone_into(user);
        }
        step.words = own;
        named = true;
    }
    named
}

/// Checks whether a plural before a parameter filters the thing before it, as a text shows: `List the
/// payments of an account` of `/payments/accounts/{account}`.
fn filters(context: &Context<'_>, steps: &[Step], at: usize) -> bool {
    let (Some(step), Some(thing)) = (steps.get(at), steps.get(at.wrapping_sub(1))) else {
        return false;
    };
    let (label, thing) = (singular(step.last()), singular(thing.last()));
    let related = |clause: &Clause| clause.tail.iter().any(|word| singular(word) == label);
    let beside = |pair: &[String]| {
        let pair: Vec<String> = pair.iter().map(|word| singular(word)).collect();
        pair.contains(&label) && pair.contains(&thing)
    };
    let phrase = |words: &[String]| words.windows(2).any(beside);
    let named = phrase(&context.id) || phrase(&context.text);
    !step.is_many() || context.reading.clauses().any(related) && !named
}

/// Checks whether the summary has a step after `by`: `games/dates/{day}` with `Get the games by date`.
fn is_told_label(context: &Context<'_>, step: &Step) -> bool {
    const NEAR: usize = 4;
    let Some(clause) = context.reading.summary_clause() else {
        return false;
    };
    let by = clause.tail.first().is_some_and(|first| first == "by");
    let mut words = clause.tail.iter().skip(1).take(NEAR);
    let one = singular(step.last());
    let literal = step.source == StepSource::Literal && step.keys.len() == 1 && !calls(step);
    literal && by && words.any(|word| singular(word) == one)
}

/// Checks whether a step is a call.
pub(super) fn calls(step: &Step) -> bool {
    let clause = Clause::of_name(step.words.clone(), "");
    clause.tool_verb().is_some()
}

/// Checks whether a step is the label of the parameter after it: `type/{types}`.
fn is_label(step: &Step) -> bool {
    let key = step.keys.last().map(|key| words(key)).unwrap_or_default();
    step.source == StepSource::Literal
        && step.keys.len() == 1
        && !calls(step)
        && !is(step.last(), Tag::Paging)
        && step.words.iter().all(|word| has(&key, word))
}
