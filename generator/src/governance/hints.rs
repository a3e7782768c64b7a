//! What owners declare about an operation: the hints of an MCP server, which count only if they make a
//! tool more dangerous, and the idempotency level of a gRPC method.

use toolwright_model::{EvidenceSource, Kind};

use super::signal::{Signal, SignalPlace};
use crate::language::facts::OperationFacts;

/// Returns the evidence of the hints: a change, whose kind they do not tell.
pub(crate) fn hints(facts: &OperationFacts) -> Vec<Signal> {
    let hints = [
        (facts.hints.changes, "readOnlyHint: false"),
        (facts.hints.destroys, "destructiveHint: true"),
    ];
    let given = hints.into_iter().filter(|(given, _)| *given);
    let signal = |found, kind| {
        let source = EvidenceSource::Extension;
        Signal::new(source, found, kind, SignalPlace::Declared)
    };
    let reads = facts.no_side_effects;
    let reads = reads.then(|| signal("idempotency_level: NO_SIDE_EFFECTS", Kind::Read));
    let given = given.map(|(_, found)| signal(found, Kind::Action));
    given.chain(reads).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{governance::classify, language::facts::DeclaredHints};
    use toolwright_model::Method;

    fn kind(name: &str, hints: DeclaredHints) -> Kind {
        let mut facts = OperationFacts::new(Method::Post, format!("/{name}"));
        facts.operation_id = Some(name.to_owned());
        facts.hints = hints;
        classify(&facts).kind
    }

    #[test]
    fn a_hint_makes_a_tool_more_dangerous_and_never_less() {
        let none = DeclaredHints::default();
        let changes = DeclaredHints {
            changes: true,
            ..none
        };
        let destroys = DeclaredHints {
            destroys: true,
            ..none
        };
        assert_eq!(kind("get_item", none), Kind::Read);
        assert_eq!(kind("get_item", changes), Kind::Action);
        assert_eq!(kind("get_item", destroys), Kind::Action);
        assert_eq!(kind("create_item", changes), Kind::Create);
        assert_eq!(kind("delete_item", destroys), Kind::Delete);
        assert_eq!(kind("frobnicate_item", none), Kind::Action);
    }
}
