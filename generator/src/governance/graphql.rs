//! The type of an operation of GraphQL. The language defines that a query changes nothing, which a service
//! may not keep to; a mutation never counts as a read.

use toolwright_model::{Evidence, EvidenceSource, Kind};

use super::{
    Classification,
    signal::{Signal, SignalPlace},
};
use crate::language::{
    facts::{GraphqlFacts, OperationFacts},
    singular,
    vocabulary::Certainty,
    words,
};

/// Returns the evidence of the type.
pub(super) fn operation_type(facts: GraphqlFacts) -> Signal {
    match facts {
        GraphqlFacts::Query { .. } => {
            let source = EvidenceSource::Method;
            Signal::new(source, "a query", Kind::Read, SignalPlace::Method)
        }
        GraphqlFacts::Mutation => {
            let source = EvidenceSource::Method;
            Signal::new(source, "a mutation", Kind::Action, SignalPlace::Open)
        }
    }
}

/// Removes the evidence of words that are also nouns, if the name of a query is that of its result: the
/// query `order` of the type `Order` orders nothing.
pub(super) fn without_nouns(facts: &OperationFacts, signals: &mut Vec<Signal>) {
    let Some(GraphqlFacts::Query { names_result: true }) = facts.graphql else {
        return;
    };
    let name = words(facts.operation_id.as_deref().unwrap_or_default());
    let nouns: Vec<String> = name.iter().map(|word| singular(word)).collect();
    let is_noun = |signal: &Signal| {
        signal.verb.is_some_and(|verb| {
            let is_name = signal.is_name() || nouns.iter().any(|noun| noun == verb.base);
            is_name && !signal.reads() && verb.certainty != Certainty::Plain
        })
    };
    signals.retain(|signal| !is_noun(signal));
}

/// Makes a mutation an action if its names and texts are those of a read.
pub(super) fn keep_mutation(mut found: Classification) -> Classification {
    if found.kind > Kind::Derive {
        return found;
    }
    for evidence in &mut found.evidence {
        evidence.decided = false;
    }
    let is_type = |evidence: &Evidence| evidence.source == EvidenceSource::Method;
    if let Some(at) = found.evidence.iter().position(is_type) {
        let mut decisive = found.evidence.remove(at);
        decisive.decided = true;
        found.evidence.insert(0, decisive);
    }
    found.kind = Kind::Action;
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::governance::classify;
    use toolwright_model::Method;

    fn kind(ty: GraphqlFacts, name: &str) -> Kind {
        let method = match ty {
            GraphqlFacts::Query { .. } => Method::Get,
            GraphqlFacts::Mutation => Method::Post,
        };
        let mut facts = OperationFacts::new(method, format!("/{name}"));
        facts.operation_id = Some(name.to_owned());
        facts.graphql = Some(ty);
        let found = classify(&facts);
        assert!(found.evidence.iter().any(|evidence| evidence.decided));
        found.kind
    }

    #[test]
    fn a_query_reads_unless_its_name_says_otherwise() {
        let query = |names_result| GraphqlFacts::Query { names_result };
        for name in ["issues", "viewer", "searchIssues", "latestRelease"] {
            assert_eq!(kind(query(false), name), Kind::Read, "{name}");
        }
        for name in ["issue", "order", "rateLimit", "refund", "draftOrders"] {
            assert_eq!(kind(query(true), name), Kind::Read, "{name}");
        }
        for name in ["generateToken", "deleteIssue", "createIssue"] {
            assert!(kind(query(false), name) > Kind::Derive, "{name}");
            assert!(kind(query(true), name) > Kind::Derive, "{name}");
        }
    }

    #[test]
    fn a_mutation_never_reads() {
        for name in ["issues", "getIssue", "searchIssues", "validateIssue"] {
            assert_eq!(kind(GraphqlFacts::Mutation, name), Kind::Action, "{name}");
        }
        assert_eq!(kind(GraphqlFacts::Mutation, "issueCreate"), Kind::Create);
        assert_eq!(kind(GraphqlFacts::Mutation, "createIssue"), Kind::Create);
        assert_eq!(
            kind(GraphqlFacts::Mutation, "deleteIssueComment"),
            Kind::Delete
        );
        assert_eq!(kind(GraphqlFacts::Mutation, "issueArchive"), Kind::Delete);
        assert_eq!(kind(GraphqlFacts::Mutation, "updateIssue"), Kind::Overwrite);
    }
}
