//! The class of an EAB method: the class of standard methods, and the effect that the document
//! declares.

use toolwright_model::{Evidence, EvidenceSource, Kind};

use super::Classification;
use crate::language::{facts::MethodFacts, standard_method::StandardMethod};

/// Classifies a method. A standard method has a fixed class, any other is an action. The document's
/// effect applies if it is more dangerous. If it is less dangerous, the overlay must repeat it with
/// a reason.
pub(super) fn classify(facts: &MethodFacts) -> Classification {
    let method = &facts.method;
    let (standing, found) = match StandardMethod::find(method) {
        Some(standard) => (standard.kind, format!("the standard method `{method}`")),
        None => (Kind::Action, format!("`{method}` is no standard method")),
    };
    let said = facts
        .effect
        .map(|effect| (Kind::from_parts(standing.category(), effect, true), effect));
    let decides = said.is_some_and(|(kind, _)| kind > standing);
    let of_method = Evidence {
        source: EvidenceSource::OperationId,
        found,
        suggests: standing,
        weight: 0,
        decided: !decides,
    };
    let of_document = said.map(|(kind, effect)| Evidence {
        source: EvidenceSource::Declared,
        found: format!("effect: {effect}"),
        suggests: kind,
        weight: 0,
        decided: decides,
    });
    let mut evidence: Vec<Evidence> = std::iter::once(of_method).chain(of_document).collect();
    evidence.sort_by_key(|evidence| !evidence.decided);
    Classification {
        kind: evidence
            .first()
            .map_or(Kind::Action, |first| first.suggests),
        evidence,
    }
}

#[cfg(test)]
mod tests {
    use toolwright_model::Effect;

    use super::*;

    #[test]
    fn a_document_may_say_more_dangerous_and_not_less() {
        for (method, effect, expected) in [
            ("validate", None, Kind::Read),
            ("simulate", None, Kind::Derive),
            ("simulate", Some(Effect::Read), Kind::Derive),
            ("normalise", None, Kind::Overwrite),
            ("normalise", Some(Effect::Read), Kind::Overwrite),
            ("validate", Some(Effect::Update), Kind::Overwrite),
            ("validate", Some(Effect::Delete), Kind::Delete),
            ("autoroute", None, Kind::Action),
            ("list_parts", Some(Effect::Read), Kind::Action),
            ("drop_parts", Some(Effect::Delete), Kind::Delete),
        ] {
            let facts = MethodFacts {
                method: method.to_owned(),
                noun: None,
                effect,
            };
            let classed = classify(&facts);
            assert_eq!(classed.kind, expected, "{method} {effect:?}");
            assert!(classed.evidence[0].decided);
            assert_eq!(classed.evidence[0].suggests, expected);
        }
    }
}
