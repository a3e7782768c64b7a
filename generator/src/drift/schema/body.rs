//! Types, values, fields and items.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    super::change::Found,
    place::Place,
    side::{Move, Side},
    walk::{Body, Walk, words},
};

/// The most values that a sentence spells out.
const SPELT_OUT: usize = 8;

/// Compares the types. Whether the rest can be compared: types that have nothing in common have
/// no fields or bounds in common either.
pub(super) fn types<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) -> bool {
    let (was, is) = (types_of(old), types_of(new));
    if was == is {
        return true;
    }
    let to = Move::between(within(&was, &is), within(&is, &was));
    let shown = |body: &Body| shown(&Value::Object(body.clone()));
    let (before, after) = (shown(old), shown(new));
    let says = format!("is {after} and was {before}");
    let change = walk.found(walk.side.of_type(to), at, &says);
    walk.found
        .push(change.before(json!(before)).after(json!(after)));
    match (was, is) {
        (Some(was), Some(is)) => was.intersection(&is).next().is_some(),
        _ => to != Move::Other,
    }
}

/// The schema in a few words, without the null that is told of by itself.
pub(super) fn shown(schema: &Value) -> String {
    let mut schema = schema.clone();
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
    }
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    words(&schema)
}

/// The types but for null; none where any will do.
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

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether all that the first types allow is allowed by the second.
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
    let does = match walk.side {
        Side::Argument => "takes",
        Side::Result => "has",
    };
    let mut tell = |to: Move, before: &[&Value], after: &[&Value], says: String| {
        let change = walk.found(walk.side.of_enum(to), at, &says);
        let list = |values: &[&Value]| match values {
            [] => Value::Null,
            values => json!(values),
        };
        walk.found
            .push(change.before(list(before)).after(list(after)));
    };
    match (was, is) {
        (Some(was), Some(is)) => {
            let gone: Vec<_> = was
                .iter()
                .copied()
                .filter(|value| !is.contains(value))
                .collect();
            let added: Vec<_> = is
                .iter()
                .copied()
                .filter(|value| !was.contains(value))
                .collect();
            if !gone.is_empty() {
                let says = format!("no longer {does} {}", spelt(&gone));
                tell(Move::Narrowed, &gone, &[], says);
            }
            if !added.is_empty() {
                tell(
                    Move::Widened,
                    &[],
                    &added,
                    format!("{does} {} too", spelt(&added)),
                );
            }
        }
        (None, Some(is)) => {
            tell(
                Move::Narrowed,
                &[],
                &is,
                format!("{does} only {}", spelt(&is)),
            );
        }
        (Some(was), None) => {
            tell(
                Move::Widened,
                &was,
                &[],
                format!("{does} more than {}", spelt(&was)),
            );
        }
        (None, None) => {}
    }
}

/// The values that a schema lists, but for null.
pub(super) fn values_of(body: &Body) -> Option<Vec<&Value>> {
    let values = body.get("enum").and_then(Value::as_array);
    let values = values.map(|values| values.iter().collect::<Vec<_>>());
    let mut values = values.or_else(|| Some(vec![body.get("const")?]))?;
    values.retain(|value| !value.is_null());
    Some(values)
}

fn spelt(values: &[&Value]) -> String {
    let first = values.iter().take(SPELT_OUT);
    let first: Vec<_> = first.map(|value| format!("`{}`", plain(value))).collect();
    let rest = values.len().saturating_sub(SPELT_OUT);
    if rest > 0 {
        format!("{} and {rest} others", first.join(", "))
    } else {
        first.join(", ")
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Compares the fields of an object, and what is said of those that are not listed.
pub(super) fn fields<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    let (was, is) = (map(old, "properties"), map(new, "properties"));
    let (was_required, is_required) = (required(old), required(new));
    for (name, schema) in &was {
        if !is.contains_key(*name) {
            let place = at.field(name);
            let kind = words(schema);
            let subject = format!("{} ({kind})", place.words());
            let change = Found::new(walk.side.removed(), place.pointer).of(subject, "is gone");
            walk.found.push(change.before(json!(kind)));
        }
    }
    for (name, schema) in &is {
        let place = at.field(name);
        let needed = is_required.contains(*name);
        match was.get(name) {
            None => {
                let says = match (walk.side, needed) {
                    (Side::Argument, true) => "is new, and needed",
                    _ => "is new",
                };
                let subject = format!("{} ({})", place.words(), words(schema));
                let change = Found::new(walk.side.added(needed), place.pointer).of(subject, says);
                walk.found.push(change.after((*schema).clone()));
            }
            Some(before) => {
                if was_required.contains(*name) != needed {
                    tell_required(walk, needed, &place);
                }
                walk.node(before, schema, &place);
            }
        }
    }
    other_fields(walk, old, new, at);
}

fn tell_required(walk: &mut Walk<'_, '_>, needed: bool, at: &Place) {
    let says = match (walk.side, needed) {
        (Side::Argument, true) => "is needed now",
        (Side::Argument, false) => "may be left out now",
        (Side::Result, true) => "is always there now",
        (Side::Result, false) => "may be missing now",
    };
    let change = walk.found(walk.side.required(needed), at, says);
    walk.found
        .push(change.before(json!(!needed)).after(json!(needed)));
}

/// Fields whose names are not listed: none of them, any, or any of a type.
fn other_fields<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    const KEYWORD: &str = "additionalProperties";
    let (was, is) = (said(old, KEYWORD), said(new, KEYWORD));
    let closed = |value: &Value| *value == Value::Bool(false);
    let place = at.other_fields(KEYWORD);
    match (closed(was), closed(is)) {
        (true, true) => {}
        (false, false) => walk.node(was, is, &place),
        (_, is_closed) => {
            let (to, says) = if is_closed {
                (
                    Move::Narrowed,
                    "has no fields but those that are listed now",
                )
            } else {
                (Move::Widened, "may have fields that are not listed now")
            };
            // A reader of results skips what it does not know.
            let kind = match (walk.side, to) {
                (Side::Result, Move::Widened) => walk.side.added(false),
                (side, to) => side.of_bound(to),
            };
            let change = Found::new(kind, place.pointer).of(at.words(), says);
            walk.found
                .push(change.before(was.clone()).after(is.clone()));
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
    let (was, is) = (said(old, "items"), said(new, "items"));
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

fn said<'a>(body: &'a Body, keyword: &str) -> &'a Value {
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
