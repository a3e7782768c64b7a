//! `anyOf`, `oneOf` and `allOf`: their schemas, matched between the sides.

use serde_json::Value;
use toolwright_schema::{alternatives, definition_name, properties, types};

use super::{
    body,
    place::Place,
    side::Move,
    walk::{Body, Walk, change},
};
use crate::{change::State, predicate::Predicate};

/// A schema without its alternative null.
pub(super) struct Core<'a> {
    pub(super) schema: &'a Value,
    /// The surrounding schema, if it was an alternative to null.
    pub(super) outer: Option<&'a Body>,
    pub(super) nullable: bool,
}

impl<'a> Core<'a> {
    pub(super) fn from_schema(schema: &'a Value) -> Self {
        let plain = |nullable| Self {
            schema,
            outer: None,
            nullable,
        };
        let Some((_, all)) = alternatives(schema) else {
            return plain(is_nullable(schema));
        };
        let others: Vec<_> = all.iter().filter(|schema| !is_null(schema)).collect();
        let nullable = others.len() < all.len();
        match others.as_slice() {
            [only] if is_bare(schema) => Self {
                schema: only,
                outer: schema.as_object(),
                nullable: nullable || is_nullable(only),
            },
            _ => plain(nullable),
        }
    }
}

/// Checks whether a schema has alternatives.
pub(super) fn are_in(schema: &Value) -> bool {
    alternatives(schema).is_some()
}

/// Compares the alternatives. Returns whether nothing else remains to compare.
pub(super) fn compare<'a>(
    walk: &mut Walk<'_, 'a>,
    old: &'a Value,
    new: &'a Value,
    at: &Place,
) -> bool {
    let (was, is) = (alternatives(old), alternatives(new));
    if was.is_none() && is.is_none() {
        return false;
    }
    // A schema without alternatives counts as the only one, unless the other has more keywords.
    let is_complete = [(old, was), (new, is)]
        .into_iter()
        .all(|(schema, alternatives)| alternatives.is_none() || is_bare(schema));
    let list = |schema: &'a Value, alternatives: Option<(&'a str, &'a [Value])>| match alternatives
    {
        Some((keyword, all)) => {
            let all = all.iter().enumerate();
            let all = all.map(|(index, schema)| (format!("{keyword}/{index}"), schema));
            all.filter(|(_, schema)| !is_null(schema)).collect()
        }
        None if is_complete => vec![(String::new(), schema)],
        None => Vec::new(),
    };
    let (mut olds, mut news) = (list(old, was), list(new, is));
    let enums = (values(&olds), values(&news));
    let mut pairs = matched(&mut olds, &mut news);
    if let (Some(was), Some(is)) = enums {
        body::values(walk, Some(was), Some(is), at);
    } else {
        if let ([(_, old)], [(keyword, new)]) = (olds.as_slice(), news.as_slice())
            && (pairs.is_empty()
                || definition_name(old).is_none()
                || definition_name(new).is_none())
        {
            pairs.push((*old, *new, keyword.clone()));
            olds.clear();
            news.clear();
        }
        report(walk, Move::Narrowed, &olds, at);
        report(walk, Move::Widened, &news, at);
    }
    for (was, is, keyword) in pairs {
        // Null and the annotations of an only alternative are compared already.
        if std::ptr::eq(was, old) || std::ptr::eq(is, new) {
            walk.inside(was, is, at);
        } else {
            walk.node(was, is, &at.same(&keyword));
        }
    }
    is_complete
}

/// Compares the schemas that hold together.
pub(super) fn parts<'a>(walk: &mut Walk<'_, 'a>, old: &'a Body, new: &'a Body, at: &Place) {
    let list = |body: &'a Body| -> Vec<(String, &'a Value)> {
        let parts = body.get("allOf").and_then(Value::as_array);
        let parts = parts.into_iter().flatten().enumerate();
        parts
            .map(|(index, part)| (format!("allOf/{index}"), part))
            .collect()
    };
    let (mut olds, mut news) = (list(old), list(new));
    for (old, new, keyword) in matched(&mut olds, &mut news) {
        walk.node(old, new, &at.same(&keyword));
    }
    for (_, part) in olds {
        let change = change(
            walk.side.bound_change(Move::Widened),
            at,
            Predicate::PartRemoved,
        );
        walk.changes
            .push(change.before(State::plain(body::describe(part))));
    }
    for (_, part) in news {
        let change = change(
            walk.side.bound_change(Move::Narrowed),
            at,
            Predicate::PartAdded,
        );
        walk.changes
            .push(change.after(State::plain(body::describe(part))));
    }
}

