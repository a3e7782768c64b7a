//! The messages of a gRPC method: the numbers and the types of their fields, which JSON does not show.

use std::collections::BTreeMap;

use toolwright_generator::{WireField, fields_on_the_wire};
use toolwright_model::GrpcCall;

use crate::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
};

/// The place of the descriptors in a record.
const PLACE: &str = "/binding/http/protocol/grpc/descriptors";

/// Compares the messages of a method. A field that one side lacks is an argument or a part of the result, and
/// compared as such; only the reuse of its number is reported here.
pub(super) fn compare(before: &GrpcCall, after: &GrpcCall) -> Vec<Change> {
    if before.descriptors == after.descriptors {
        return Vec::new();
    }
    let (was, is) = (fields(before), fields(after));
    let mut changes = Vec::new();
    for (name, old) in &was {
        match is.get(name) {
            Some(new) => changes.extend(differences(name, old, new)),
            None => changes.extend(reuse(name, old, &was, &is)),
        }
    }
    changes
}

/// Returns the fields of both messages of a method.
fn fields(call: &GrpcCall) -> BTreeMap<String, WireField> {
    let mut fields = fields_on_the_wire(&call.descriptors, &call.request);
    fields.extend(fields_on_the_wire(&call.descriptors, &call.response));
    fields
}

fn differences(name: &str, old: &WireField, new: &WireField) -> Vec<Change> {
    let change = |kind, was, is| {
        let subject = format!("`{name}` on the wire");
        let change = Change::new(kind, PLACE, subject, Predicate::Changed);
        change.before(was).after(is)
    };
    let mut changes = Vec::new();
    if old.number != new.number {
        let numbers = (
            State::described(old.number, format!("number {}", old.number)),
            State::described(new.number, format!("number {}", new.number)),
        );
        changes.push(change(ChangeKind::WireNumberChanged, numbers.0, numbers.1));
    }
    if old.type_name != new.type_name {
        let types = (State::code(&old.type_name), State::code(&new.type_name));
        changes.push(change(ChangeKind::WireTypeChanged, types.0, types.1));
    }
    if old.cardinality != new.cardinality {
        let (was, is) = (State::plain(old.cardinality), State::plain(new.cardinality));
        changes.push(change(ChangeKind::WireCardinalityChanged, was, is));
    }
    changes
}

/// Reports that a new field has the number of one that is gone.
fn reuse(
    name: &str,
    old: &WireField,
    was: &BTreeMap<String, WireField>,
    is: &BTreeMap<String, WireField>,
) -> Option<Change> {
    let (owner, own_name) = name.rsplit_once('.')?;
    let is_heir = |(other, field): &(&String, &WireField)| {
        let is_sibling = other
            .rsplit_once('.')
            .is_some_and(|(other, _)| other == owner);
        is_sibling && field.number == old.number && !was.contains_key(*other)
    };
    let (heir, _) = is.iter().find(is_heir)?;
    let heir = heir.rsplit('.').next().unwrap_or_default();
    let subject = format!("the number {} of `{owner}`", old.number);
    let change = Change::new(
        ChangeKind::WireNumberReused,
        PLACE,
        subject,
        Predicate::Changed,
    );
    Some(
        change
            .before(State::code(own_name))
            .after(State::code(heir)),
    )
}
