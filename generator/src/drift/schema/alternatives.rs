//! `anyOf`, `oneOf` and `allOf`: which schemas they list, and which is which.

use serde_json::{Value, json};

use super::{
    body,
    place::Place,
    side::{Move, Side},
    walk::{Body, Walk, reference},
};

/// A schema without the null beside it.
pub(super) struct Core<'a> {
    pub(super) schema: &'a Value,
    /// What stands around it, where it was an alternative to null.
    pub(super) outer: Option<&'a Body>,
    pub(super) nullable: bool,
}

impl<'a> Core<'a> {
    pub(super) fn of(schema: &'a Value) -> Self {
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

/// Whether there is something to choose from.
pub(super) fn are_in(schema: &Value) -> bool {
    alternatives(schema).is_some()
}

/// Compares what is to be chosen from. Whether that was all there is to compare.
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
    // A schema without alternatives is the only one, unless they stand beside what it says.
    let all_is_said = [(old, was), (new, is)]
        .into_iter()
        .all(|(schema, alternatives)| alternatives.is_none() || is_bare(schema));
    let list =
        |schema: &'a Value, alternatives: Option<(&'a str, &'a Vec<Value>)>| match alternatives {
            Some((keyword, all)) => {
                let all = all.iter().enumerate();
                let all = all.map(|(index, schema)| (format!("{keyword}/{index}"), schema));
                all.filter(|(_, schema)| !is_null(schema)).collect()
            }
            None if all_is_said => vec![(String::new(), schema)],
            None => Vec::new(),
        };
    let (mut olds, mut news) = (list(old, was), list(new, is));
    let enums = (values(&olds), values(&news));
    let mut pairs = matched(&mut olds, &mut news);
    if let (Some(was), Some(is)) = enums {
        body::values(walk, Some(was), Some(is), at);
    } else {
        if let ([(_, old)], [(keyword, new)]) = (olds.as_slice(), news.as_slice())
            && (pairs.is_empty() || reference(old).is_none() || reference(new).is_none())
        {
            pairs.push((*old, *new, keyword.clone()));
            olds.clear();
            news.clear();
        }
        tell(walk, Move::Narrowed, &olds, at);
        tell(walk, Move::Widened, &news, at);
    }
    for (was, is, keyword) in pairs {
        // Null and the texts of a schema that is the only one are compared already.
        if std::ptr::eq(was, old) || std::ptr::eq(is, new) {
            walk.inside(was, is, at);
        } else {
            walk.node(was, is, &at.same(&keyword));
        }
    }
    all_is_said
}

/// Compares what holds all at once.
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
    for (to, parts) in [(Move::Widened, olds), (Move::Narrowed, news)] {
        for (_, part) in parts {
            let kind = body::shown(part);
            let says = match to {
                Move::Widened => format!("no longer has to be {kind} besides"),
                Move::Narrowed | Move::Other => format!("has to be {kind} besides"),
            };
            let found = walk.found(walk.side.of_bound(to), at, &says);
            walk.found.push(match to {
                Move::Widened => found.before(json!(kind)),
                Move::Narrowed | Move::Other => found.after(json!(kind)),
            });
        }
    }
}

/// Schemas, each with its keyword.
type List<'a> = [(String, &'a Value)];

/// Takes those out of both lists that are the same schema, by the surest rule.
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
        same_mark,
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

/// The values that the alternatives list, where all they do is that.
fn values<'a>(list: &List<'a>) -> Option<Vec<&'a Value>> {
    let values = list
        .iter()
        .map(|(_, schema)| body::values_of(schema.as_object()?));
    let values: Option<Vec<Vec<&Value>>> = values.collect();
    values.map(|values| values.into_iter().flatten().collect())
}

/// Alternatives are new, or gone.
fn tell(walk: &mut Walk<'_, '_>, to: Move, list: &List<'_>, at: &Place) {
    if list.is_empty() {
        return;
    }
    let kinds: Vec<String> = list.iter().map(|(_, schema)| body::shown(schema)).collect();
    let is_new = to == Move::Widened;
    let shown = json!(kinds);
    let kinds = kinds.join(", ");
    let says = match (walk.side, is_new) {
        (Side::Argument, true) => format!("takes {kinds} too"),
        (Side::Argument, false) => format!("no longer takes {kinds}"),
        (Side::Result, true) => format!("may be {kinds} too"),
        (Side::Result, false) => format!("may no longer be {kinds}"),
    };
    let found = walk.found(walk.side.of_type(to), at, &says);
    walk.found.push(if is_new {
        found.after(shown)
    } else {
        found.before(shown)
    });
}

fn alternatives(schema: &Value) -> Option<(&'static str, &Vec<Value>)> {
    let of = |keyword| Some((keyword, schema.get(keyword)?.as_array()?));
    of("anyOf").or_else(|| of("oneOf"))
}

/// Whether the schema has nothing but its alternatives, and texts.
fn is_bare(schema: &Value) -> bool {
    let said = ["type", "properties", "items", "enum", "const", "required"];
    !said.iter().any(|keyword| schema.get(keyword).is_some())
}

/// Whether the alternative is null. One that says nothing means it too: documents write a schema
/// with `nullable` and no more beside the others.
fn is_null(schema: &Value) -> bool {
    match schema.as_object() {
        Some(body) if body.is_empty() => true,
        _ => schema.get("type").and_then(Value::as_str) == Some("null"),
    }
}

/// Whether null is among the types, or the values, of the schema.
fn is_nullable(schema: &Value) -> bool {
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    list("type").is_some_and(|types| types.contains(&json!("null")))
        || list("enum").is_some_and(|values| values.contains(&Value::Null))
}

fn same(old: &Value, new: &Value) -> bool {
    old == new
}

fn same_value(old: &Value, new: &Value) -> bool {
    only_value(old).is_some() && only_value(old) == only_value(new)
}

fn same_reference(old: &Value, new: &Value) -> bool {
    reference(old).is_some() && reference(old) == reference(new)
}

fn same_title(old: &Value, new: &Value) -> bool {
    old.get("title").is_some() && old.get("title") == new.get("title")
}

/// A field has the same one value in both, by which they are told from the others.
fn same_mark(old: &Value, new: &Value) -> bool {
    let marks = |schema: &Value| -> Vec<(String, Value)> {
        let fields = schema.get("properties").and_then(Value::as_object);
        let fields = fields.into_iter().flatten();
        fields
            .filter_map(|(name, schema)| Some((name.clone(), only_value(schema)?.clone())))
            .collect()
    };
    let old = marks(old);
    marks(new).iter().any(|mark| old.contains(mark))
}

fn only_value(schema: &Value) -> Option<&Value> {
    schema.get("const").or_else(|| {
        let values = schema.get("enum")?.as_array()?;
        values.first().filter(|_| values.len() == 1)
    })
}

/// Neither is a reference, and both are the same in a few words.
fn same_words(old: &Value, new: &Value) -> bool {
    reference(old).is_none() && reference(new).is_none() && body::shown(old) == body::shown(new)
}
