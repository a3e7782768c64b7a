//! The messages of a gRPC method: the numbers and the types of their fields, which JSON does not show.

use std::collections::BTreeMap;

use toolwright_generator::fields_on_the_wire;
use toolwright_model::{GrpcCall, HttpBinding};

use crate::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
};

/// Compares the messages of a method. A field that one side lacks is an argument or a part of the result, and
/// compared as such.
pub(super) fn compare(before: &HttpBinding, after: &HttpBinding) -> Vec<Change> {
    let (Some(before), Some(after)) = (&before.grpc, &after.grpc) else {
        return Vec::new();
    };
    if before.descriptors == after.descriptors {
        return Vec::new();
    }
    let sides = [
        (
            ChangeKind::RequestChanged,
            fields(before, &before.request),
            fields(after, &after.request),
        ),
        (
            ChangeKind::AnswerChanged,
            fields(before, &before.response),
            fields(after, &after.response),
        ),
    ];
    let mut changes: Vec<Change> = Vec::new();
    for (kind, was, is) in sides {
        for (name, was) in was {
            let Some(is) = is.get(&name).filter(|is| **is != was) else {
                continue;
            };
            let subject = format!("`{name}` on the wire");
            let change = Change::new(kind, "/binding/http/grpc", subject, Predicate::Changed);
            changes.push(change.before(State::code(&was)).after(State::code(is)));
        }
    }
    changes
}

fn fields(call: &GrpcCall, message: &str) -> BTreeMap<String, String> {
    fields_on_the_wire(&call.descriptors, message)
}
