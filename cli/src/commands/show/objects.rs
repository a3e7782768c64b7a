//! The objects within the arguments or the result of a tool.

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;
use toolwright_schema::{Root, alternatives, only_variant, properties, reference};

/// The deepest nesting of an object that is looked for. Definitions may refer to each other in circles.
const DEEPEST: usize = 16;

/// An object with properties.
pub(super) struct NestedObject<'a> {
    /// The name of its definition, or its path: `file`, `items[].size`.
    pub(super) name: String,
    /// The schemas that declare its properties.
    pub(super) parts: Vec<&'a Value>,
}

/// A schema that may hold objects.
struct Held<'a> {
    /// The name of its definition, or its path; none for the whole.
    name: Option<String>,
    schema: &'a Value,
    depth: usize,
}

impl Held<'_> {
    fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or("result")
    }
}

/// Finds objects, each once.
pub(super) struct Finder<'a> {
    root: Root<'a>,
    seen: BTreeSet<*const Value>,
    open: VecDeque<Held<'a>>,
}

impl<'a> Finder<'a> {
    /// Creates a finder that looks into a schema. References are those of `root`.
    pub(super) fn new(root: Root<'a>, schema: &'a Value) -> Self {
        let held = Held {
            name: None,
            schema,
            depth: 0,
        };
        Self {
            root,
            seen: BTreeSet::new(),
            open: VecDeque::from([held]),
        }
    }

    /// Looks into what a schema holds: the elements of lists, the alternatives, the values of maps.
    fn look_into(&mut self, held: &Held<'a>, parts: &[&'a Value]) {
        let mut hold = |name: Option<String>, schema: &'a Value| {
            let depth = held.depth + 1;
            if depth <= DEEPEST {
                self.open.push_back(Held {
                    name,
                    schema,
                    depth,
                });
            }
        };
        for part in parts {
            for (name, schema) in properties(part) {
                let path = match &held.name {
                    None => name.to_owned(),
                    Some(path) => format!("{path}.{name}"),
                };
                hold(Some(path), schema);
            }
            if let Some(items) = part.get("items") {
                hold(Some(format!("{}[]", held.shown())), items);
            }
            if let Some(values) = part.get("additionalProperties") {
                hold(Some(format!("{}.*", held.shown())), values);
            }
            if only_variant(part).is_none() {
                let variants = alternatives(part).map_or(&[][..], |(_, variants)| variants);
                for variant in variants {
                    hold(held.name.clone(), variant);
                }
            }
        }
    }
}

impl<'a> Iterator for Finder<'a> {
    type Item = NestedObject<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(mut held) = self.open.pop_front() {
            let parts = self.root.parts(held.schema);
            let declares = |part: &&'a Value| properties(part).next().is_some();
            let mut declaring = parts.iter().copied().filter(declares);
            if let Some(definition) = definition(held.schema) {
                held.name = Some(definition.to_owned());
            }
            let first = declaring.next().or_else(|| parts.last().copied());
            if !first.is_none_or(|first| self.seen.insert(std::ptr::from_ref(first))) {
                continue;
            }
            self.look_into(&held, &parts);
            if first.is_some_and(|first| declares(&first)) {
                let name = held.shown().to_owned();
                return Some(NestedObject { name, parts });
            }
        }
        None
    }
}

/// Returns the name of the definition that a schema refers to, also if null is allowed.
fn definition(schema: &Value) -> Option<&str> {
    let reference = reference(schema).or_else(|| reference(only_variant(schema)?))?;
    reference.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(schema: &Value) -> Vec<String> {
        let found = Finder::new(Root::new(schema), schema);
        found.map(|object| object.name).collect()
    }

    #[test]
    fn objects_have_the_names_of_their_definitions_or_their_paths() {
        let schema = json!({
            "properties": {
                "sets": {"type": "array", "items": {"$ref": "#/$defs/Set"}},
                "file": {"anyOf": [{"properties": {"size": {"type": "integer"}}}, {"type": "null"}]},
                "owner": {"anyOf": [{"$ref": "#/$defs/Person"}, {"$ref": "#/$defs/Team"}]},
                "labels": {"additionalProperties": {"properties": {"text": {}}}},
                "result": {"properties": {"rows": {"items": {"properties": {"id": {}}}}}},
            },
            "$defs": {
                "Set": {"properties": {"records": {"items": {"properties": {"id": {}}}}}},
                "Person": {"allOf": [{"properties": {"boss": {"$ref": "#/$defs/Person"}}}]},
                "Team": {"type": "string"},
            },
        });
        let expected = [
            "result",
            "file",
            "Set",
            "Person",
            "labels.*",
            "Set.records[]",
            "result",
            "result.rows[]",
        ];
        let mut found = names(&schema);
        found.sort();
        let mut sorted = expected.map(str::to_owned);
        sorted.sort();
        assert_eq!(found, sorted);
    }

    #[test]
    fn circles_end() {
        let schema = json!({
            "$ref": "#/$defs/A",
            "$defs": {
                "A": {"properties": {"b": {"$ref": "#/$defs/B"}, "self": {"$ref": "#/$defs/A"}}},
                "B": {"properties": {"a": {"items": {"$ref": "#/$defs/A"}}}},
            },
        });
        assert_eq!(names(&schema), ["A", "B"]);
        let circle = json!({"items": {"$ref": "#"}});
        assert_eq!(names(&circle), [] as [&str; 0]);
        let mut deep = json!({"properties": {"end": {}}});
        for _ in 0..1_000 {
            deep = json!({"items": deep});
        }
        assert_eq!(names(&deep), [] as [&str; 0]);
    }
}
