//! Keywords that stand for themselves: annotations and constraints, evened out.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::view::View;
use crate::document::tree::Node;

/// The longest example that is kept, in bytes of JSON.
const LONGEST_EXAMPLE: usize = 200;

/// The deepest that a value in a schema is nested: a default, an example, a listed value.
const DEEPEST_VALUE: usize = 8;

/// Returns the annotations of a node, without the keywords that restrict values.
pub(super) fn annotations(node: &Node) -> Map<String, Value> {
    annotated(|keyword| node.get(keyword))
}

/// Returns the annotations of a merged schema.
pub(super) fn annotations_of(view: &View<'_>) -> Map<String, Value> {
    annotated(|word| view.keyword(word))
}

/// Checks whether a keyword's value is a schema.
pub(super) fn holds_schema(keyword: &str) -> bool {
    matches!(
        keyword,
        "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties"
    )
}

/// A constraint as JSON Schema 2020-12 writes it; none for what it does not know, or has no
/// sense.
pub(super) fn constraint(view: &View<'_>, keyword: &str, node: &Node) -> Option<(String, Value)> {
    let value = node.to_value();
    let is_true = |word| view.keyword(word).and_then(Node::as_bool) == Some(true);
    let (keyword, value) = match keyword {
        "minimum" if is_true("exclusiveMinimum") => ("exclusiveMinimum", number(value)?),
        "maximum" if is_true("exclusiveMaximum") => ("exclusiveMaximum", number(value)?),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            (keyword, number(value)?)
        }
        "multipleOf" => (keyword, number(value).filter(|by| by.as_f64() > Some(0.0))?),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minContains" | "maxContains"
        | "minProperties" | "maxProperties" => (keyword, size(&value)?),
        "uniqueItems" => (
            keyword,
            Value::Bool(value.as_bool().filter(|unique| *unique)?),
        ),
        "pattern" => (keyword, pattern(value.as_str()?).into()),
        "format" => return format(value.as_str()?),
        "contentEncoding" | "contentMediaType" => (keyword, value.as_str()?.into()),
        "dependentRequired" => (keyword, dependent(node)?),
        _ => return None,
    };
    Some((keyword.to_owned(), value))
}

/// Returns the properties that others require, without values that are not lists of names.
fn dependent(node: &Node) -> Option<Value> {
    let lists = node.fields().filter_map(|(name, node)| {
        let names: BTreeSet<&str> = node.as_array()?.iter().filter_map(Node::as_str).collect();
        Some((name.to_owned(), names.into_iter().collect()))
    });
    let lists: Map<String, Value> = lists.collect();
    (!lists.is_empty()).then_some(Value::Object(lists))
}

fn annotated<'n>(said: impl Fn(&str) -> Option<&'n Node>) -> Map<String, Value> {
    let mut out = Map::new();
    let text = |keyword| {
        let text = said(keyword)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    if let Some(description) = text("description") {
        out.insert("description".to_owned(), description.into());
    } else if let Some(title) = text("title") {
        out.insert("title".to_owned(), title.into());
    }
    let default = said("default")
        .filter(|node| is_shallow(node))
        .map(Node::to_value);
    if let Some(default) = default.filter(|default| !default.is_null() && is_short(default)) {
        out.insert("default".to_owned(), default);
    }
    let examples = said("examples").into_iter().flat_map(Node::items);
    let examples: Vec<Value> = examples
        .chain(said("example"))
        .filter(|node| is_shallow(node))
        .map(Node::to_value)
        .filter(|example| !example.is_null() && is_short(example))
        .take(2)
        .collect();
    if !examples.is_empty() {
        out.insert("examples".to_owned(), examples.into());
    }
    if said("deprecated").and_then(Node::as_bool) == Some(true) {
        out.insert("deprecated".to_owned(), true.into());
    }
    out
}

/// Checks whether the nesting of a value fits into a record.
pub(super) fn is_shallow(node: &Node) -> bool {
    let mut open = vec![(node, 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > DEEPEST_VALUE {
            return false;
        }
        open.extend(node.items().map(|node| (node, depth + 1)));
        open.extend(node.fields().map(|(_, node)| (node, depth + 1)));
    }
    true
}

fn is_short(value: &Value) -> bool {
    value.to_string().len() <= LONGEST_EXAMPLE
}

/// Documents put quotes around numbers.
fn number(value: Value) -> Option<Value> {
    match value {
        Value::Number(_) => Some(value),
        Value::String(text) => serde_json::from_str(&text).ok().filter(Value::is_number),
        _ => None,
    }
}

/// A whole number that is not negative.
fn size(value: &Value) -> Option<Value> {
    let number = number(value.clone())?;
    let whole = number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        let whole = float.fract() == 0.0 && (0.0..9e15).contains(&float);
        whole.then(|| format!("{float:.0}").parse().ok()).flatten()
    });
    whole.map(Value::from)
}

/// Returns a regular expression in the form of JSON Schema: without enclosing slashes, and with
/// ECMAScript's anchors instead of those of other languages.
fn pattern(text: &str) -> String {
    text.strip_prefix('/')
        .and_then(|inner| inner.strip_suffix('/'))
        .filter(|inner| inner.starts_with('^') || inner.ends_with('$'))
        .unwrap_or(text)
        .replace(r"\A", "^")
        .replace(r"\Z", "$")
        .replace(r"\z", "$")
}

/// Bytes are base64 in JSON.
fn format(word: &str) -> Option<(String, Value)> {
    match word {
        "binary" | "byte" | "base64" => Some(("contentEncoding".to_owned(), "base64".into())),
        "" => None,
        _ => Some(("format".to_owned(), word.into())),
    }
}
