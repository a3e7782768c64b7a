//! Governance: what kind of operation it is, and why.

mod call;
mod command;
mod document;
mod eab;
mod gateway;
mod graphql;
mod hints;
mod names;
mod objects;
mod owner;
mod path;
mod phrase;
mod power;
mod sentence;
mod shape;
mod signal;
mod texts;
mod weigh;
mod weights;

use toolwright_model::{Evidence, EvidenceSource, Kind, Method};

use crate::language::{
    self,
    facts::{GraphqlFacts, OperationFacts},
};
use document::Outline;
use signal::{Signal, SignalPlace};

/// The kind of an operation, with everything that speaks for it or against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The row of the governance table.
    pub kind: Kind,
    /// All the evidence, that which decided first.
    pub evidence: Vec<Evidence>,
}

/// Classifies an operation by the evidence in its facts.
///
/// If evidence conflicts or is missing, the more dangerous kind applies.
#[must_use]
pub fn classify(facts: &OperationFacts) -> Classification {
    classify_within(facts, &Outline::default())
}

/// Classifies the operations of a document, each with the evidence of the others.
#[must_use]
pub fn classify_all(operations: &[OperationFacts]) -> Vec<Classification> {
    let outline = Outline::new(operations);
    let each = operations.iter();
    each.map(|facts| classify_within(facts, &outline)).collect()
}

fn classify_within(facts: &OperationFacts, outline: &Outline<'_>) -> Classification {
    if let Some(facts) = &facts.eab {
        return eab::classify(facts);
    }
    if facts.graphql == Some(GraphqlFacts::Mutation) {
        return graphql::keep_mutation(weigh_evidence(facts, outline));
    }
    weigh_evidence(facts, outline)
}

fn weigh_evidence(facts: &OperationFacts, outline: &Outline<'_>) -> Classification {
    let mut signals = vec![match facts.graphql {
        Some(ty) => graphql::operation_type(ty),
        None => method(facts),
    }];
    signals.extend(names::path(facts));
    signals.extend(command::commands(facts));
    signals.extend(gateway::forwards(facts));
    signals.extend(path::beyond(facts));
    signals.extend(names::operation_id(facts));
    signals.extend(texts::texts(facts));
    signals.extend(shape::body(facts));
    signals.extend(shape::answers(facts));
    signals.extend(owner::scopes(facts));
    signals.extend(owner::extensions(facts));
    signals.extend(hints::hints(facts));
    signals.extend(outline.evidence(facts));
    graphql::without_nouns(facts, &mut signals);
    let derives = signals.iter().any(|signal| signal.suggests == Kind::Derive);
    if derives && !call::is_safe(facts) {
        signals.extend(shape::target(facts));
        signals.extend(shape::computed(facts, &signals));
        if outline.has_content {
            signals.extend(shape::no_content(facts));
        }
    }
    let found = weigh::weigh(facts, signals.clone());
    let overwrites = match found.kind {
        Kind::Overwrite | Kind::Transition => true,
        // `POST /users/{id}/change-password` that is answered with 201
        Kind::Create => signals.iter().any(Signal::is_verb_of_overwriting),
        _ => false,
    };
    if !overwrites {
        return found;
    }
    signals.extend(power::overwritten(facts));
    weigh::weigh(facts, signals)
}

/// Checks whether the name of a property is that of a secret: `clientSecret`.
pub(crate) fn is_secret_name(name: &str) -> bool {
    objects::ends_in_secret(&language::words(name))
}

