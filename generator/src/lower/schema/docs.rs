//! The documentation of types and fields: the specification's description, its constraints and an
//! example. It is Markdown as in the specification; emission makes it safe.

use serde_json::Value;

use super::{SchemaLowering, graph::Settled, view::View};
use crate::document::tree::Node;

/// The longest example and default that are shown, in characters of JSON.
const LONGEST_EXAMPLE: usize = 120;

/// The documented constraints, with the words before their values.
const CONSTRAINTS: [(&str, &str); 11] = [
    ("format", "format"),
    ("pattern", "pattern"),
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "characters at least"),
    ("maxLength", "characters at most"),
    ("minItems", "elements at least"),
    ("maxItems", "elements at most"),
];

impl<'a> SchemaLowering<'a> {
    /// The documentation of an item.
    pub(super) fn item_docs(&self, view: &View<'a>) -> String {
        let text = text_of(view.nodes.iter().rev().copied());
        text.unwrap_or_default().to_owned()
    }

    /// The documentation of a field.
    pub(super) fn field_docs(&mut self, settled: &Settled<'a>) -> String {
        if self.graph.work.is_spent() {
            return String::new();
        }
        let view = self.graph.view(&settled.parts);
        let wrappers = settled.wrappers.iter().copied();
        let text = text_of(wrappers.chain(view.nodes.iter().rev().copied()));
        let mut paragraphs = vec![text.unwrap_or_default().to_owned()];
        paragraphs.push(constraints(&view));
        paragraphs.extend(first_value(settled, &view, &["default"], "Default"));
        paragraphs.extend(first_value(
            settled,
            &view,
            &["example", "examples"],
            "Example",
        ));
        paragraphs.retain(|paragraph| !paragraph.is_empty());
        paragraphs.join("\n\n")
    }
}

/// A value as code within a line.
fn code(value: &str) -> String {
    format!("`{}`", value.replace('`', "'").replace(['\n', '\r'], " "))
}

/// The first description; without one, the first title.
fn text_of<'a>(nodes: impl Iterator<Item = &'a Node> + Clone) -> Option<&'a str> {
    let said = |keyword| {
        let mut texts = nodes.clone().filter_map(move |node| node.str_at(keyword));
        texts.find(|text| !text.trim().is_empty())
    };
    said("description").or_else(|| said("title"))
}

fn constraints(view: &View<'_>) -> String {
    let told: Vec<String> = CONSTRAINTS
        .iter()
        .filter_map(|(keyword, words)| {
            let value = match view.keyword(keyword)?.to_value() {
                Value::String(text) => text,
                value @ Value::Number(_) => value.to_string(),
                _ => return None,
            };
            (value.len() <= LONGEST_EXAMPLE).then(|| format!("{words} {}", code(&value)))
        })
        .collect();
    if told.is_empty() {
        return String::new();
    }
    format!("Constraints: {}.", told.join(", "))
}

/// The first value of some keywords.
fn first_value(
    settled: &Settled<'_>,
    view: &View<'_>,
    keywords: &[&str],
    label: &str,
) -> Option<String> {
    let nodes = settled.wrappers.iter().chain(view.nodes.iter().rev());
    let value = nodes
        .flat_map(|node| {
            keywords
                .iter()
                .filter_map(|keyword| Some((*keyword, node.get(keyword)?)))
        })
        .find_map(|(keyword, node)| match keyword {
            "examples" => node.items().next().map(Node::to_value),
            _ => Some(node.to_value()),
        })?;
    let json = value.to_string();
    let short = json.chars().count() <= LONGEST_EXAMPLE && !value.is_null();
    short.then(|| format!("{label}: {}.", code(&json)))
}
