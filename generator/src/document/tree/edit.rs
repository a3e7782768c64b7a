//! Changes of a tree.

use indexmap::map::Entry;
use toolwright_model::JsonPointer;

use super::{Data, Field, Fields, Node};
use crate::document::source::Place;

impl Node {
    /// Returns the object for a change if the node is one.
    pub(crate) fn as_object_mut(&mut self) -> Option<&mut Fields> {
        match &mut self.data {
            Data::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the child of a key or an index.
    pub(crate) fn child(&self, step: &str) -> Option<&Self> {
        match &self.data {
            Data::Object(object) => object.get(step).map(|field| &field.node),
            Data::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Returns the node at a JSON Pointer for a change.
    pub(crate) fn at_pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        JsonPointer::steps_of(pointer)?.try_fold(self, |node, step| match &mut node.data {
            Data::Object(object) => object.get_mut(step.as_ref()).map(|field| &mut field.node),
            Data::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Removes the node at a JSON Pointer from its object or array. Does nothing if there is none.
    pub(crate) fn remove_at(&mut self, pointer: &str) {
        let Some((parent, _)) = pointer.rsplit_once('/') else {
            return;
        };
        let step = JsonPointer::steps_of(pointer).and_then(Iterator::last);
        let (Some(step), Some(parent)) = (step, self.at_pointer_mut(parent)) else {
            return;
        };
        match &mut parent.data {
            Data::Object(object) => {
                object.shift_remove(step.as_ref());
            }
            Data::Array(items) => {
                if let Some(index) = step.parse().ok().filter(|index| *index < items.len()) {
                    items.remove(index);
                }
            }
            _ => {}
        }
    }

    /// Sets a key of an object. A new key has this place.
    pub(crate) fn set(&mut self, key: &str, place: Place, data: Data) {
        let Some(object) = self.as_object_mut() else {
            return;
        };
        let node = Self { place, data };
        match object.entry(key.to_owned()) {
            Entry::Occupied(mut entry) => entry.get_mut().node = node,
            Entry::Vacant(entry) => {
                entry.insert(Field { key: place, node });
            }
        }
    }

    /// Returns the number of objects and arrays around the innermost node, without recursion.
    pub(crate) fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 0)];
        while let Some((node, depth)) = open.pop() {
            deepest = deepest.max(depth);
            open.extend(node.items().map(|node| (node, depth + 1)));
            open.extend(node.fields().map(|(_, node)| (node, depth + 1)));
        }
        deepest
    }
}
