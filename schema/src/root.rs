//! References of a self-contained schema.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::only_variant;

/// The longest chain of references that is followed. A longer one is most likely a circle.
const LONGEST_CHAIN: usize = 64;

/// The most schemas of one value that [`Root::parts`] collects.
const MOST_PARTS: usize = 256;

/// A self-contained schema, or any JSON document: the target of the references within it.
///
/// ```
/// use serde_json::json;
/// use toolwright_schema::Root;
///
/// let schema = json!({"items": {"$ref": "#/$defs/a~1b%20c"}, "$defs": {"a/b c": {"type": "null"}}});
/// let root = Root::new(&schema);
/// assert_eq!(root.target("#/$defs/a~1b%20c"), Some(&json!({"type": "null"})));
/// assert_eq!(root.resolve(&schema["items"]), Some(&json!({"type": "null"})));
/// assert_eq!(root.target("#/$defs/absent"), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Root<'a> {
    schema: &'a Value,
}

/// Returns the `$ref` of a schema.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"$ref": "#/$defs/Item"});
/// assert_eq!(toolwright_schema::reference(&schema), Some("#/$defs/Item"));
/// ```
#[must_use]
pub fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()
}

impl<'a> Root<'a> {
    /// Creates the root of a schema's references.
    #[must_use]
    pub const fn new(schema: &'a Value) -> Self {
        Self { schema }
    }

    /// Returns the target of a reference. The reference is the fragment of a URI: a JSON Pointer after
    /// `#`, which may be percent-encoded. Returns `None` if it leads to another document or nowhere.
    #[must_use]
    pub fn target(self, reference: &str) -> Option<&'a Value> {
        let pointer = percent_decode_str(reference.strip_prefix('#')?);
        self.schema.pointer(&pointer.decode_utf8().ok()?)
    }

    /// Follows the references of a schema to one that is not a reference: the schema itself, if it is
    /// none. Returns `None` if a reference has no target, or after 64 references, which are most likely
    /// a circle.
    #[must_use]
    pub fn resolve(self, schema: &'a Value) -> Option<&'a Value> {
        let mut schema = schema;
        for _ in 0..LONGEST_CHAIN {
            match reference(schema) {
                Some(reference) => schema = self.target(reference)?,
                None => return Some(schema),
            }
        }
        None
    }

    /// Returns the schemas that apply to every value of a schema other than null: the schema itself,
    /// the targets of its references, the parts of `allOf`, and the only alternative other than null.
    /// Each occurs once. Of more than 256 the first are returned.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright_schema::Root;
    ///
    /// let schema = json!({
    ///     "anyOf": [{"$ref": "#/$defs/Item"}, {"type": "null"}],
    ///     "$defs": {"Item": {"allOf": [{"required": ["id"]}]}},
    /// });
    /// assert_eq!(Root::new(&schema).parts(&schema).len(), 4);
    /// ```
    #[must_use]
    pub fn parts(self, schema: &'a Value) -> Vec<&'a Value> {
        let mut parts = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if parts.len() == MOST_PARTS || !seen.insert(std::ptr::from_ref(schema)) {
                continue;
            }
            parts.push(schema);
            let all = schema.get("allOf").and_then(Value::as_array);
            let all = all.map_or(&[][..], Vec::as_slice);
            open.extend(only_variant(schema));
            open.extend(all.iter().take(MOST_PARTS).rev());
            open.extend(reference(schema).and_then(|reference| self.target(reference)));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_decoded() {
        let schema = json!({"$defs": {"a b": 1, "a/b": 2, "a~b": 3, "é": 4, "100%": 5, "%zz": 6}});
        let root = Root::new(&schema);
        for (reference, target) in [
            ("#/$defs/a%20b", Some(1)),
            ("#/$defs/a b", Some(1)),
            ("#/$defs/a~1b", Some(2)),
            ("#/$defs/a%7E1b", Some(2)),
            ("#/%24defs/a~0b", Some(3)),
            ("#/$defs/%C3%A9", Some(4)),
            ("#/$defs/é", Some(4)),
            ("#/$defs/100%", Some(5)),
            ("#/$defs/%zz", Some(6)),
            ("#/$defs/%FF", None),
            ("#/$defs/c", None),
            ("#$defs", None),
            ("other.json#/$defs/c", None),
            ("", None),
        ] {
            let found = root.target(reference).and_then(Value::as_u64);
            assert_eq!(found, target, "{reference}");
        }
        assert_eq!(root.target("#"), Some(&schema));
    }

    #[test]
    fn circles_and_dead_ends_do_not_resolve() {
        let schema = json!({
            "self": {"$ref": "#/self"},
            "there": {"$ref": "#/back"}, "back": {"$ref": "#/there"},
            "dead": {"$ref": "#/none"},
            "number": {"$ref": 7},
            "good": {"$ref": "#/number"},
        });
        let root = Root::new(&schema);
        for name in ["self", "there", "dead"] {
            assert_eq!(root.resolve(&schema[name]), None, "{name}");
        }
        assert_eq!(root.resolve(&schema["good"]), Some(&schema["number"]));
    }

    #[test]
    fn a_chain_within_the_bound_resolves() {
        let mut schema = json!({"0": true});
        for index in 1..100 {
            schema[index.to_string()] = json!({"$ref": format!("#/{}", index - 1)});
        }
        let root = Root::new(&schema);
        assert_eq!(root.resolve(&schema["63"]), Some(&json!(true)));
        assert_eq!(root.resolve(&schema["64"]), None);
    }

    #[test]
    fn parts_of_diamonds_and_circles_occur_once() {
        let schema = json!({
            "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}, {"$ref": "#"}],
            "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}, "b": {}},
        });
        // The root, its 3 references, `a`, its 2 references, `b`.
        assert_eq!(Root::new(&schema).parts(&schema).len(), 8);
        let wide = json!({"allOf": vec![json!({}); 10_000]});
        assert_eq!(Root::new(&wide).parts(&wide).len(), MOST_PARTS);
    }
}
