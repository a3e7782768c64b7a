//! Bounds of values: lengths, ranges, patterns, and whatever else a schema demands.

use serde_json::Value;

use super::{
    super::change::Found,
    place::Place,
    side::Move,
    walk::{Body, Walk},
};

/// Bounds by a number, of which a larger one allows less.
const LEAST: [&str; 6] = [
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "minProperties",
    "minContains",
];

/// Bounds by a number, of which a larger one allows more.
const MOST: [&str; 6] = [
    "maximum",
    "exclusiveMaximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "maxContains",
];

/// What no integer of 64 bits is below, or above.
const SMALLEST: f64 = -9_223_372_036_854_775_808.0;
const LARGEST: f64 = 9_223_372_036_854_775_807.0;

/// What is compared elsewhere, or does not bound a value.
const NO_BOUNDS: [&str; 23] = [
    "$ref",
    "$defs",
    "$comment",
    "type",
    "enum",
    "const",
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "title",
    "description",
    "examples",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$schema",
];

pub(super) fn compare<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    let keywords = old
        .keys()
        .chain(new.keys().filter(|key| !old.contains_key(*key)));
    for keyword in keywords {
        if NO_BOUNDS.contains(&keyword.as_str()) {
            continue;
        }
        let (was, is) = (bound(old, keyword), bound(new, keyword));
        if was.map(settled) == is.map(settled) {
            is.into_iter().for_each(|value| walk.link(value));
            continue;
        }
        let to = match (was, is) {
            (None, _) => Move::Narrowed,
            (_, None) => Move::Widened,
            (Some(was), Some(is)) => between(keyword, was, is),
        };
        let says = match (was, is) {
            (None, Some(is)) => format!("has the bound `{keyword}` {}", short(is)),
            (Some(was), None) => format!("no longer has the bound `{keyword}` {}", short(was)),
            (Some(was), Some(is)) => {
                format!(
                    "has the bound `{keyword}` {} and had {}",
                    short(is),
                    short(was)
                )
            }
            (None, None) => continue,
        };
        let change = Found::new(walk.side.of_bound(to), at.below(keyword)).of(at.words(), &says);
        walk.found.push(
            change
                .before(was.cloned().unwrap_or_default())
                .after(is.cloned().unwrap_or_default()),
        );
    }
}

/// A bound, unless it bounds nothing: no string has less than zero characters, and no integer that
/// is sent has more than 64 bits.
fn bound<'a>(body: &'a Body, keyword: &str) -> Option<&'a Value> {
    let value = body.get(keyword)?;
    let nothing = match keyword {
        "minimum" | "exclusiveMinimum" => value.as_f64().is_some_and(|least| least <= SMALLEST),
        "maximum" | "exclusiveMaximum" => value.as_f64().is_some_and(|most| most >= LARGEST),
        "format" => value == "int64",
        _ => {
            *value == Value::Bool(false)
                || (keyword.starts_with("min") && value.as_u64() == Some(0))
        }
    };
    (!nothing).then_some(value)
}

/// The value with its sets in one order.
fn settled(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let settled = fields.iter().map(|(keyword, value)| {
                let mut value = settled(value);
                let is_set = matches!(keyword.as_str(), "enum" | "required" | "type");
                if let (true, Some(items)) = (is_set, value.as_array_mut()) {
                    items.sort_by_cached_key(ToString::to_string);
                }
                (keyword.clone(), value)
            });
            settled.collect()
        }
        Value::Array(items) => items.iter().map(settled).collect(),
        other => other.clone(),
    }
}

fn between(keyword: &str, was: &Value, is: &Value) -> Move {
    let (Some(was), Some(is)) = (was.as_f64(), is.as_f64()) else {
        return Move::Other;
    };
    let narrower = if LEAST.contains(&keyword) {
        is > was
    } else if MOST.contains(&keyword) {
        is < was
    } else {
        return Move::Other;
    };
    if narrower {
        Move::Narrowed
    } else {
        Move::Widened
    }
}

/// A value in a sentence.
fn short(value: &Value) -> String {
    let text = value.to_string();
    let long = text.chars().count() > 80;
    let shown: String = text.chars().take(80).collect();
    if long {
        format!("`{shown}…`")
    } else {
        format!("`{shown}`")
    }
}
