//! Updates that overwrite a power: a secret, or a right.
//!
//! A caller that replaces a password, a key, an owner or a role takes over a right of another user.
//! Such an update therefore needs approval, as a creation does.

use toolwright_model::{EvidenceSource, Kind};

use super::names::{last_part, with_base, without_method};
use super::objects;
use super::path::action_of;
use super::phrase::Phrase;
use super::sentence;
use super::signal::{Signal, SignalPlace};
use crate::language::prose::{quote, sentences, without_markup};
use crate::language::{facts::OperationFacts, words};

/// Returns the evidence that an update overwrites a power.
pub(crate) fn overwritten(facts: &OperationFacts) -> Vec<Signal> {
    let signals = [path(facts), operation_id(facts), summary(facts)];
    signals.into_iter().flatten().chain(body(facts)).collect()
}

/// The last step of the path names a power: `/users/{id}/password`.
fn path(facts: &OperationFacts) -> Option<Signal> {
    let action = action_of(&facts.path)?;
    let (before, last) = last_part(action);
    let named = objects::ends_in_power(&words(last)) || objects::ends_in_power(&words(before));
    named.then(|| signal(EvidenceSource::Path, format!("`…/{action}`")))
}

/// The operation id ends in a power: `update-shop-item-owner`.
fn operation_id(facts: &OperationFacts) -> Option<Signal> {
    let id = facts.operation_id.as_ref()?;
    let (before, last) = last_part(id);
    let phrase = Phrase::read(&with_base(without_method(words(last), facts.method)));
    let alone = phrase.words.len() == 1 && !phrase.verbs.is_empty();
    let named =
        objects::ends_in_power(&phrase.words) || alone && objects::ends_in_power(&words(before));
    named.then(|| signal(EvidenceSource::OperationId, format!("`{id}`")))
}

/// Returns the evidence of a description that updates a power: `Changes the password of a user`.
fn summary(facts: &OperationFacts) -> Option<Signal> {
    let text = without_markup(facts.texts().next()?);
    let first = sentences(&text).next()?;
    let object = sentence::object(first)?;
    objects::ends_in_power(&object)
        .then(|| signal(EvidenceSource::Summary, format!("`{}`", quote(first))))
}

/// The request holds a secret, or powers alone.
fn body(facts: &OperationFacts) -> Option<Signal> {
    let body = facts.body.as_ref()?;
    let is_power = |name: &&String| objects::is_power_to_give(&words(name));
    let named: Vec<&String> = if !body.secrets.is_empty() {
        body.secrets.iter().collect()
    } else if !body.properties.is_empty() && body.properties.iter().all(|name| is_power(&name)) {
        body.properties.iter().collect()
    } else {
        body.required_properties.iter().filter(is_power).collect()
    };
    let names: Vec<String> = named
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    (!names.is_empty()).then(|| signal(EvidenceSource::Body, names.join(", ")))
}

/// The most properties that are named as evidence.
const SHOWN: usize = 3;

fn signal(source: EvidenceSource, found: String) -> Signal {
    let found = format!("{found} is a power that is overwritten");
    Signal::new(source, found, Kind::Action, SignalPlace::Sure)
}
