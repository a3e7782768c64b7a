//! The fields of an object that its type does not know.

use serde_json::{Map, Value, map};

/// The fields of an object that its type does not know, and those that are null though their type
/// does not know null. They survive reading and writing, but the object's own fields win. It is as
/// small as a pointer, and allocates nothing if empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extra(Option<Box<Map<String, Value>>>);

impl Extra {
    /// No fields.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|map| map.is_empty())
    }

    /// The value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.as_ref()?.get(name)
    }

    /// Adds a field, and gives the value that it replaces.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0
            .get_or_insert_default()
            .insert(name.into(), value.into())
    }

    /// The fields, in their order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter(self.0.as_ref().map(|map| map.iter()))
    }
}

/// The fields of an [`Extra`].
#[derive(Clone, Debug)]
pub struct Iter<'a>(Option<map::Iter<'a>>);

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a String, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.as_mut()?.next()
    }
}

impl<'a> IntoIterator for &'a Extra {
    type Item = (&'a String, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl From<Map<String, Value>> for Extra {
    fn from(map: Map<String, Value>) -> Self {
        Self((!map.is_empty()).then(|| Box::new(map)))
    }
}
