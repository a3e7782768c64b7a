//! Evidence of the end of a path, beyond its verb: it adds a remark, acts on an existing resource,
//! or authenticates a user.

use toolwright_model::{EvidenceSource, Kind, Method};

use super::call::{self, called};
use super::command::without_ending;
use super::names::last_part;
use super::objects;
use super::phrase::{Phrase, is_version};
use super::signal::{Signal, SignalPlace};
use crate::language::{
    WordList,
    facts::OperationFacts,
    is_plural, singular,
    vocabulary::{Certainty, verb},
    words,
};

/// Segments that describe the manner of an action, not the action.
static MANNERS: WordList = WordList::new("async batch bulk continue multi multiple next");

/// Segments below which one is who one is let in as.
static AUTHENTICATION: WordList =
    WordList::new("auth authentication login oauth oauth2 saml signin sso");

/// Returns the evidence of a POST's path beyond its verb.
pub(crate) fn beyond(facts: &OperationFacts) -> Vec<Signal> {
    let Some(action) = action_of(&facts.path).filter(|_| facts.method == Method::Post) else {
        return Vec::new();
    };
    [
        remark(facts, action),
        acts(facts, action),
        keeps(facts, action),
        authenticates(facts, action),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the evidence that a POST adds a remark: `POST /items/{id}/comments`, `/comments.create`.
fn remark(facts: &OperationFacts, action: &str) -> Option<Signal> {
    let (before, last) = last_part(action);
    let to_something = ends_in(&facts.path, action) && !facts.path_parameters.is_empty();
    let called = verb(last).is_some_and(|verb| verb.kind == Kind::Create);
    let of_remarks = |name: &str| {
        words(name)
            .last()
            .is_some_and(|word| objects::is_remark(&singular(word)))
    };
    let adds = to_something && of_remarks(last) || called && of_remarks(before);
    adds.then(|| {
        Signal::new(
            EvidenceSource::Path,
            format!("`…/{action}`"),
            Kind::Annotate,
            SignalPlace::Whole,
        )
    })
}

/// Returns the evidence that a POST without a body acts on the resource of its path, possibly by
/// storing a result: `POST /invoices/{id}/validate`.
fn acts(facts: &OperationFacts, action: &str) -> Option<Signal> {
    let (_, last) = last_part(action);
    let derives = words(last)
        .first()
        .and_then(|word| verb(word))
        .is_some_and(|verb| verb.kind == Kind::Derive);
    let before = call::bare(&facts.path)
        .strip_suffix(action)?
        .trim_end_matches(['/', ':']);
    let acts = facts.body.is_none() && before.ends_with('}');
    (derives && acts).then(|| {
        let found = format!("`…/{action}` without a body");
        Signal::new(
            EvidenceSource::Path,
            found,
            Kind::Action,
            SignalPlace::Whole,
        )
    })
}

/// Returns the evidence that a POST keeps what it derives, since its path names a collection of that:
/// `POST /contacts/exports`.
fn keeps(facts: &OperationFacts, action: &str) -> Option<Signal> {
    let words = words(last_part(action).1);
    let last = words.last().filter(|last| is_plural(last))?;
    let derives = verb(&singular(last))
        .is_some_and(|verb| verb.kind == Kind::Derive && verb.certainty == Certainty::AlsoNoun);
    let id = facts
        .operation_id
        .as_deref()
        .map(crate::language::words)
        .unwrap_or_default();
    let reads = id
        .iter()
        .filter_map(|word| verb(word))
        .any(|verb| verb.kind == Kind::Read);
    (derives && !reads && words.len() == 1 && ends_in(&facts.path, action)).then(|| {
        let found = format!("`…/{action}` keeps its results");
        Signal::new(
            EvidenceSource::Path,
            found,
            Kind::Action,
            SignalPlace::Whole,
        )
    })
}

/// Returns the evidence that a POST below `auth` gives a power: `POST /auth/portal/{user}`.
fn authenticates(facts: &OperationFacts, action: &str) -> Option<Signal> {
    let below = |segment: &&str| AUTHENTICATION.has(&segment.to_lowercase());
    let segment = call::bare(&facts.path).split('/').find(below)?;
    let phrase = Phrase::read(&words(last_part(action).1));
    let state = phrase
        .words
        .last()
        .is_some_and(|last| objects::is_state_word(last));
    let got = phrase.verbs.is_empty() && !state;
    got.then(|| {
        let found = format!("below `{segment}`");
        Signal::new(
            EvidenceSource::Path,
            found,
            Kind::Action,
            SignalPlace::Whole,
        )
    })
}

/// Returns the last segment of a path that names an action or its object, without a file extension.
pub(crate) fn action_of(path: &str) -> Option<&str> {
    if let Some(called) = called(path) {
        return Some(called);
    }
    let mut literals = call::bare(path)
        .split('/')
        .rev()
        .filter(|segment| !segment.is_empty() && !is_parameter(segment))
        .map(|segment| without_ending(without_arguments(segment)));
    let last = literals.next()?;
    if is_manner(last) {
        return literals.next().or(Some(last));
    }
    Some(last)
}

/// Removes the arguments of a function: `delta(token='{token}')`.
fn without_arguments(segment: &str) -> &str {
    match segment.split_once('(') {
        Some((name, _)) if !name.is_empty() => name,
        _ => segment,
    }
}

/// Checks whether the path ends in this segment.
pub(crate) fn ends_in(path: &str, action: &str) -> bool {
    path.trim_end_matches('/').ends_with(action)
}

/// Checks whether a segment describes the manner of an action: `batch`, `continue_v2`.
fn is_manner(segment: &str) -> bool {
    words(segment)
        .iter()
        .all(|word| MANNERS.has(word) || is_version(word))
}

/// Checks whether a segment is a single parameter.
fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{') && segment.ends_with('}')
}
