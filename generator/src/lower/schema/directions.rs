//! Schemas with parts that exist in one direction only.

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::RandomState;

use super::{
    Direction,
    graph::{Graph, Key, Parts},
};
use crate::document::tree::Node;

/// The known directions of schemas.
#[derive(Debug, Default)]
pub(super) struct Directions {
    /// True if a schema, or one that it reaches, differs from the document in a direction.
    partial: BTreeMap<Direction, HashMap<Key, bool, RandomState>>,
}

impl<'a> Graph<'a> {
    /// Checks whether a direction leaves out a part of the schema, or of one that it reaches.
    pub(super) fn is_partial(&mut self, parts: &Parts<'a>, direction: Direction) -> bool {
        parts
            .iter()
            .any(|part| self.is_partial_node(part.node, direction))
    }

    fn is_partial_node(&mut self, node: &'a Node, direction: Direction) -> bool {
        let start = Key::from_node(node);
        if self.directions.knows(direction, start).is_none() {
            self.learn(node, direction);
        }
        self.directions.knows(direction, start) == Some(true)
    }

    /// Learns of a schema and of all that it reaches whether a direction leaves out a part of
    /// them. Each schema is looked at once.
    fn learn(&mut self, node: &'a Node, direction: Direction) {
        let flag = left_out(direction);
        let mut seen: HashSet<Key, RandomState> = HashSet::default();
        let mut partial = Vec::new();
        // The schemas that lead to a schema.
        let mut users: HashMap<Key, Vec<Key>, RandomState> = HashMap::default();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let key = Key::from_node(node);
            let known = self.directions.knows(direction, key);
            if known == Some(true) || known.is_none() && node.is_true(flag) {
                partial.push(key);
            }
            if known.is_some() || !seen.insert(key) {
                continue;
            }
            let first = open.len();
            self.push_reached(node, &mut open);
            for inner in open.iter().skip(first) {
                users.entry(Key::from_node(inner)).or_default().push(key);
            }
        }
        let known = self.directions.partial.entry(direction).or_default();
        known.extend(seen.into_iter().map(|key| (key, false)));
        while let Some(key) = partial.pop() {
            known.insert(key, true);
            partial.extend(users.remove(&key).into_iter().flatten());
        }
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
    fn knows(&self, direction: Direction, key: Key) -> Option<bool> {
        self.partial.get(&direction)?.get(&key).copied()
    }
}

/// Returns the flag of the parts that a direction leaves out.
pub(super) const fn left_out(direction: Direction) -> &'static str {
    match direction {
        Direction::Request => "readOnly",
        Direction::Response => "writeOnly",
    }
}
