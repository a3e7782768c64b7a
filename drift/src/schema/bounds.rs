//! Bounds of values: lengths, ranges, patterns, and the other keywords of a schema.

use serde_json::Value;

use super::{
    place::Place,
    side::Move,
    walk::{Body, Walk},
};
use crate::{
    change::{Change, State},
    predicate::Predicate,
};

/// Numeric bounds that allow less as they grow.
const LEAST: [&str; 6] = [
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "minProperties",
    "minContains",
];

/// Numeric bounds that allow more as they grow.
const MOST: [&str; 6] = [
    "maximum",
    "exclusiveMaximum",
    "maxLength",
    "maxItems",
    "maxProperties",
    "maxContains",
];

/// The range of integers with 64 bits.
const SMALLEST: f64 = -9_223_372_036_854_775_808.0;
const LARGEST: f64 = 9_223_372_036_854_775_807.0;

/// Keywords that other modules compare, or that do not bound a value.
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
        if is_same(was, is) {
            is.into_iter().for_each(|value| walk.link(value));
            continue;
        }
        let to = match (was, is) {
            (None, _) => Move::Narrowed,
            (_, None) => Move::Widened,
            (Some(was), Some(is)) => between(keyword, was, is),
        };
        let predicate = match (was, is) {
            (None, Some(_)) => Predicate::BoundAdded,
            (Some(_), None) => Predicate::BoundRemoved,
            (Some(_), Some(_)) => Predicate::BoundChanged,
            (None, None) => continue,
        };
        let named =
            |value: &Value| State::described(value, format!("`{keyword}` {}", shortened(value)));
        let bare = |value: &Value| State::described(value, shortened(value));
        let kind = walk.side.bound_change(to);
        let change = Change::new(kind, at.below(keyword), at.subject(), predicate);
        let before = if is.is_none() {
            was.map(named)
        } else {
            was.map(bare)
        };
        walk.changes.push(
            change
                .before(before.unwrap_or_default())
                .after(is.map(named).unwrap_or_default()),
        );
    }
}

/// Returns a bound unless it has no effect. No string has a negative length, and no integer in a
/// request exceeds 64 bits.
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

/// Checks whether two bounds are equal: `1` and `1.0` are, and so are the same sets.
fn is_same(was: Option<&Value>, is: Option<&Value>) -> bool {
    let number = |value: Option<&Value>| value.filter(|value| value.is_f64())?.as_f64();
    let is_float = number(was).or(number(is)).is_some();
    match (was.and_then(Value::as_f64), is.and_then(Value::as_f64)) {
        (Some(was), Some(is)) if is_float => was.total_cmp(&is).is_eq(),
        _ => was.map(normalised) == is.map(normalised),
    }
}

/// Sorts the sets in a value.
fn normalised(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(keyword, value)| {
                let mut value = normalised(value);
                let is_set = matches!(keyword.as_str(), "enum" | "required" | "type");
                if let (true, Some(items)) = (is_set, value.as_array_mut()) {
                    items.sort_by_cached_key(ToString::to_string);
                }
                (keyword.clone(), value)
            });
            fields.collect()
        }
        Value::Array(items) => items.iter().map(normalised).collect(),
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

/// Shortens a value for a sentence.
fn shortened(value: &Value) -> String {
    let text = value.to_string();
    let long = text.chars().count() > 80;
    let shown: String = text.chars().take(80).collect();
    if long {
        format!("`{shown}…`")
    } else {
        format!("`{shown}`")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_by_their_value() {
        for (was, is, expected) in [
            (json!(1), json!(1.0), true),
            (json!(1), json!(1.5), false),
            (
                json!(9_007_199_254_740_993_u64),
                json!(9_007_199_254_740_992_u64),
                false,
            ),
            (json!("1"), json!(1.0), false),
        ] {
            assert_eq!(is_same(Some(&was), Some(&is)), expected, "{was}, {is}");
        }
        assert!(!is_same(None, Some(&json!(1.0))));
    }
}
