//! Smaller versions of large schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::{
    Definitions, SharedDefinitions, definition_name, definitions::with_definitions, json_length,
    walk_mut,
};

/// The keyword that tells a reader that a schema was cut.
const COMMENT: &str = "$comment";

/// Keywords that a cut schema does not have. A larger subschema may make them stricter; examples take too much room.
const DROPPED: [&str; 11] = [
    "$dynamicRef",
    "contains",
    "else",
    "examples",
    "if",
    "maxContains",
    "minContains",
    "not",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

impl SharedDefinitions {
    /// Returns a self-contained schema of about `limit` bytes of JSON at most, or the whole one if it is smaller.
    ///
    /// Definitions near the root come first. A reference to one that does not fit is replaced by its plain type, such as
    /// `{"type": "object"}`. A schema whose root alone is too large is reduced to the types of its properties, or to its own type.
    /// Every value that the whole schema accepts is accepted by the cut one too: `oneOf` becomes `anyOf`, and keywords
    /// that a larger subschema makes stricter are removed. Examples are removed, too. The `$comment` of a cut schema is the given one.
    #[must_use]
    pub fn cut(&self, root: &Value, limit: usize, comment: &str) -> Value {
        let own = json_length(root);
        let (kept, is_whole) = self.nearest(root, limit.saturating_sub(own));
        if is_whole && own <= limit {
            return self.bundle(root.clone());
        }
        let mut root = root.clone();
        if own > limit {
            shrink(&mut root, limit);
        }
        self.replace(&mut root, &kept);
        let mut used = BTreeMap::new();
        self.reach_through(&root, &mut used, |name| kept.contains(name));
        let definitions = used.into_iter().map(|(name, schema)| {
            let mut schema = schema.clone();
            self.replace(&mut schema, &kept);
            (name.to_owned(), schema)
        });
        let definitions: Map<String, Value> = definitions.collect();
        let mut cut = with_definitions(root, definitions);
        if let Some(cut) = cut.as_object_mut() {
            cut.insert(COMMENT.to_owned(), comment.into());
        }
        cut
    }

    /// Returns the definitions nearest to a schema that fit into a number of bytes, and whether these are all.
    fn nearest(&self, root: &Value, mut room: usize) -> (BTreeSet<&str>, bool) {
        let mut kept = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut is_whole = true;
        let mut level = Definitions::mentioned(root);
        while !level.is_empty() {
            level.sort_unstable();
            level.dedup();
            let mut next = Vec::new();
            for name in level {
                let Some((name, schema)) = self
                    .get_key_value(name)
                    .filter(|(name, _)| seen.insert(*name))
                else {
                    continue;
                };
                let size = json_length(schema) + name.len();
                match room.checked_sub(size) {
                    Some(left) => {
                        room = left;
                        kept.insert(name);
                        next.extend(self.mentions(name));
                    }
                    None => is_whole = false,
                }
            }
            level = next;
        }
        (kept, is_whole)
    }

    /// Replaces the references to definitions that are not kept, and loosens the rest.
    fn replace(&self, schema: &mut Value, kept: &BTreeSet<&str>) {
        walk_mut(schema, |_, schema| {
            let name = definition_name(schema).map(str::to_owned);
            let Some(fields) = schema.as_object_mut() else {
                return;
            };
            for keyword in DROPPED {
                fields.shift_remove(keyword);
            }
            if let Some(variants) = fields.shift_remove("oneOf") {
                fields.entry("anyOf").or_insert(variants);
            }
            if name.as_deref().is_some_and(|name| kept.contains(name)) {
                return;
            }
            // A reference of another form may lead into a part that was cut.
            fields.shift_remove("$ref");
            let plain = name.and_then(|name| self.get(&name)).map(plain);
            for (keyword, value) in plain.iter().filter_map(Value::as_object).flatten() {
                fields.entry(keyword).or_insert_with(|| value.clone());
            }
        });
    }
}

/// Reduces a schema to the types of its properties, or to its own type if these are too large, too.
fn shrink(schema: &mut Value, limit: usize) {
    let mut reduced = plain(schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties: BTreeMap<&String, Value> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name, plain(schema)))
        .collect();
    if !properties.is_empty() {
        let mut detailed = reduced.clone();
        if let Some(fields) = detailed.as_object_mut() {
            fields.insert("properties".to_owned(), json!(properties));
        }
        if json_length(&detailed) <= limit {
            reduced = detailed;
        }
    }
    *schema = reduced;
}

/// Returns the type of a schema, and nothing else of it.
fn plain(schema: &Value) -> Value {
    match schema.get("type") {
        Some(kind) => json!({ "type": kind }),
        None => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(table: Value) -> SharedDefinitions {
        let Value::Object(table) = table else {
            return SharedDefinitions::default();
        };
        table.into_iter().collect()
    }

    #[test]
    fn a_small_schema_stays_whole() {
        let all = shared(json!({"A": {"oneOf": [{"$ref": "#/$defs/B"}]}, "B": {"not": {}}}));
        let root = json!({"$ref": "#/$defs/A"});
        assert_eq!(all.cut(&root, 1000, "cut"), all.bundle(root));
    }

    #[test]
    fn references_that_do_not_fit_become_plain_types() {
        let large = "x".repeat(500);
        let all = shared(json!({
            "Near": {"type": "object", "properties": {"far": {"$ref": "#/$defs/Far"}, "self": {"$ref": "#/$defs/Near"}}},
            "Far": {"type": ["object", "null"], "description": large},
            "Other": {"enum": [large]},
        }));
        let root = json!({"type": "object", "properties": {
            "near": {"$ref": "#/$defs/Near"},
            "other": {"$ref": "#/$defs/Other", "description": "d"},
            "union": {"oneOf": [{"$ref": "#/$defs/Far"}, {"type": "string"}], "not": {"const": 1}},
        }});
        let expected = json!({
            "type": "object",
            "properties": {
                "near": {"$ref": "#/$defs/Near"},
                "other": {"description": "d"},
                "union": {"anyOf": [{"type": ["object", "null"]}, {"type": "string"}]},
            },
            "$defs": {"Near": {"type": "object", "properties": {
                "far": {"type": ["object", "null"]},
                "self": {"$ref": "#/$defs/Near"},
            }}},
            "$comment": "cut",
        });
        assert_eq!(all.cut(&root, 600, "cut"), expected);
    }

    #[test]
    fn a_root_that_is_too_large_keeps_the_types_of_its_properties() {
        let root = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"type": "string", "description": "x".repeat(500)}, "b": true,
        }});
        let all = SharedDefinitions::default();
        let expected = json!({
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {}},
            "$comment": "cut",
        });
        assert_eq!(all.cut(&root, 200, "cut"), expected);
        let smallest = json!({"type": "object", "$comment": "cut"});
        assert_eq!(all.cut(&root, 30, "cut"), smallest);
        assert_eq!(all.cut(&json!(true), 0, "cut"), json!({"$comment": "cut"}));
    }

    #[test]
    fn properties_named_like_keywords_stay() {
        let root =
            json!({"properties": {"not": {"$ref": "#/$defs/A"}, "oneOf": {"type": "string"}}});
        let all = shared(json!({"A": {"description": "x".repeat(500)}}));
        let cut = all.cut(&root, 200, "cut");
        assert_eq!(
            cut["properties"],
            json!({"not": {}, "oneOf": {"type": "string"}})
        );
    }
}
