//! Calls: paths that name the action, not only its object.

use toolwright_model::{Kind, Method};

use super::{
    VerbChoice, by_shape,
    deed::verb_of_agent,
    number::lists,
    text::{creates_or_updates, moved_by_call},
};
use crate::{
    language::{
        clause::{Clause, VerbAt, VerbPlace},
        is_plural, plural,
        reading::{
            Step, StepSource,
            parameter::{is_like, own_words},
        },
        singular,
        vocabulary::{Certainty, Tag, is, is_past, verb as verb_of, verb_form},
        words,
    },
    naming::{
        adjectives::is_adjective,
        context::Context,
        noun::{Number, has_plural},
        told::same,
    },
};

/// `documents.info`, `{name}:cancel`: the path spells the call out.
pub(crate) fn spelt_out(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let words = &context.reading.path.call;
    let clause = Clause::of_name(words.clone(), "");
    let verb = clause.verb?.verb.tool.filter(|_| is_spelt_out(words))?;
    if !fits(context.kind, clause.verb?) {
        return None;
    }
    let mut steps = steps.to_vec();
    // `documents.add_user`: to one document
    let last = steps.last_mut().filter(|step| !step.is_item());
    if let Some(last) = last.filter(|_| !clause.object.is_empty() && !clause.many) {
        last.keys.push("id".to_owned());
    }
    let choice = VerbChoice {
        all: clause.all,
        ..VerbChoice::new(context, verb, steps.clone(), &clause)
    };
    // `documents.update` is done to one document
    let many = clause.many || is(verb, Tag::OfMany) && !steps.last().is_some_and(Step::is_item);
    let number = if many { choice.number } else { Number::One };
    let choice = VerbChoice { number, ..choice };
    // `PollForJobs`
    let object = match clause.object {
        object if object.is_empty() => clause.tail.into_iter().skip(1).collect(),
        object => object,
    };
    Some(choice.with_object(object))
}

/// Checks whether the words after a full stop or a colon are a call, and not a thing.
pub(crate) fn is_spelt_out(words: &[String]) -> bool {
    let clause = Clause::of_name(words.to_vec(), "");
    let thing = |at: VerbAt| !at.sure && clause.head_noun().is_some_and(is_plural);
    clause
        .verb
        .is_some_and(|at| at.verb.tool.is_some() && !thing(at))
}

/// `/items/{id}/archive`, `/keys/rotate/{name}`: the last step is a call.
pub(crate) fn last_step(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    mark(context, steps).or_else(|| call(context, steps))
}

/// `POST /events/{id}/read`: what changes something by `read` marks it as read, if it does so to one item or a text has
/// the word.
fn mark(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let (last, before) = steps.split_last()?;
    let method = context.reading.facts.method;
    let changes = context.kind > Kind::Derive && !method.is_safe() && method != Method::Delete;
    let is_read =
        last.source == StepSource::Literal && last.keys.is_empty() && last.words == ["read"];
    if !changes || !is_read {
        return None;
    }
    let texts = context.reading.facts.texts();
    let mut words = texts.chain([context.reading.id_text]).flat_map(words);
    let mut told =
        || words.any(|word| verb_form(&word).is_some_and(|(verb, _)| verb.base == "mark"));
    if !before.last().is_some_and(Step::is_item) && !told() {
        return None;
    }
    let clause = Clause::of_name(last.words.clone(), "");
    let choice = VerbChoice::new(context, "mark", before.to_vec(), &clause);
    Some(choice.with_object(last.words.clone()))
}

/// Chooses the verb of the last step if it is a call.
fn call(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let (last, before) = steps.split_last()?;
    let clause = Clause::of_name(last.words.clone(), "");
    let verb = clause.verb?.verb.tool?;
    if !is_call(context, before, last, &clause) {
        return None;
    }
    let mut steps = before.to_vec();
    let mut object = [clause.topic.as_slice(), clause.object.as_slice()].concat();
    // `category-list`, `device_count`, `package_search`
    if clause.object.is_empty() && is_of_many(context, verb, &object) {
        let last = object.last_mut().filter(|last| has_plural(last));
        last.into_iter().for_each(|last| *last = plural(last));
    }
    match steps.last_mut().filter(|_| object.is_empty()) {
        // `definitions/list_for_workspace`
        Some(step) => step.words.extend(clause.tail.iter().cloned()),
        None if !object.is_empty() => object.extend(clause.tail.iter().cloned()),
        None => object = clause.tail.iter().skip(1).cloned().collect(),
    }
    if object.is_empty() {
        object = select(verb, &mut steps, last);
    }
    if object.is_empty() && clause.tail.is_empty() {
        object = told(context, verb, &steps);
    }
    if object.is_empty() && clause.tail.is_empty() {
        object = moved_by_call(context, verb, &steps);
    }
    let mut described = None;
    if let Some(step) = steps.last_mut().filter(|step| describes(&object, step)) {
        // `definitions/list_private`
        object.retain(|word| !is(word, Tag::Many));
        step.words.splice(0..0, object.drain(..));
        let last = step.words.last_mut();
        last.into_iter().for_each(|last| *last = plural(last));
        described = Some(step.clone());
    }
    let object = as_told(context, verb, object);
    let things =
        described.or_else(|| (!object.is_empty()).then(|| Step::from_words(object.clone())));
    let verb = match verb {
        _ if creates_or_updates(&clause) => "upsert",
        "get" if things.is_some_and(|things| lists_things(context, &things)) => "list",
        verb => verb,
    };
    let choice = VerbChoice {
        all: clause.all,
        ..VerbChoice::new(context, verb, steps, &clause)
    };
    Some(choice.with_object(object))
}

