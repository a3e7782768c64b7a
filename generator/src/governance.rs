//! Governance: what kind of operation it is, and why.

mod names;
mod objects;
mod owner;
mod phrase;
mod prose;
mod sentence;
mod shape;
mod signal;
mod texts;
mod weigh;

use toolwright_model::{Evidence, EvidenceSource, Kind, Method};

use crate::facts::OperationFacts;
use signal::{Signal, Weight};

/// The kind of an operation, with everything that speaks for it or against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The row of the governance table.
    pub kind: Kind,
    /// All the evidence, that which decided first.
    pub evidence: Vec<Evidence>,
}

/// Classes an operation by the evidence in its facts.
///
/// Where evidence conflicts or is missing, the more dangerous kind is taken.
#[must_use]
pub fn classify(facts: &OperationFacts) -> Classification {
    let mut signals = vec![method(facts.method)];
    signals.extend(names::path(facts));
    signals.extend(names::operation_id(facts));
    signals.extend(texts::texts(facts));
    signals.extend(shape::body(facts));
    signals.extend(shape::answers(facts));
    signals.extend(owner::scopes(facts));
    signals.extend(owner::extensions(facts));
    weigh::weigh(facts, signals)
}

/// What the method says.
fn method(method: Method) -> Signal {
    let (suggests, weight) = match method {
        Method::Get | Method::Head | Method::Options | Method::Trace | Method::Query => {
            (Kind::Read, Weight::Strong)
        }
        Method::Put | Method::Patch => (Kind::Overwrite, Weight::Strong),
        Method::Delete => (Kind::Delete, Weight::Strong),
        Method::Post => (Kind::Action, Weight::Weak),
    };
    Signal::new(EvidenceSource::Method, method.word(), suggests, weight)
}
