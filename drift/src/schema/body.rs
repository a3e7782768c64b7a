//! Types, values, fields and items.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright_schema::type_of;

use super::{
    place::Place,
    side::Move,
    walk::{Body, Walk, change, words},
};
use crate::{
    change::{Change, State, unquoted},
    predicate::Predicate,
    subject::Side,
};

/// The most values that a sentence lists.
const MOST_LISTED: usize = 8;

/// Compares the types. Returns whether to compare the rest: disjoint types share no fields or
/// bounds.
pub(super) fn types<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) -> bool {
    let (was, is) = (types_of(old), types_of(new));
    if was == is {
        return true;
    }
    let to = Move::between(within(&was, &is), within(&is, &was));
    let describe = |body: &Body| describe(&Value::Object(body.clone()));
    let (before, after) = (describe(old), describe(new));
    let change = change(walk.side.type_change(to), at, Predicate::TypeChanged);
    let change = change.before(State::plain(before));
    walk.changes.push(change.after(State::plain(after)));
    match (was, is) {
        (Some(was), Some(is)) => was.intersection(&is).next().is_some(),
        _ => to != Move::Other,
    }
}

/// Describes a schema in a few words, without null, which is reported separately.
pub(super) fn describe(schema: &Value) -> String {
    let mut schema = schema.clone();
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
    }
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    words(&schema)
}

/// Returns the types except null, or `None` if every type is allowed.
fn types_of(body: &Body) -> Option<BTreeSet<&str>> {
    let types: Vec<&str> = match body.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => {
            let values = values_of(body)?;
            values.into_iter().map(type_of).collect()
        }
    };
    Some(types.into_iter().filter(|name| *name != "null").collect())
}

/// Checks whether the second set of types allows every value of the first.
fn within(types: &Option<BTreeSet<&str>>, others: &Option<BTreeSet<&str>>) -> bool {
    match (types, others) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(types), Some(others)) => types
            .iter()
            .all(|name| others.contains(name) || (*name == "integer" && others.contains("number"))),
    }
}

/// Compares the values of an enum.
pub(super) fn values(
    walk: &mut Walk<'_, '_>,
    was: Option<Vec<&Value>>,
    is: Option<Vec<&Value>>,
    at: &Place,
) {
    let side = walk.side;
    let mut push = |to: Move, predicate: Predicate, before: &[&Value], after: &[&Value]| {
        let state = |values: &[&Value]| match values {
            [] => State::default(),
            values => State::described(values, listed(values)),
        };
        let change = change(side.enum_change(to), at, predicate);
        walk.changes
            .push(change.before(state(before)).after(state(after)));
    };
    match (was, is) {
        (Some(was), Some(is)) => {
            let missing_in = |values: &[&Value], value: &&Value| !values.contains(value);
            let removed = was.iter().copied().filter(|value| missing_in(&is, value));
            let removed: Vec<_> = removed.collect();
            let added = is.iter().copied().filter(|value| missing_in(&was, value));
            let added: Vec<_> = added.collect();
            if !removed.is_empty() {
                push(Move::Narrowed, Predicate::ValuesRemoved, &removed, &[]);
            }
            if !added.is_empty() {
                push(Move::Widened, Predicate::ValuesAdded, &[], &added);
            }
        }
        (None, Some(is)) => push(Move::Narrowed, Predicate::ValuesListed, &[], &is),
        (Some(was), None) => push(Move::Widened, Predicate::ValuesUnlisted, &was, &[]),
        (None, None) => {}
    }
}

/// Returns the values that a schema lists, except null.
pub(super) fn values_of(body: &Body) -> Option<Vec<&Value>> {
    let values = body.get("enum").and_then(Value::as_array);
    let values = values.map(|values| values.iter().collect::<Vec<_>>());
    let mut values = values.or_else(|| Some(vec![body.get("const")?]))?;
    values.retain(|value| !value.is_null());
    Some(values)
}

fn listed(values: &[&Value]) -> String {
    let first = values.iter().take(MOST_LISTED);
    let first: Vec<_> = first
        .map(|value| format!("`{}`", unquoted(value)))
        .collect();
    let rest = values.len().saturating_sub(MOST_LISTED);
    if rest > 0 {
        format!("{} and {rest} others", first.join(", "))
    } else {
        first.join(", ")
    }
}