/// Checks whether the words before the verb of a step are many things. What is searched has its plural in
/// a text.
fn is_of_many(context: &Context<'_>, verb: &str, things: &[String]) -> bool {
    let many = things.last().map(|last| plural(last));
    let told = |clause: &Clause| {
        many.as_ref()
            .is_some_and(|many| clause.object.contains(many))
    };
    match verb {
        "search" => context.reading.clauses().any(told),
        verb => matches!(verb, "count" | "list"),
    }
}

/// Checks whether words only describe the things of a step before them: `definitions/list_private`.
fn describes(words: &[String], step: &Step) -> bool {
    let adjective = |word: &String| is(word, Tag::Many) || is_adjective(word);
    let things = step.source == StepSource::Literal && !step.is_item();
    things && !words.is_empty() && words.iter().all(adjective)
}

/// Returns the object of a call as the operation id or the summary has it, if that has more words
/// before it: `accessToken` of `requestToken`.
fn as_told(context: &Context<'_>, verb: &str, object: Vec<String>) -> Vec<String> {
    const MORE: usize = 2;
    let longer = |clause: &&Clause| {
        let told = &clause.object;
        let more = told.len().checked_sub(object.len());
        let rest = more.and_then(|more| told.get(more..));
        let plain = |word: &String| !is(word, Tag::Conjunction) && verb_of(word).is_none();
        clause.has_verb(verb)
            && more.is_some_and(|more| (1..=MORE).contains(&more))
            && rest.is_some_and(|rest| same(rest, &object))
            && told.iter().all(plain)
    };
    if object.is_empty() {
        return object;
    }
    let Some(clause) = context.reading.clauses().find(longer) else {
        return object;
    };
    let own = context.service.as_str();
    let words = clause.object.iter().skip_while(|word| *word == own);
    words.cloned().collect()
}

/// Checks whether a call that gets things lists them: `getUsers`, unless it answers one object.
fn lists_things(context: &Context<'_>, thing: &Step) -> bool {
    let many = thing.is_many() && !is(thing.last(), Tag::Single);
    many && lists(context, std::slice::from_ref(thing))
}

/// Returns what the summary does it to, if the path only has a topic: `Revoke an access token` of
/// `/oauth/revoke`.
fn told(context: &Context<'_>, verb: &str, steps: &[Step]) -> Vec<String> {
    const MOST: usize = 3;
    let topic = |step: &Step| !step.is_item() && !step.is_many();
    let own = |clause: &&Clause| clause.has_verb(verb) && clause.object.len() <= MOST;
    let clause = context.reading.summary_clause().filter(own);
    let (Some(clause), [only]) = (clause, steps) else {
        return Vec::new();
    };
    let known = |word: &String| only.words.iter().any(|own| singular(own) == singular(word));
    let basic = is(verb, Tag::OfMany) || is(verb, Tag::Basic);
    if basic || !topic(only) || clause.object.iter().any(known) {
        return Vec::new();
    }
    // `auth` and `authentication credentials`
    let new = |word: &&String| !only.words.iter().any(|own| word.starts_with(own));
    let part = |word: &&String| word.as_str() != "service";
    let object = clause
        .object
        .iter()
        .take_while(|word| !is(word, Tag::Conjunction));
    object.filter(new).filter(part).cloned().collect()
}

