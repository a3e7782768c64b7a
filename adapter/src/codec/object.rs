//! Objects: their declared fields one by one, and their other properties.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::{Map, Value};

use super::{Codec, Extra, Reader};

/// An object that is being read.
#[derive(Debug)]
pub struct Fields<'r> {
    reader: &'r mut Reader,
    map: Map<String, Value>,
    /// The fields that are null, though their type does not know null.
    nulls: Vec<&'static str>,
    /// True if the value was not an object. The fields are placeholders then.
    placeholder: bool,
}

/// The properties of an object that its type does not declare.
pub trait Rest: Sized {
    /// Takes all that is left of an object, and the names of the fields that are null though
    /// their type does not know null.
    fn read_rest(map: Map<String, Value>, nulls: &[&str], reader: &mut Reader) -> Self;

    /// Adds it to an object, except the keys that the object already has.
    fn write_rest(&self, map: &mut Map<String, Value>);
}

/// Writes an object: its present fields, and its other properties.
#[must_use]
pub fn object(fields: &[(&str, &dyn Codec)], rest: &impl Rest) -> Value {
    let mut map = known_fields(fields);
    rest.write_rest(&mut map);
    Value::Object(map)
}

impl<'r> Fields<'r> {
    pub(super) const fn new(reader: &'r mut Reader, map: Map<String, Value>) -> Self {
        Self {
            reader,
            map,
            nulls: Vec::new(),
            placeholder: false,
        }
    }

    /// Returns placeholder fields. The reader is muted until they are dropped.
    pub(super) fn placeholder(reader: &'r mut Reader) -> Self {
        Self {
            reader,
            map: Map::new(),
            nulls: Vec::new(),
            placeholder: true,
        }
    }

    /// Reads a field.
    pub fn take<T: Codec>(&mut self, name: &'static str) -> T {
        match self.map.shift_remove(name) {
            Some(value) => {
                let is_null = value.is_null();
                let read: T = self.reader.field(Cow::Borrowed(name), value);
                if is_null && read.is_absent() {
                    self.nulls.push(name);
                }
                read
            }
            None => T::absent().unwrap_or_else(|| self.reader.missing(name)),
        }
    }

    /// Reads the remaining properties.
    pub fn rest<R: Rest>(mut self) -> R {
        let map = std::mem::take(&mut self.map);
        R::read_rest(map, &self.nulls, self.reader)
    }
}

impl Drop for Fields<'_> {
    fn drop(&mut self) {
        if self.placeholder {
            self.reader.unmute();
        }
    }
}

/// Drops the other properties.
impl Rest for () {
    fn read_rest(map: Map<String, Value>, nulls: &[&str], reader: &mut Reader) {
        (0..map.len() + nulls.len()).for_each(|_| reader.stranger());
    }

    fn write_rest(&self, _: &mut Map<String, Value>) {}
}

/// Keeps all unknown properties, including nulls that the type has no place for.
impl Rest for Extra {
    fn read_rest(mut map: Map<String, Value>, nulls: &[&str], reader: &mut Reader) -> Self {
        map.extend(nulls.iter().map(|name| ((*name).to_owned(), Value::Null)));
        map.iter().for_each(|_| reader.stranger());
        Self::from(map)
    }

    fn write_rest(&self, map: &mut Map<String, Value>) {
        for (name, value) in self {
            map.entry(name.as_str()).or_insert_with(|| value.clone());
        }
    }
}

impl<T: Codec> Rest for BTreeMap<String, T> {
    fn read_rest(map: Map<String, Value>, nulls: &[&str], reader: &mut Reader) -> Self {
        nulls.iter().for_each(|_| reader.stranger());
        map.into_iter()
            .map(|(name, value)| (name.clone(), reader.field(Cow::Owned(name), value)))
            .collect()
    }

    fn write_rest(&self, map: &mut Map<String, Value>) {
        for (name, value) in self {
            map.entry(name.as_str()).or_insert_with(|| value.encode());
        }
    }
}

fn known_fields(fields: &[(&str, &dyn Codec)]) -> Map<String, Value> {
    fields
        .iter()
        .filter(|(_, value)| !value.is_absent())
        .map(|(name, value)| ((*name).to_owned(), value.encode()))
        .collect()
}