/// Compares the declared and the undeclared fields of an object.
pub(super) fn fields<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    let (was, is) = (map(old, "properties"), map(new, "properties"));
    let (was_required, is_required) = (required(old), required(new));
    for (name, schema) in &was {
        if !is.contains_key(*name) {
            let place = at.field(name);
            let kind = words(schema);
            let subject = place.subject().note(kind.as_str());
            let removed = walk.side.removed();
            let change = Change::new(removed, place.pointer, subject, Predicate::Removed);
            walk.changes.push(change.before(State::plain(kind)));
        }
    }
    for (name, schema) in &is {
        let place = at.field(name);
        let needed = is_required.contains(*name);
        match was.get(name) {
            None => {
                let predicate = match (walk.side, needed) {
                    (Side::Argument, true) => Predicate::RequiredAdded,
                    _ => Predicate::Added,
                };
                let subject = place.subject().note(words(schema));
                let added = walk.side.added(needed);
                let change = Change::new(added, place.pointer, subject, predicate);
                walk.changes
                    .push(change.after(State::described(schema, "")));
            }
            Some(before) => {
                if was_required.contains(*name) != needed {
                    report_required(walk, needed, &place);
                }
                walk.node(before, schema, &place);
            }
        }
    }
    other_fields(walk, old, new, at);
}

fn report_required(walk: &mut Walk<'_, '_>, needed: bool, at: &Place) {
    let predicate = match (walk.side, needed) {
        (Side::Argument, true) => Predicate::Required,
        (Side::Argument, false) => Predicate::Optional,
        (Side::Result, true) => Predicate::AlwaysPresent,
        (Side::Result, false) => Predicate::MayBeMissing,
    };
    let change = change(walk.side.required(needed), at, predicate);
    let change = change.before(State::plain(!needed));
    walk.changes.push(change.after(State::plain(needed)));
}

/// Compares the rules for undeclared fields: forbidden, allowed, or of one type.
fn other_fields<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    const KEYWORD: &str = "additionalProperties";
    let (was, is) = (keyword_of(old, KEYWORD), keyword_of(new, KEYWORD));
    let closed = |value: &Value| *value == Value::Bool(false);
    let place = at.other_fields(KEYWORD);
    match (closed(was), closed(is)) {
        (true, true) => {}
        (false, false) => walk.node(was, is, &place),
        (_, is_closed) => {
            let (to, predicate) = if is_closed {
                (Move::Narrowed, Predicate::FieldsClosed)
            } else {
                (Move::Widened, Predicate::FieldsOpened)
            };
            // A client skips unknown fields of a result.
            let kind = match (walk.side, to) {
                (Side::Result, Move::Widened) => walk.side.added(false),
                (side, to) => side.bound_change(to),
            };
            let change = Change::new(kind, place.pointer, at.subject(), predicate);
            let change = change.before(State::plain(was));
            walk.changes.push(change.after(State::plain(is)));
        }
    }
    let (was, is) = (map(old, "patternProperties"), map(new, "patternProperties"));
    let patterns: BTreeSet<&str> = was.keys().chain(is.keys()).copied().collect();
    for pattern in patterns {
        let schema = |all: &BTreeMap<&'a str, &'a Value>| {
            all.get(pattern).copied().unwrap_or(&super::ANYTHING)
        };
        let place = at.other_fields("patternProperties");
        walk.node(schema(&was), schema(&is), &place);
    }
}

/// Compares the items of a list.
pub(super) fn items<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    let (was, is) = (keyword_of(old, "items"), keyword_of(new, "items"));
    if was != is || was.is_object() {
        walk.node(was, is, &at.items("items"));
    }
    let list = |body: &'a Body| body.get("prefixItems").and_then(Value::as_array);
    let (was, is) = (list(old), list(new));
    let longest = was.map_or(0, Vec::len).max(is.map_or(0, Vec::len));
    for index in 0..longest {
        let item = |list: Option<&'a Vec<Value>>| {
            let item = list.and_then(|list| list.get(index));
            item.unwrap_or(&super::ANYTHING)
        };
        let place = at.items(&format!("prefixItems/{index}"));
        walk.node(item(was), item(is), &place);
    }
}

fn keyword_of<'a>(body: &'a Body, keyword: &str) -> &'a Value {
    body.get(keyword).unwrap_or(&super::ANYTHING)
}

fn map<'a>(body: &'a Body, keyword: &str) -> BTreeMap<&'a str, &'a Value> {
    let fields = body.get(keyword).and_then(Value::as_object);
    let fields = fields.into_iter().flat_map(Map::iter);
    fields
        .map(|(name, schema)| (name.as_str(), schema))
        .collect()
}

fn required(body: &Body) -> BTreeSet<&str> {
    let names = body.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}
