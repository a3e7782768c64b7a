//! The values of a discriminator, which select the variant of a union.

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::{
    SchemaLowering,
    graph::{Parts, Settled},
    view::View,
};
use crate::document::tree::Node;

impl<'a> SchemaLowering<'a> {
    /// Returns the discriminator's values for a variant: those of the mapping, or those that its
    /// schema lists, or its name.
    pub(super) fn tags(
        &mut self,
        discriminator: Option<&'a Node>,
        property: &str,
        node: &'a Node,
        settled: &Settled<'a>,
        view: &View<'a>,
    ) -> Vec<String> {
        let end = settled.parts.last().node;
        let mapped = discriminator.map(|discriminator| self.mapped_to(discriminator, node, end));
        if let Some(mapped) = mapped.filter(|mapped| !mapped.is_empty()) {
            return mapped;
        }
        let listed = listed_texts(view, Some(property));
        if !listed.is_empty() {
            return listed;
        }
        self.graph
            .name(end)
            .into_iter()
            .map(ToOwned::to_owned)
            .collect()
    }

    /// The values that a discriminator maps to a variant.
    fn mapped_to(&mut self, discriminator: &'a Node, node: &Node, end: &Node) -> Vec<String> {
        let mapping = discriminator.get("mapping");
        let mut mapped = Vec::new();
        let entries = mapping.and_then(Node::as_object).map_or(0, IndexMap::len);
        self.graph.work.spend(entries);
        for (value, target) in mapping.into_iter().flat_map(Node::fields) {
            if let Some(target) = self.graph.mapped(target)
                && (std::ptr::eq(target, node) || self.graph.is_other_name(target, end))
            {
                mapped.push(value.to_owned());
            }
        }
        mapped
    }

    /// Adds the discriminator's values to the schema of a referenced variant, unless it lists
    /// exactly these: otherwise an agent would not see them.
    pub(super) fn told_apart(&mut self, union: &View<'a>, node: &'a Node, schema: Value) -> Value {
        let only = union.unions.len() == 1;
        let discriminator = union.discriminator.filter(|_| only);
        let property = discriminator.and_then(property_name);
        let (Some(discriminator), Some(property)) = (discriminator, property) else {
            return schema;
        };
        if self.graph.work.is_spent() {
            return schema;
        }
        let settled = self.graph.settle(Parts::one(node));
        let mapped = self.mapped_to(discriminator, node, settled.parts.last().node);
        let listed = listed_texts(&self.graph.view(&settled.parts), Some(property));
        let known = |value: &String| mapped.contains(value);
        // A list that has none of them contradicts the mapping.
        let unsaid = listed.is_empty() || (listed.iter().any(known) && !listed.iter().all(known));
        match schema {
            Value::Object(mut keywords)
                if unsaid && !mapped.is_empty() && keywords.contains_key("$ref") =>
            {
                let values = json!({property: {"enum": mapped}});
                keywords.entry("properties").or_insert(values);
                Value::Object(keywords)
            }
            other => other,
        }
    }
}

/// Returns the property of a discriminator: an object in OpenAPI 3, a string in Swagger 2.0.
pub(super) fn property_name(discriminator: &Node) -> Option<&str> {
    discriminator
        .as_str()
        .or_else(|| discriminator.str_at("propertyName"))
}

/// Returns the strings that a property of a schema lists.
pub(super) fn listed_texts(view: &View<'_>, property: Option<&str>) -> Vec<String> {
    let parts = match property {
        Some(property) => view.properties.get(property),
        // Without a discriminator, a property that lists one value is as good as one.
        None => view
            .properties
            .values()
            .find(|parts| parts.iter().any(|part| single_text(part.node).is_some())),
    };
    let nodes = parts
        .into_iter()
        .flat_map(Parts::iter)
        .map(|part| part.node);
    nodes
        .flat_map(|node| {
            let listed = node.get("enum").into_iter().flat_map(Node::items);
            listed.chain(node.get("const"))
        })
        .filter_map(Node::as_str)
        .map(ToOwned::to_owned)
        .collect()
}

fn single_text(node: &Node) -> Option<&str> {
    match node.get("enum").and_then(Node::as_array) {
        Some([only]) => only.as_str(),
        Some(_) => None,
        None => node.str_at("const"),
    }
}