/// Gives the keys of a call to the step whose item they select. Returns the object of the call, if the
/// key names it.
fn select(verb: &str, steps: &mut [Step], call: &Step) -> Vec<String> {
    let Some(key) = call.keys.first() else {
        return Vec::new();
    };
    let own = own_words(key);
    let selected = |step: &Step| {
        !step.is_item() && (is_like(&step.words, &own) || own.is_empty() && step.is_many())
    };
    // `orders/cancel/{id}`: one of the orders
    let at = steps.iter().rposition(selected);
    if let Some(step) = at.and_then(|at| steps.get_mut(at)) {
        step.keys.clone_from(&call.keys);
        return Vec::new();
    }
    let lists = is(verb, Tag::OfMany) && !matches!(verb, "query" | "search");
    match steps.last_mut().filter(|_| !lists) {
        Some(step) => {
            step.filters.clone_from(&call.keys);
            Vec::new()
        }
        None => own,
    }
}

/// Checks whether a step is what is done to the steps before it.
fn is_call(context: &Context<'_>, before: &[Step], step: &Step, clause: &Clause) -> bool {
    let Some(at) = clause.verb.filter(|_| step.source == StepSource::Literal) else {
        return false;
    };
    if !fits(context.kind, at) || at.place == VerbPlace::Inner {
        return false;
    }
    let verb = at.verb.base;
    let safe = context.reading.facts.method.is_safe();
    // `setChatTitle`
    let sets = verb == "set" && at.place == VerbPlace::Head && step.keys.is_empty() && !safe;
    let plain = at.sure || sets;
    // `schedule-payments/{id}`
    let noun = !plain && at.place == VerbPlace::Head && !step.keys.is_empty();
    let agrees = context.agrees(at) && (!noun || context.is_surely(at));
    // `report_templates`
    let states = clause.object.first().is_some_and(|first| is_past(first));
    let thing = !plain && (clause.head_noun().is_some_and(is_plural) && !agrees || states);
    let of_parent = at.place == VerbPlace::Whole && selects_parent(before, step);
    let sure = plain || agrees || of_parent || step.keys.is_empty();
    if thing || !sure {
        return false;
    }
    let other = context.others(at).next();
    let asks = is(verb, Tag::OfMany) && step.keys.is_empty();
    // `search_application` of `Get search application stats`
    let asked = asks && at.place != VerbPlace::Head;
    let named = !asked && is_thing_of_others(context, at, agrees);
    let reads = at.verb.reads() || !context.reads();
    let of_item = before.last().is_some_and(Step::is_item);
    if safe && !at.verb.reads() && !context.is_surely(at) {
        return false;
    }
    let whole = at.place == VerbPlace::Whole;
    let told = verb == "query" && context.others(at).any(|other| is_named(other, at));
    let many = before.last().is_some_and(Step::is_many);
    let reads_many = safe || context.kind <= Kind::Derive && gets_alike(context, at);
    if reads_many && asks && whole && !told && (many || verb == "search") {
        return true;
    }
    // `getFileDownload` of `files/{id}/download`
    if safe && whole && of_item && verb == "download" {
        return true;
    }
    match context.reading.facts.method {
        // `DELETE /logout`
        Method::Delete => {
            agrees && (at.verb.kind == Kind::Delete || is(verb, Tag::Undo) && context.is_twice(at))
        }
        _ if context.is_summary_of(at) => true,
        _ if agrees && !named => true,
        _ if of_parent && !safe => !at.verb.reads() && other.is_none(),
        _ if !step.keys.is_empty() && step.is_many() => false,
        method if method.is_safe() => {
            let placed = at.place != VerbPlace::Tail || is_sought(context, verb, clause);
            plain && reads && !named && !context.says_more(at) && placed
                || whole && !before.is_empty() && context.is_silent()
        }
        _ if plain && at.place == VerbPlace::Tail => verb != "list" && other.is_none(),
        _ if plain => !named,
        _ if has_object(at, clause) && other.is_none() && !context.is_silent() => !named,
        _ if of_item && !at.verb.reads() => {
            let told = |clause: &Clause| clause.tail.iter().any(|word| word == verb);
            whole && !named && !context.others(at).any(told)
        }
        _ => whole && other.is_none() && (at.verb.reads() || clause.all),
    }
}

/// Checks whether the texts with another verb only get what this verb finds: `get_orders_by_query` of
/// `orders/query`.
fn gets_alike(context: &Context<'_>, at: VerbAt) -> bool {
    let gets = |other: VerbAt| other.verb.reads() && is(other.verb.base, Tag::Basic);
    let mut others = context.others(at);
    others.all(|clause| clause.answers || clause.verb.is_some_and(gets))
}

