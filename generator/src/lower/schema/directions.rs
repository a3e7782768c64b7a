//! What travels in one direction only, and which schemas that concerns.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Direction,
    graph::{Graph, Key, Parts},
};
use crate::tree::Node;

/// What is known of schemas by direction.
#[derive(Debug, Default)]
pub(super) struct Directions {
    /// The schemas that are the same in a direction as in the document, with all they reach.
    whole: BTreeMap<Direction, BTreeSet<Key>>,
    /// Those that are not.
    partial: BTreeMap<Direction, BTreeSet<Key>>,
}

impl<'a> Graph<'a> {
    /// Whether a direction leaves out a part of the schema, or of what it reaches.
    pub(super) fn is_partial(&mut self, parts: &Parts<'a>, direction: Direction) -> bool {
        parts
            .iter()
            .any(|part| self.is_partial_node(part.node, direction))
    }

    fn is_partial_node(&mut self, node: &'a Node, direction: Direction) -> bool {
        let start = Key::of(node);
        if self.directions.knows_partial(direction, start) {
            return true;
        }
        let flag = left_out(direction);
        let mut seen = BTreeSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let key = Key::of(node);
            if self.directions.knows_whole(direction, key) || !seen.insert(key) {
                continue;
            }
            if node.is_true(flag) || self.directions.knows_partial(direction, key) {
                self.directions
                    .partial
                    .entry(direction)
                    .or_default()
                    .insert(start);
                return true;
            }
            self.push_reached(node, &mut open);
        }
        self.directions
            .whole
            .entry(direction)
            .or_default()
            .extend(seen);
        false
    }

    /// The schemas that a schema is made of or leads to.
    fn push_reached(&self, node: &'a Node, open: &mut Vec<&'a Node>) {
        for (keyword, value) in node.fields() {
            match keyword {
                "properties" | "patternProperties" | "dependentSchemas" => {
                    open.extend(value.fields().map(|(_, schema)| schema));
                }
                "allOf" | "oneOf" | "anyOf" | "prefixItems" => open.extend(value.items()),
                "items" | "additionalProperties" | "not" | "if" | "then" | "else" => {
                    open.push(value);
                    open.extend(value.items());
                }
                "$ref" => open.extend(self.documents.target(value).ok()),
                "discriminator" => {
                    open.extend(self.subtypes(node));
                }
                _ => {}
            }
        }
    }
}

impl Directions {
    fn knows_whole(&self, direction: Direction, key: Key) -> bool {
        self.whole
            .get(&direction)
            .is_some_and(|keys| keys.contains(&key))
    }

    fn knows_partial(&self, direction: Direction, key: Key) -> bool {
        self.partial
            .get(&direction)
            .is_some_and(|keys| keys.contains(&key))
    }
}

/// The flag of what a direction leaves out.
pub(super) const fn left_out(direction: Direction) -> &'static str {
    match direction {
        Direction::Request => "readOnly",
        Direction::Response => "writeOnly",
    }
}