/// Returns the evidence of the method.
fn method(facts: &OperationFacts) -> Signal {
    let word = facts.method.word();
    let signal =
        |found: &str, suggests, place| Signal::new(EvidenceSource::Method, found, suggests, place);
    match facts.method {
        _ if call::is_safe(facts) => signal(word, Kind::Read, SignalPlace::Method),
        Method::Put | Method::Patch => signal(word, Kind::Overwrite, SignalPlace::Method),
        Method::Delete => signal(word, Kind::Delete, SignalPlace::Method),
        safe if safe.is_safe() => signal(
            &format!("{word}, but the path calls by name"),
            Kind::Action,
            SignalPlace::Open,
        ),
        _ => signal(word, Kind::Action, SignalPlace::Open),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::facts::{AnswerFacts, AnswerShape};
    use toolwright_model::StatusPattern;

    fn kind(method: Method, path: &str, id: &str, summary: &str) -> Kind {
        let mut facts = OperationFacts::new(method, path);
        facts.operation_id = (!id.is_empty()).then(|| id.to_owned());
        facts.summary = (!summary.is_empty()).then(|| summary.to_owned());
        classify(&facts).kind
    }

    #[test]
    fn a_method_is_evidence_not_proof() {
        let post = |path, id, summary| kind(Method::Post, path, id, summary);
        assert_eq!(
            post("/documents.info", "documentsInfo", "Retrieve a document"),
            Kind::Read
        );
        assert_eq!(
            post("/documents.delete", "documentsDelete", "Delete it"),
            Kind::Delete
        );
        assert_eq!(
            post("/documents.deleted", "", "List all deleted documents"),
            Kind::Read
        );
        assert_eq!(
            post("/stock/count/", "stock_count_create", ""),
            Kind::Create
        );
        assert_eq!(post("/items/search", "searchItems", ""), Kind::Read);
        assert_eq!(
            post("/rules/validate", "validateRule", "Validate a rule"),
            Kind::Derive
        );

        let get = |path, id, summary| kind(Method::Get, path, id, summary);
        assert_eq!(get("/crl/rotate", "rotate-crl", ""), Kind::Action);
        assert_eq!(
            get("/{mount}/creds/{name}", "request-role-credentials", ""),
            Kind::Action
        );
        assert_eq!(
            get("/oidc/token/{name}", "", "Generate a token"),
            Kind::Action
        );
        assert_eq!(get("/items/{id}", "getItem", "Get an item"), Kind::Read);
        assert_eq!(get("/seal-status", "seal-status", ""), Kind::Read);
    }

    #[test]
    fn what_is_not_known_waits_for_a_person() {
        assert_eq!(
            kind(Method::Post, "/items/{id}/frobnicate", "", ""),
            Kind::Action
        );
        assert_eq!(kind(Method::Post, "/items", "", ""), Kind::Action);
        assert_eq!(
            kind(Method::Post, "/licenses", "licenseTrack", "License tracks"),
            Kind::Action
        );
    }

    #[test]
    fn where_evidence_conflicts_the_more_dangerous_kind_wins() {
        let post = |path, id, summary| kind(Method::Post, path, id, summary);
        assert_eq!(
            post("/queue/next", "getNext", "Gets a message and removes it"),
            Kind::Delete
        );
        assert_eq!(
            post("/items/list", "listItems", "Deletes what it lists"),
            Kind::Delete
        );
        assert_eq!(
            post("/users/token", "getToken", "Get an access token"),
            Kind::Action
        );
        assert_eq!(
            kind(Method::Delete, "/items/search", "searchItems", ""),
            Kind::Delete
        );
        assert_eq!(
            kind(Method::Put, "/items/search", "searchItems", ""),
            Kind::Overwrite
        );
    }

    #[test]
    fn writes_are_told_apart() {
        assert_eq!(
            kind(Method::Post, "/items", "createItem", "Create an item"),
            Kind::Create
        );
        assert_eq!(
            kind(Method::Patch, "/items/{id}", "updateItem", ""),
            Kind::Overwrite
        );
        assert_eq!(
            kind(Method::Post, "/items/{id}/archive", "archiveItem", ""),
            Kind::Delete
        );
        assert_eq!(
            kind(Method::Post, "/items/{id}/reopen", "reopenItem", ""),
            Kind::Transition
        );
        assert_eq!(
            kind(
                Method::Post,
                "/items/{id}/comments",
                "createComment",
                "Add a comment"
            ),
            Kind::Annotate
        );
        let mut made = OperationFacts::new(Method::Post, "/items");
        made.answers.push(AnswerFacts {
            status: StatusPattern::Exact(201),
            description: String::new(),
            media_types: Vec::new(),
            shape: AnswerShape::Object,
        });
        assert_eq!(classify(&made).kind, Kind::Create);
    }

    #[test]
    fn evidence_is_kept_and_says_what_decided() {
        let mut facts = OperationFacts::new(Method::Get, "/crl/rotate");
        facts.summary = Some("Get the list".to_owned());
        let found = classify(&facts);
        let decided: Vec<&str> = found
            .evidence
            .iter()
            .filter(|evidence| evidence.decided)
            .map(|evidence| evidence.found.as_str())
            .collect();
        assert_eq!(decided, ["`rotate` in `…/rotate`", "`rotate` is a command"]);
        assert!(found.evidence.iter().any(|evidence| !evidence.decided));
        assert!(found.evidence[0].decided);
    }

    #[test]
    fn every_classification_says_what_decided() {
        for &method in Method::ALL {
            for path in [
                "/",
                "/items",
                "/items/{id}",
                "/items/search",
                "/items/{id}/delete",
            ] {
                let found = classify(&OperationFacts::new(method, path));
                let decided = found.evidence.iter().any(|evidence| evidence.decided);
                assert!(decided, "{method} {path}: {found:?}");
            }
        }
    }
}
