//! Governance: what kind of operation it is, and why.

use toolwright_model::{Evidence, EvidenceSource, Kind, Method};

use crate::facts::OperationFacts;

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
    let suggests = match facts.method {
        Method::Get | Method::Head | Method::Options | Method::Trace | Method::Query => Kind::Read,
        Method::Put | Method::Patch => Kind::Overwrite,
        Method::Delete => Kind::Delete,
        Method::Post => Kind::Action,
    };
    Classification {
        kind: suggests,
        evidence: vec![Evidence {
            source: EvidenceSource::Method,
            found: facts.method.word().to_owned(),
            suggests,
            decided: true,
        }],
    }
}
