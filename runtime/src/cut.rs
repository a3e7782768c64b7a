//! Large values, in parts: a value is cut between the elements of arrays and the members of objects, so what
//! remains is JSON of the same structure, and each omitted part has a place where it can be read.

use serde_json::{Map, Value, json};
use toolwright_model::JsonPointer;

/// The most omitted parts that are listed.
const MOST_LISTED: usize = 20;

/// The longest place that is listed, in bytes.
const LONGEST_PLACE: usize = 200;

/// The room that the list of omitted parts may take, and that the envelope around it takes, in bytes.
pub(crate) const ENVELOPE: usize = MOST_LISTED * (LONGEST_PLACE + 100) + 1_024;

/// A part of a value that fits into a number of bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) value: Value,
    /// The first omitted parts, each with its place.
    pub(crate) omitted: Vec<Omitted>,
    /// The number of omitted parts, also of those that are not listed.
    pub(crate) count: usize,
}

/// A part that was left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Omitted {
    /// The place of a string that was left out, or of a container that lacks its last elements or members.
    place: String,
    /// The first element or member that was left out; none for a string.
    from: Option<usize>,
    /// The number of elements, members or characters at the place.
    of: usize,
}

/// A window of a large value: elements of an array, members of an object, or characters of a string.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) part: Part,
    /// The number of elements, members or characters of the whole value; none for another value.
    pub(crate) of: Option<usize>,
    /// The first one after the window; none if the window ends with the last one.
    pub(crate) next: Option<usize>,
}

impl Omitted {
    /// Returns the omitted part as JSON.
    pub(crate) fn to_json(&self) -> Value {
        match self.from {
            Some(from) => json!({"place": self.place, "from": from, "of": self.of}),
            None => json!({"place": self.place, "of": self.of}),
        }
    }
}

