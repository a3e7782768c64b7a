//! The evidence of names: the words of the operation id and of the path.

use toolwright_model::{EvidenceSource, Kind, Method};

use super::lexicon::{Certainty, Verb};
use super::objects;
use super::phrase::{Phrase, Place, is_version};
use super::signal::{Signal, Weight};
use crate::{english::words, facts::OperationFacts};

/// Segments that say how something is done, not what.
const MANNERS: &[&str] = &[
    "async", "batch", "bulk", "continue", "multi", "multiple", "next",
];

/// What the operation id says.
pub(crate) fn operation_id(facts: &OperationFacts) -> Vec<Signal> {
    let Some(id) = &facts.operation_id else {
        return Vec::new();
    };
    let (before, last) = last_part(id);
    let name = Name {
        source: EvidenceSource::OperationId,
        words: without_method(words(last), facts.method),
        resource: words(before),
        shown: id.clone(),
        calls: false,
        safe: is_safe(facts.method),
    };
    name.signals()
}

/// What the path says: the last of its segments that is more than a parameter.
pub(crate) fn path(facts: &OperationFacts) -> Vec<Signal> {
    let Some(action) = action_of(&facts.path) else {
        return Vec::new();
    };
    let (before, last) = last_part(action);
    let name = Name {
        source: EvidenceSource::Path,
        words: words(last),
        resource: words(before),
        shown: format!("…/{action}"),
        calls: !before.is_empty(),
        safe: is_safe(facts.method),
    };
    name.signals()
}

/// Whether HTTP says that the method changes nothing.
pub(crate) const fn is_safe(method: Method) -> bool {
    matches!(
        method,
        Method::Get | Method::Head | Method::Options | Method::Trace | Method::Query
    )
}

/// A name that may say what an operation does.
struct Name {
    source: EvidenceSource,
    /// The words of the part that has the verb.
    words: Vec<String>,
    /// The words before it: of the resource, where the name has several parts.
    resource: Vec<String>,
    /// The whole name, to be quoted.
    shown: String,
    /// Whether it is of the form `documents.archive`, whose last part is always what is done.
    calls: bool,
    /// Whether HTTP says that the method changes nothing.
    safe: bool,
}

impl Name {
    fn signals(&self) -> Vec<Signal> {
        let phrase = Phrase::read(&self.words);
        let mut signals: Vec<Signal> = phrase
            .verbs
            .iter()
            .filter_map(|&(verb, place)| self.signal(&phrase, verb, place))
            .collect();
        signals.extend(self.granted(&phrase));
        signals
    }

    fn signal(&self, phrase: &Phrase, verb: Verb, place: Place) -> Option<Signal> {
        let mut weight = self.weight(phrase, verb, place)?;
        let mut suggests = verb.kind;
        let objects = || phrase.words.iter().chain(&self.resource);
        if objects::derives(verb.base, objects()) {
            suggests = Kind::Derive;
            weight = Weight::Weak;
        } else if objects::is_derived(verb.base, phrase) {
            return None;
        }
        Some(Signal {
            source: self.source,
            found: format!("`{}` in `{}`", verb.base, self.shown),
            suggests,
            weight,
            verb: Some(verb),
        })
    }

    /// What a verb counts for at its place; nothing where it is no verb there.
    fn weight(&self, phrase: &Phrase, verb: Verb, place: Place) -> Option<Weight> {
        let writes = !verb.reads();
        // `GET …/seal-status`: the last word is what is read, the others say of what
        if self.safe && writes && objects::is_state(phrase) {
            return None;
        }
        match (place, verb.certainty) {
            (Place::Whole | Place::Head, Certainty::Plain) => Some(Weight::Strong),
            (Place::Tail, Certainty::Plain) if !phrase.is_vague() => Some(Weight::Strong),
            (Place::Inner, Certainty::Plain) if writes && phrase.verbs.len() == 1 => {
                Some(Weight::Strong)
            }
            (Place::Whole, Certainty::AlsoNoun) if self.calls && writes => Some(Weight::Strong),
            // `GET …/report`: a thing that is read
            (Place::Whole | Place::Tail, Certainty::AlsoNoun) if self.safe && writes => None,
            (Place::Inner, Certainty::AlsoNoun | Certainty::Vague) => None,
            _ => Some(Weight::Weak),
        }
    }

    /// That what is asked for is itself a power: a credential, or a place to upload to.
    fn granted(&self, phrase: &Phrase) -> Option<Signal> {
        let asked = |(verb, _): &(Verb, Place)| matches!(verb.base, "request" | "issue");
        let reads = phrase
            .verbs
            .first()
            .is_none_or(|(verb, _)| objects::obtains(verb.base));
        let granted = objects::is_upload(&self.words)
            || objects::is_credential(phrase) && (reads || phrase.verbs.iter().any(asked));
        granted.then(|| Signal {
            source: self.source,
            found: format!("`{}` grants a power", self.shown),
            suggests: Kind::Action,
            weight: if phrase.verbs.iter().any(asked) {
                Weight::Strong
            } else {
                Weight::Weak
            },
            verb: None,
        })
    }
}

/// The words without the word of the method, which tools that make ids put first or last.
fn without_method(mut words: Vec<String>, method: Method) -> Vec<String> {
    let method = method.word().to_ascii_lowercase();
    if words.len() > 1 && words.last() == Some(&method) {
        words.pop();
    }
    if words.len() > 1 && words.first() == Some(&method) && method != "get" {
        words.remove(0);
    }
    words
}

/// The last segment of a path that says what is done, or to what.
fn action_of(path: &str) -> Option<&str> {
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    if let Some((_, action)) = fragment.split_once('=') {
        return Some(action);
    }
    let mut literals = path
        .split('/')
        .rev()
        .filter(|segment| !segment.is_empty() && !is_parameter(segment));
    let last = literals.next()?;
    if is_manner(last) {
        return literals.next().or(Some(last));
    }
    Some(last)
}

/// Whether a segment says how something is done: `batch`, `continue_v2`.
fn is_manner(segment: &str) -> bool {
    words(segment)
        .iter()
        .all(|word| MANNERS.contains(&word.as_str()) || is_version(word))
}

/// Whether a segment is one parameter and nothing else.
fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{') && segment.ends_with('}')
}

/// The part of a dotted, colon-separated or prefixed name that has the verb, and what is before.
fn last_part(name: &str) -> (&str, &str) {
    let (before, name) = name.rsplit_once(['.', ':', '/', '#']).unwrap_or(("", name));
    match name.rsplit_once('_') {
        // `VirtualMachines_CreateOrUpdate`, `GET_DescribeAlarms`
        Some((tag, last)) if last.contains(|c: char| c.is_ascii_uppercase()) => (tag, last),
        _ => (before, name),
    }
}
