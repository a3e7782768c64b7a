//! A document's nodes, as the generator and as the judge have them.

use serde_json::Value;
use toolwright_generator::tree::{Node, escape_step};

/// A node as both know it.
#[derive(Clone)]
pub(crate) struct Both<'v> {
    /// What the generator has read: its places are those of the text.
    pub(crate) node: &'v Node,
    /// What the judge has read.
    pub(crate) value: &'v Value,
    /// Where it stands: a JSON pointer.
    pub(crate) pointer: String,
}

impl<'v> Both<'v> {
    pub(crate) const fn root(node: &'v Node, value: &'v Value) -> Self {
        Self {
            node,
            value,
            pointer: String::new(),
        }
    }

    /// The field of an object.
    pub(crate) fn field(&self, key: &str) -> Option<Self> {
        Some(Self {
            node: self.node.get(key)?,
            value: self.value.get(key)?,
            pointer: format!("{}/{}", self.pointer, escape_step(key)),
        })
    }

    /// The fields of an object, or the items of an array.
    pub(crate) fn parts(&self) -> Vec<Self> {
        let keys = self.node.fields().map(|(key, _)| key);
        let mut parts: Vec<Self> = keys.filter_map(|key| self.field(key)).collect();
        for (index, node) in self.node.items().enumerate() {
            parts.push(Self {
                node,
                value: &self.value[index],
                pointer: format!("{}/{index}", self.pointer),
            });
        }
        parts
    }

    /// The node and all below it.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.parts());
            Some(next)
        })
    }
}
