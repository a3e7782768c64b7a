//! Decides if one thing or many are meant.

use toolwright_model::{Kind, Method};

use crate::{
    language::{
        clause::Clause,
        facts::AnswerShape,
        is_plural, plural,
        reading::{
            Step, StepSource,
            parameter::{bears_name, own_words},
        },
        singular,
        vocabulary::{Tag, any, is},
        words,
    },
    naming::{context::Context, noun::Number, shape::is_bulk},
};

/// Checks whether a parameter identifies something else than the items, so that it may select many:
/// `games/{date}`.
pub(super) fn is_of_others(step: &Step) -> bool {
    // `tags/{resourceArn}`
    let anything = |key: &str| {
        let words = words(key);
        words.len() > 1 && words.first().is_some_and(|first| is(first, Tag::Anything))
    };
    let told = |key: &String| !own_words(key).is_empty() || anything(key);
    let other = |key: &String| !bears_name(&step.words, key) && told(key);
    step.source == StepSource::Literal && step.keys.last().is_some_and(other)
}

/// Checks whether all texts with a verb have the plural of a step: `deleteDevices` of
/// `/devices/{systemKey}`.
pub(super) fn is_told_many(context: &Context<'_>, step: &Step) -> bool {
    let mut clauses = context
        .reading
        .clauses()
        .filter(|clause| clause.verb.is_some())
        .peekable();
    clauses.peek().is_some() && clauses.all(|clause| is_plural_of(clause, step))
}

/// Checks whether the summary gets one of the things of a step: `Retrieve a report` of `/reports`.
fn is_told_one(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        let head = clause.head_noun().unwrap_or_default();
        clause.indefinite && head != step.last() && head == singular(step.last())
    };
    context.reading.summary_clause().is_some_and(one)
}

/// Checks whether both the operation id and the summary get the one thing of a step: `Get the stock
/// report` and `getStockReport` of `/reports/stock`.
pub(super) fn is_named_one(context: &Context<'_>, step: &Step) -> bool {
    let one = |clause: &Clause| {
        let gets = clause.verb.is_some_and(|at| at.verb.tool == Some("get"));
        let head = clause.head_noun().unwrap_or_default();
        gets && !clause.lists && !is_plural(head) && head == singular(step.last())
    };
    let mut clauses = context.reading.clauses();
    context.reading.clauses().count() > 1 && clauses.all(one)
}

/// Checks whether the object of a clause is the plural of a step.
fn is_plural_of(clause: &Clause, step: &Step) -> bool {
    let same = |head: &str| is_plural(head) && head == plural(step.last());
    clause.head_noun().is_some_and(same)
}

/// Returns the number of what a verb is done to.
pub(super) fn number(context: &Context<'_>, verb: &str, steps: &[Step], clause: &Clause) -> Number {
    let Some(step) = steps.last() else {
        return Number::AsWritten;
    };
    let bulk = context.reading.path.steps.iter().skip(1).any(is_bulk);
    if (clause.many || bulk) && !clause.all && !step.is_item() {
        return Number::Many;
    }
    if step.is_item() {
        return match step.source {
            StepSource::Parameter => Number::AsWritten,
            _ if is_of_others(step) && is_told_many(context, step) => Number::Many,
            _ => Number::One,
        };
    }
    if is(verb, Tag::OfMany) {
        return Number::Many;
    }
    let summary = context.reading.summary_clause().into_iter();
    let told = summary
        .chain(context.reading.id_clause())
        .find_map(|clause| {
            let head = clause.head_noun()?;
            let same = singular(head) == singular(step.last());
            // `postItems` repeats the method
            let told = clause.verb.is_some_and(|at| !is_of_method(at.verb.base));
            (same && told).then(|| is_plural(head) || clause.lists)
        });
    let posts = context.reading.facts.method == Method::Post && context.kind > Kind::Derive;
    match told {
        Some(false) => Number::One,
        Some(true) => Number::Many,
        None if posts
            && (context.kind == Kind::Create || verb == "create" || clause.indefinite) =>
        {
            Number::One
        }
        None if takes_one(context, step) => Number::One,
        None => Number::AsWritten,
    }
}

/// Checks whether a verb is the word of a method.
fn is_of_method(verb: &str) -> bool {
    matches!(verb, "patch" | "post" | "put")
}

/// Checks whether the schema of the body has the name of one of the things of a step.
fn takes_one(context: &Context<'_>, step: &Step) -> bool {
    let one = singular(step.last());
    let schema = context.reading.facts.schemas.body.as_deref();
    let schema = words(schema.unwrap_or_default());
    !context.reading.facts.method.is_safe()
        && step.is_many()
        && schema.contains(&one)
        && !schema.iter().any(|word| word == step.last())
}

/// Checks whether a request lists things: by a plural in the path, an array in the answer, the words of
/// the operation id or the summary, or parameters for paging.
pub(super) fn lists(context: &Context<'_>, steps: &[Step]) -> bool {
    let facts = context.reading.facts;
    let shape = facts
        .success()
        .map_or(AnswerShape::Unknown, |answer| answer.shape);
    let told = context.reading.clauses().any(|clause| {
        clause.verb.is_some_and(|at| at.verb.tool == Some("list")) || clause.all || clause.lists
    });
    let Some(step) = steps.last() else {
        return told || shape == AnswerShape::Array;
    };
    let heads = context
        .reading
        .clauses()
        .any(|clause| is_plural_of(clause, step));
    let many = heads && !is(step.last(), Tag::Single);
    // `users/by-group/{group}`
    if any(&step.words, Tag::Preposition) && step.is_item() {
        return told;
    }
    if step.is_item() {
        return is_of_others(step) && (told || heads && facts.answers_list());
    }
    if is(step.last(), Tag::Single) {
        return told;
    }
    let mut parameters = facts.query_parameters.iter();
    let mut pages = || parameters.any(|query| is_paging(&query.name));
    match shape {
        AnswerShape::Array => step.is_many() || !is_named_one(context, step),
        _ if is_named_one(context, step) => false,
        AnswerShape::Scalar => step.is_many() && many,
        AnswerShape::Object => told || step.is_many() && many,
        AnswerShape::Unknown if is_told_one(context, step) => false,
        AnswerShape::ObjectWithList => told || step.is_many() || many || pages(),
        AnswerShape::Unknown => told || step.is_many() || many,
    }
}

/// Checks whether a query parameter selects a page, in any spelling.
fn is_paging(name: &str) -> bool {
    is(&words(name).concat(), Tag::Paging)
}
