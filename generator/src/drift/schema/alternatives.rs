//! `anyOf` and `oneOf`: which alternatives there are, and which is which.

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
    let (was_any, is_any) = (anything(&olds), anything(&news));
    let enums = (values(&olds), values(&news));
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
    if let (Some(was), Some(is)) = enums {
        body::values(walk, Some(was), Some(is), at);
    } else {
        if let ([(_, old)], [(keyword, new)]) = (olds.as_slice(), news.as_slice())
            && (pairs.is_empty() || reference(old).is_none() || reference(new).is_none())
            && !(was_any || is_any)
        {
            pairs.push((*old, *new, keyword.clone()));
            olds.clear();
            news.clear();
        }
        // Where anything goes, the others only say what to expect.
        if !is_any {
            tell(walk, Move::Narrowed, &olds, at);
        }
        if !was_any {
            tell(walk, Move::Widened, &news, at);
        }
    }
    for (old, new, keyword) in pairs {
        walk.node(old, new, &at.same(&keyword));
    }
    all_is_said
}

/// Alternatives, each with its keyword.
type List<'a> = [(String, &'a Value)];

/// Whether anything goes, whatever else is listed.
fn anything(list: &List<'_>) -> bool {
    list.iter().any(|(_, schema)| match schema {
        Value::Object(body) => body.is_empty(),
        other => **other == Value::Bool(true),
    })
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