/// Returns the length of a value as JSON, in bytes.
pub(crate) fn length(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // A value without keys that are not strings can be written, and the count takes everything.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Returns the beginning of a value that fits into `room` bytes of JSON.
pub(crate) fn part(value: &Value, room: usize) -> Part {
    let mut cutter = Cutter::default();
    let kept = cutter.keep(value, room, &JsonPointer::root());
    cutter.finish(kept)
}

/// Returns the part of a value from an element, member or character on.
pub(crate) fn window(value: &Value, place: &JsonPointer, from: usize, room: usize) -> Window {
    let mut cutter = Cutter::default();
    let (kept, of, next) = match value {
        Value::Array(elements) => {
            let (kept, next) = cutter.elements(elements, from, room, place);
            (Value::Array(kept), Some(elements.len()), next)
        }
        Value::Object(members) => {
            let (kept, next) = cutter.first_members(members, from, room, place);
            (Value::Object(kept), Some(members.len()), next)
        }
        Value::String(text) => {
            let (kept, next) = characters(text, from, room);
            (Value::String(kept), Some(text.chars().count()), next)
        }
        other => (other.clone(), None, None),
    };
    let part = cutter.finish(kept);
    Window { part, of, next }
}

/// Returns the characters of a string from one on, and the first one after them.
fn characters(text: &str, from: usize, room: usize) -> (String, Option<usize>) {
    let mut kept = String::new();
    let mut used = 2;
    for (place, character) in text.chars().enumerate().skip(from) {
        // The quotation marks are counted already.
        used += length(&Value::String(character.to_string())).saturating_sub(2);
        if used > room && !kept.is_empty() {
            return (kept, Some(place));
        }
        kept.push(character);
    }
    (kept, None)
}

#[derive(Default)]
struct Cutter {
    omitted: Vec<Omitted>,
    count: usize,
}

impl Cutter {
    fn finish(self, value: Value) -> Part {
        Part {
            value,
            omitted: self.omitted,
            count: self.count,
        }
    }

    fn omit(&mut self, place: &JsonPointer, from: Option<usize>, of: usize) {
        self.count += 1;
        if self.omitted.len() < MOST_LISTED && place.as_str().len() <= LONGEST_PLACE {
            let place = place.to_string();
            self.omitted.push(Omitted { place, from, of });
        }
    }

    /// Returns a container with as much of it as fits. Anything else is kept whole.
    fn keep(&mut self, value: &Value, room: usize, place: &JsonPointer) -> Value {
        if length(value) <= room {
            return value.clone();
        }
        match value {
            Value::Array(elements) => {
                let (kept, next) = self.elements(elements, 0, room, place);
                if let Some(next) = next {
                    self.omit(place, Some(next), elements.len());
                }
                Value::Array(kept)
            }
            Value::Object(members) => Value::Object(self.members(members, room, place)),
            other => other.clone(),
        }
    }

    /// Returns the elements from one on that fit, and the first one after them. The first of them may itself
    /// be cut, so that there is always a next part.
    fn elements(
        &mut self,
        elements: &[Value],
        from: usize,
        room: usize,
        place: &JsonPointer,
    ) -> (Vec<Value>, Option<usize>) {
        let mut kept = Vec::new();
        let mut left = room.saturating_sub(2);
        for (index, element) in elements.iter().enumerate().skip(from) {
            match left.checked_sub(length(element) + 1) {
                Some(rest) => {
                    left = rest;
                    kept.push(element.clone());
                }
                None if kept.is_empty() => {
                    let place = place.join(&index.to_string());
                    kept.push(self.shortened(element, left, &place));
                    let next = index + 1;
                    return (kept, (next < elements.len()).then_some(next));
                }
                None => return (kept, Some(index)),
            }
        }
        (kept, None)
    }

    /// Returns the members from one on that fit, and the first one after them.
    fn first_members(
        &mut self,
        members: &Map<String, Value>,
        from: usize,
        room: usize,
        place: &JsonPointer,
    ) -> (Map<String, Value>, Option<usize>) {
        let mut kept = Map::new();
        let mut left = room.saturating_sub(2);
        for (index, (name, member)) in members.iter().enumerate().skip(from) {
            let key = key_length(name);
            match left.checked_sub(key + length(member)) {
                Some(rest) => {
                    left = rest;
                    kept.insert(name.clone(), member.clone());
                }
                None if kept.is_empty() => {
                    let value = self.shortened(member, left.saturating_sub(key), &place.join(name));
                    kept.insert(name.clone(), value);
                    let next = index + 1;
                    return (kept, (next < members.len()).then_some(next));
                }
                None => return (kept, Some(index)),
            }
        }
        (kept, None)
    }

    /// Returns the members of an object with their fair shares of the room, in their order: small members
    /// stay whole, large containers are cut, and large strings are left out.
    fn members(
        &mut self,
        members: &Map<String, Value>,
        room: usize,
        place: &JsonPointer,
    ) -> Map<String, Value> {
        let mut sizes: Vec<_> = members
            .iter()
            .map(|(name, member)| (key_length(name), length(member)))
            .collect();
        sizes.sort_unstable_by_key(|(key, size)| key + size);
        let mut left = room.saturating_sub(2);
        let mut share = left;
        for (place, (key, size)) in sizes.iter().enumerate() {
            share = left / (sizes.len() - place);
            if key + size > share {
                break;
            }
            left -= key + size;
        }
        let mut kept = Map::new();
        for (index, (name, member)) in members.iter().enumerate() {
            let Some(share) = share.checked_sub(key_length(name)) else {
                self.omit(place, Some(index), members.len());
                break;
            };
            let place = place.join(name);
            if length(member) <= share {
                kept.insert(name.clone(), member.clone());
            } else if matches!(member, Value::Array(_) | Value::Object(_)) && share >= 2 {
                kept.insert(name.clone(), self.keep(member, share, &place));
            } else {
                self.omit_whole(member, &place);
            }
        }
        kept
    }

    /// Returns a value that has to be in the part although it does not fit: a container is cut, and a string
    /// is shortened to nothing.
    fn shortened(&mut self, value: &Value, room: usize, place: &JsonPointer) -> Value {
        match value {
            Value::String(text) => {
                self.omit(place, Some(0), text.chars().count());
                Value::String(String::new())
            }
            other => self.keep(other, room, place),
        }
    }

    fn omit_whole(&mut self, value: &Value, place: &JsonPointer) {
        let of = match value {
            Value::String(text) => text.chars().count(),
            Value::Array(elements) => elements.len(),
            Value::Object(members) => members.len(),
            _ => 1,
        };
        self.omit(place, None, of);
    }
}

/// Returns the length of a key with its colon and the comma after its value.
fn key_length(name: &str) -> usize {
    length(&Value::String(name.to_owned())) + 2
}

#[cfg(test)]
mod tests;
