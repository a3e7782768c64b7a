//! A document's nodes in the generator's tree and in the independent parser's value.

use serde_json::Value;
use toolwright_generator::internals::Node;
use toolwright_model::JsonPointer;

/// A node in both representations.
#[derive(Clone)]
pub(crate) struct Both<'v> {
    /// The generator's node, with its position in the source.
    pub(crate) node: &'v Node,
    /// The independent parser's value.
    pub(crate) value: &'v Value,
    /// The JSON pointer of the node.
    pub(crate) pointer: JsonPointer,
}

impl<'v> Both<'v> {
    pub(crate) const fn root(node: &'v Node, value: &'v Value) -> Self {
        Self {
            node,
            value,
            pointer: JsonPointer::root(),
        }
    }

    /// Returns the field of an object.
    pub(crate) fn field(&self, key: &str) -> Option<Self> {
        Some(Self {
            node: self.node.get(key)?,
            value: self.value.get(key)?,
            pointer: self.pointer.join(key),
        })
    }

    /// Returns the fields of an object or the items of an array.
    pub(crate) fn parts(&self) -> Vec<Self> {
        let keys = self.node.fields().map(|(key, _)| key);
        let mut parts: Vec<Self> = keys.filter_map(|key| self.field(key)).collect();
        for (index, node) in self.node.items().enumerate() {
            parts.push(Self {
                node,
                value: &self.value[index],
                pointer: self.pointer.join(&index.to_string()),
            });
        }
        parts
    }

    /// Returns the node and all its descendants.
    pub(crate) fn all(self) -> impl Iterator<Item = Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.parts());
            Some(next)
        })
    }
}