/// Schemas with their keywords.
type List<'a> = [(String, &'a Value)];

/// Removes matching schemas from both lists, by the strictest rule first.
fn matched<'a>(
    olds: &mut Vec<(String, &'a Value)>,
    news: &mut Vec<(String, &'a Value)>,
) -> Vec<(&'a Value, &'a Value, String)> {
    let mut pairs = Vec::new();
    for rule in [
        same,
        same_value,
        same_reference,
        same_title,
        same_tag,
        same_words,
    ] {
        olds.retain(|(_, old)| {
            let Some(index) = news.iter().position(|(_, new)| rule(old, new)) else {
                return true;
            };
            let (keyword, new) = news.remove(index);
            pairs.push((*old, new, keyword));
            false
        });
    }
    pairs
}

/// Returns the values of the alternatives if each of them only lists values.
fn values<'a>(list: &List<'a>) -> Option<Vec<&'a Value>> {
    let values = list
        .iter()
        .map(|(_, schema)| body::values_of(schema.as_object()?));
    let values: Option<Vec<Vec<&Value>>> = values.collect();
    values.map(|values| values.into_iter().flatten().collect())
}

/// Reports added or removed alternatives.
fn report(walk: &mut Walk<'_, '_>, to: Move, list: &List<'_>, at: &Place) {
    if list.is_empty() {
        return;
    }
    let kinds: Vec<String> = list
        .iter()
        .map(|(_, schema)| body::describe(schema))
        .collect();
    let words = kinds.join(", ");
    let state = State::described(kinds, words);
    let kind = walk.side.type_change(to);
    walk.changes.push(if to == Move::Widened {
        change(kind, at, Predicate::ValuesAdded).after(state)
    } else {
        change(kind, at, Predicate::ValuesRemoved).before(state)
    });
}

/// Checks whether the schema has only alternatives and annotations.
fn is_bare(schema: &Value) -> bool {
    let said = ["type", "properties", "items", "enum", "const", "required"];
    !said.iter().any(|keyword| schema.get(keyword).is_some())
}

/// Checks whether an alternative is null. An empty one is too: documents add a schema with only
/// `nullable` to the others.
fn is_null(schema: &Value) -> bool {
    match schema.as_object() {
        Some(body) if body.is_empty() => true,
        _ => schema.get("type").and_then(Value::as_str) == Some("null"),
    }
}

/// Checks whether the types or the values of the schema contain null.
fn is_nullable(schema: &Value) -> bool {
    let values = schema.get("enum").and_then(Value::as_array);
    let is_list = schema.get("type").is_some_and(Value::is_array);
    is_list && types(schema).any(|name| name == "null")
        || values.is_some_and(|values| values.contains(&Value::Null))
}

fn same(old: &Value, new: &Value) -> bool {
    old == new
}

fn same_value(old: &Value, new: &Value) -> bool {
    only_value(old).is_some() && only_value(old) == only_value(new)
}

fn same_reference(old: &Value, new: &Value) -> bool {
    definition_name(old).is_some() && definition_name(old) == definition_name(new)
}

fn same_title(old: &Value, new: &Value) -> bool {
    old.get("title").is_some() && old.get("title") == new.get("title")
}

/// Checks whether a field of both has the same only value, which distinguishes alternatives.
fn same_tag(old: &Value, new: &Value) -> bool {
    let marks = |schema| properties(schema).filter_map(|(name, of)| Some((name, only_value(of)?)));
    let old: Vec<(&str, &Value)> = marks(old).collect();
    marks(new).any(|mark| old.contains(&mark))
}

fn only_value(schema: &Value) -> Option<&Value> {
    schema.get("const").or_else(|| {
        let values = schema.get("enum")?.as_array()?;
        values.first().filter(|_| values.len() == 1)
    })
}

/// Checks whether the short descriptions of two schemas without reference are equal.
fn same_words(old: &Value, new: &Value) -> bool {
    definition_name(old).is_none()
        && definition_name(new).is_none()
        && body::describe(old) == body::describe(new)
}
