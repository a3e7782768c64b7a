//! The evidence of where a path ends, beyond its verb: that a remark is added, that what is there is
//! acted upon, that somebody is let in.

use toolwright_model::{EvidenceSource, Kind, Method};

use super::call::{self, called};
use super::command::without_ending;
use super::names::last_part;
use super::objects;
use super::phrase::{Phrase, is_version};
use super::signal::{Signal, Weight};
use crate::english::lexicon::verb;
use crate::{
    english::{WordList, singular, words},
    facts::OperationFacts,
};

/// Segments that say how something is done, not what.
static MANNERS: WordList = WordList::new("async batch bulk continue multi multiple next");

/// Segments below which one is who one is let in as.
static AUTHENTICATION: WordList =
    WordList::new("auth authentication login oauth oauth2 saml signin sso");

/// What the path of a POST says beyond its verb.
pub(crate) fn beyond(facts: &OperationFacts) -> Vec<Signal> {
    let Some(action) = action_of(&facts.path).filter(|_| facts.method == Method::Post) else {
        return Vec::new();
    };
    [
        remark(facts, action),
        acts(facts, action),
        authenticates(facts, action),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// That a POST adds a remark to something: `POST /items/{id}/comments`, `/comments.create`.
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
            Weight::Weak,
        )
    })
}

/// That a POST without a body does something to what the path names, which may be to keep what is
/// found out: `POST /invoices/{id}/validate`.
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
        Signal::new(EvidenceSource::Path, found, Kind::Action, Weight::Weak)
    })
}

/// That what is got by a POST below `auth` is a power: `POST /auth/portal/{user}`.
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
        Signal::new(EvidenceSource::Path, found, Kind::Action, Weight::Weak)
    })
}

/// The last segment of a path that says what is done, or to what, without a file ending.
pub(crate) fn action_of(path: &str) -> Option<&str> {
    if let Some(called) = called(path) {
        return Some(called);
    }
    let mut literals = call::bare(path)
        .split('/')
        .rev()
        .filter(|segment| !segment.is_empty() && !is_parameter(segment))
        .map(without_ending);
    let last = literals.next()?;
    if is_manner(last) {
        return literals.next().or(Some(last));
    }
    Some(last)
}

/// Whether the path ends in this segment.
pub(crate) fn ends_in(path: &str, action: &str) -> bool {
    path.trim_end_matches('/').ends_with(action)
}

/// Whether a segment says how something is done: `batch`, `continue_v2`.
fn is_manner(segment: &str) -> bool {
    words(segment)
        .iter()
        .all(|word| MANNERS.has(word) || is_version(word))
}

/// Whether a segment is one parameter and nothing else.
fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{') && segment.ends_with('}')
}
