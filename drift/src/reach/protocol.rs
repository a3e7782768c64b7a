//! What only one protocol has: the text of a GraphQL operation, and the messages of a gRPC method.

use toolwright_generator::OperationEffects;
use toolwright_model::{GrpcCall, HttpBinding, HttpProtocol};

use super::wire;
use crate::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
};

/// The place of the operation in a record.
const OPERATION: &str = "/binding/http/protocol/graphql";

/// The place of the method in a record.
const METHOD: &str = "/binding/http/protocol/grpc";

pub(super) fn compare(before: &HttpBinding, after: &HttpBinding) -> Vec<Change> {
    match (&before.protocol, &after.protocol) {
        (Some(HttpProtocol::Graphql(before)), Some(HttpProtocol::Graphql(after))) => {
            operation(before, after).into_iter().collect()
        }
        (Some(HttpProtocol::Grpc(before)), Some(HttpProtocol::Grpc(after))) => {
            let mut changes: Vec<Change> = streaming(before, after).into_iter().collect();
            changes.extend(wire::compare(before, after));
            changes
        }
        (before, after) if before.is_none() && after.is_none() => Vec::new(),
        _ => {
            let kind = ChangeKind::RequestChanged;
            let subject = "the protocol of the request";
            vec![Change::new(
                kind,
                "/binding/http/protocol",
                subject,
                Predicate::Replaced,
            )]
        }
    }
}

fn operation(before: &str, after: &str) -> Option<Change> {
    if before == after {
        return None;
    }
    let (was, is) = (OperationEffects::of(before), OperationEffects::of(after));
    // A variable of one side alone is an argument that was added or removed.
    let is_moved = was
        .variables
        .iter()
        .any(|(name, places)| is.variables.get(name).is_some_and(|now| now != places));
    let (kind, subject) = match was.fixed == is.fixed && !is_moved {
        true => (
            ChangeKind::SelectionChanged,
            "the selection of the operation",
        ),
        false => (ChangeKind::OperationChanged, "the text of the operation"),
    };
    let change = Change::new(kind, OPERATION, subject, Predicate::Replaced);
    Some(
        change
            .before(State::plain(before))
            .after(State::plain(after)),
    )
}

fn streaming(before: &GrpcCall, after: &GrpcCall) -> Option<Change> {
    let state = |streams: bool| {
        let words = if streams {
            "a stream of messages"
        } else {
            "one message"
        };
        State::described(streams, words)
    };
    let (was, is) = (before.server_streaming, after.server_streaming);
    let place = format!("{METHOD}/server_streaming");
    let change = Change::new(
        ChangeKind::StreamingChanged,
        place,
        "the answer of the method",
        Predicate::Changed,
    );
    (was != is).then(|| change.before(state(was)).after(state(is)))
}
