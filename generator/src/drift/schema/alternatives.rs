//! `anyOf` and `oneOf`: which alternatives there are, and which is which.

use serde_json::{Value, json};

use super::{
    place::Place,
    side::{Move, Side},
    walk::{Body, Walk, reference, words},
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
    let list = |schema: &'a Value, alternatives: Option<(&'a str, &'a Vec<Value>)>| match alternatives {
        Some((keyword, all)) => {
            let all = all.iter().enumerate();
            let all = all.map(|(index, schema)| (format!("{keyword}/{index}"), schema));
            all.filter(|(_, schema)| !is_null(schema)).collect()
        }
        None if all_is_said => vec![(String::new(), schema)],
        None => Vec::new(),
    };
    let (mut olds, mut news) = (list(old, was), list(new, is));
    let mut pairs = Vec::new();
    for rule in [same, same_reference, same_title, same_mark, same_words] {
        olds.retain(|(_, old)| {
            let found = news.iter().position(|(_, new)| rule(old, new));
            match found {
                Some(index) => {
                    let (keyword, new) = news.remove(index);
                    pairs.push((*old, new, keyword));
                    false
                }
                None => true,
            }
        });
    }
    let left = (olds.as_slice(), news.as_slice());
    if let ([(_, old)], [(keyword, new)]) = left
        && (pairs.is_empty() || reference(old).is_none() || reference(new).is_none())
    {
        pairs.push((*old, *new, keyword.clone()));
        olds.clear();
        news.clear();
    }
    for (_, schema) in &olds {
        tell(walk, Move::Narrowed, schema, at);
    }
    for (_, schema) in &news {
        tell(walk, Move::Widened, schema, at);
    }
    for (old, new, keyword) in pairs {
        walk.node(old, new, &at.same(&keyword));
    }
    all_is_said
}

/// An alternative is new, or gone.
fn tell(walk: &mut Walk<'_, '_>, to: Move, schema: &Value, at: &Place) {
    let (place, kind) = (at.words(), words(schema));
    let is_new = to == Move::Widened;
    let says = match (walk.side, is_new) {
        (Side::Argument, true) => format!("{place} takes {kind} too"),
        (Side::Argument, false) => format!("{place} no longer takes {kind}"),
        (Side::Result, true) => format!("{place} may be {kind} too"),
        (Side::Result, false) => format!("{place} is no longer {kind}"),
    };
    let shown = json!(kind);
    let found = walk.found(walk.side.of_type(to), at, says);
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

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
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
    reference(old).is_none() && reference(new).is_none() && words(old) == words(new)
}