/// Checks whether the key of a call selects an item of the step before it: `deployment/pause/{deploymentId}`.
fn selects_parent(before: &[Step], step: &Step) -> bool {
    let own = step.keys.last().map(|key| own_words(key));
    let free = |thing: &&Step| !thing.is_item() && thing.source == StepSource::Literal;
    let Some((own, thing)) = own.zip(before.last().filter(free)) else {
        return false;
    };
    let like = |words: &[String]| !own.is_empty() && is_like(words, &own);
    like(&thing.words) && !like(&step.words) || own.is_empty() && thing.is_many()
}

/// Checks whether a clause with another verb is about what the verb would do. If no clause has the verb, its
/// topic counts too: `push_notifications` of `push_notifications_create`.
fn is_thing_of_others(context: &Context<'_>, at: VerbAt, agrees: bool) -> bool {
    let leads = !agrees && at.place == VerbPlace::Head;
    let topic = |other: &Clause| leads && has_word(&other.topic, at);
    let mut others = context.others(at);
    others.any(|other| is_named(other, at) || topic(other))
}

/// Checks whether a step searches or lists the things before its verb, as a text shows: `package_search`
/// with `Find packages`, `category-list` with `Return the categories`.
fn is_sought(context: &Context<'_>, verb: &str, clause: &Clause) -> bool {
    let things = clause.topic.last().map(|topic| plural(topic));
    let told = |things: &String| {
        let mut clauses = context.reading.clauses();
        clauses.any(|clause| clause.object.contains(things))
    };
    matches!(verb, "list" | "search") && things.is_some_and(|things| told(&things))
}

/// Checks whether a noun at the start is a verb, as its object shows: `check_radius_server`, but not
/// `rank-submit`.
fn has_object(at: VerbAt, clause: &Clause) -> bool {
    let noun = |word: &String| verb_of(word).is_none();
    let leads = at.verb.certainty == Certainty::AlsoNoun && at.place == VerbPlace::Head;
    leads && clause.object.iter().all(noun)
}

/// Checks whether a clause is about what the verb would do: `Create an export` about `export`.
pub(super) fn is_named(clause: &Clause, verb: VerbAt) -> bool {
    has_word(&clause.object, verb)
}

/// Checks whether words have a verb as a noun.
fn has_word(words: &[String], verb: VerbAt) -> bool {
    let mut words = words.iter();
    words.any(|word| word == verb.verb.base || singular(word) == verb.verb.base)
}

/// Checks whether a verb does as much as the operation: an operation that reads has no verb that
/// changes something.
fn fits(kind: Kind, at: VerbAt) -> bool {
    at.verb.reads() || kind > Kind::Derive
}

/// `POST /license-validator`: the path ends in a tool, which works.
pub(crate) fn agent(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let (last, before) = steps.split_last()?;
    let (agent, rest) = last.words.split_last()?;
    let verb = verb_of_agent(agent)?;
    // `Create a parser`
    let thing = |clause: &Clause| {
        let told = |word: &String| singular(word) == *agent;
        clause.object.iter().any(told) && clause.verb.is_some()
    };
    let works = context.reading.facts.method == Method::Post
        && last.source == StepSource::Literal
        && last.keys.is_empty()
        && !context.reading.clauses().any(thing);
    if !works || rest.is_empty() && before.is_empty() {
        return None;
    }
    let mut steps = before.to_vec();
    if !rest.is_empty() {
        steps.push(Step::from_words(rest.to_vec()));
    }
    let number = Number::AsWritten;
    let choice = VerbChoice::new(context, verb, steps, &Clause::default());
    Some(VerbChoice { number, ..choice })
}

/// `/search/users`, `POST /validate/job`: a step before the thing is the verb.
pub(crate) fn leading_step(context: &Context<'_>, steps: &[Step]) -> Option<VerbChoice> {
    let (_, before) = steps.split_last()?;
    let (at, verb) = before.iter().enumerate().find_map(|(at, step)| {
        let clause = Clause::of_name(step.words.clone(), "");
        let verb = clause.verb.filter(|verb| verb.place == VerbPlace::Whole)?;
        let silent = context.is_silent() && verb.sure && !context.reading.facts.method.is_safe();
        let free = step.keys.is_empty() && step.source == StepSource::Literal;
        let noun = verb.verb.certainty == Certainty::AlsoNoun;
        let safe = context.reading.facts.method.is_safe();
        let sure = !(noun && safe) || context.is_surely(verb);
        let agrees = sure && context.agrees(verb) && !context.says_other(verb) || silent;
        (free && agrees && fits(context.kind, verb)).then_some((at, verb.verb.tool?))
    })?;
    let mut steps = steps.to_vec();
    steps.remove(at);
    if matches!(verb, "get" | "list") {
        return Some(by_shape(context, steps));
    }
    Some(VerbChoice::new(context, verb, steps, &Clause::default()))
}
