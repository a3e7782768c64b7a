//! Anchors and aliases, with a limit on their expansion.

use std::collections::BTreeMap;

use super::{Data, Node};
use crate::document::{
    diagnostic::{Code, Diagnostic},
    source::Place,
    tree::Fields,
};

/// The approximate maximum memory for the aliases of a file, in bytes.
const LARGEST_EXPANSION: usize = 256 << 20;

/// The values of the anchors in a file.
#[derive(Default)]
pub(super) struct Anchors {
    known: BTreeMap<usize, Anchored>,
    expanded: usize,
}

/// The value of an anchor.
#[derive(Clone)]
pub(super) struct Anchored {
    pub(super) node: Node,
    /// The nesting depth of its objects and arrays.
    pub(super) height: usize,
    /// The approximate memory of a copy, in bytes.
    weight: usize,
}

impl Anchors {
    /// Records the value of an anchor; 0 means no anchor.
    pub(super) fn define(&mut self, anchor: usize, node: &Node) {
        if anchor != 0 {
            let anchored = Anchored {
                height: height(node),
                weight: weight(node),
                node: node.clone(),
            };
            self.known.insert(anchor, anchored);
        }
    }

    /// Returns a copy of an anchor's value.
    pub(super) fn expand(
        &mut self,
        anchor: usize,
        alias: Place,
    ) -> Result<Anchored, Box<Diagnostic>> {
        let Some(anchored) = self.known.get(&anchor) else {
            let message = "this alias refers to a node that contains it";
            return Err(Box::new(Diagnostic::error(
                Code::CircularReference,
                alias,
                message,
            )));
        };
        self.expanded = self.expanded.saturating_add(anchored.weight);
        if self.expanded > LARGEST_EXPANSION {
            return Err(Box::new(
                Diagnostic::error(
                    Code::AliasExpansion,
                    alias,
                    "the aliases of this file expand to more than 256 MiB",
                )
                .help("use `$ref` instead of aliases for parts that are used often"),
            ));
        }
        Ok(anchored.clone())
    }
}

fn height(node: &Node) -> usize {
    match &node.data {
        Data::Array(items) => 1 + items.iter().map(height).max().unwrap_or(0),
        Data::Object(fields) => {
            let inner = fields.values().map(|field| height(&field.node));
            1 + inner.max().unwrap_or(0)
        }
        _ => 0,
    }
}

fn weight(node: &Node) -> usize {
    let inner = match &node.data {
        Data::String(text) => text.len(),
        Data::Array(items) => items.iter().map(weight).sum(),
        Data::Object(fields) => {
            let all = fields.iter();
            let all = all.map(|(key, field)| key.len() + 64 + weight(&field.node));
            size_of::<Fields>() + all.sum::<usize>()
        }
        _ => 0,
    };
    inner + size_of::<Node>()
}
