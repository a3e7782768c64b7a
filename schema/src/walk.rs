//! The subschemas of a schema. No reference is followed.

use serde_json::{Map, Value};

use crate::JsonPointer;

/// The keywords whose value is one schema.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// The keywords whose value is a table of schemas by name.
const TABLE: [&str; 4] = [
    "$defs",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The schemas in the value of a keyword.
enum Holding {
    One,
    List,
    Table,
    None,
}

impl Holding {
    fn from_keyword(keyword: &str, value: &Value) -> Self {
        match value {
            Value::Object(_) if TABLE.contains(&keyword) => Self::Table,
            Value::Array(_) if LIST.contains(&keyword) => Self::List,
            value if ONE.contains(&keyword) && is_schema(value) => Self::One,
            _ => Self::None,
        }
    }
}

/// Checks whether a value has the type of a schema.
const fn is_schema(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Bool(_))
}

/// A schema within another.
#[derive(Clone, Copy, Debug)]
pub struct Subschema<'a> {
    /// The schema: an object or a boolean, except for a root of another type.
    pub schema: &'a Value,
    /// The keyword that holds it; `None` for the root.
    pub keyword: Option<&'a str>,
    step: Step<'a>,
    depth: usize,
}

/// The place of a schema in the value of a keyword.
#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    /// It is the value.
    Own,
    Index(usize),
    Name(&'a str),
}

/// An iterator over a schema and its subschemas.
///
/// A schema comes before its subschemas, and they come in the order of the document.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    /// The subschemas that are not visited yet, the next one last.
    open: Vec<Subschema<'a>>,
    /// The subschemas from the root to the last visited one.
    path: Vec<Subschema<'a>>,
}

/// Returns an iterator over a schema and its subschemas.
///
/// Data such as `default`, `enum` and `examples` is not a schema. The walk does not recurse, follows
/// no reference, and visits each subschema once.
///
/// ```
/// use serde_json::json;
///
/// let schema = json!({"properties": {"a/b": {"anyOf": [true]}}, "default": {"items": {}}});
/// let mut walk = toolwright_schema::walk(&schema);
/// let mut found = Vec::new();
/// while let Some(subschema) = walk.next() {
///     found.push((subschema.keyword, walk.pointer().to_string()));
/// }
/// assert_eq!(found, [
///     (None, "".to_owned()),
///     (Some("properties"), "/properties/a~1b".to_owned()),
///     (Some("anyOf"), "/properties/a~1b/anyOf/0".to_owned()),
/// ]);
/// ```
#[must_use]
pub fn walk(schema: &Value) -> Walk<'_> {
    let root = Subschema {
        schema,
        keyword: None,
        step: Step::Own,
        depth: 0,
    };
    Walk {
        open: vec![root],
        path: Vec::new(),
    }
}

impl<'a> Walk<'a> {
    /// Returns the place of the last visited schema in the root.
    #[must_use]
    pub fn pointer(&self) -> JsonPointer {
        let mut pointer = JsonPointer::root();
        for subschema in &self.path {
            if let Some(keyword) = subschema.keyword {
                pointer.push(keyword);
            }
            match subschema.step {
                Step::Own => {}
                Step::Index(index) => pointer.push(&index.to_string()),
                Step::Name(name) => pointer.push(name),
            }
        }
        pointer
    }

    fn push_children(&mut self, schema: &'a Map<String, Value>, depth: usize) {
        let first = self.open.len();
        for (keyword, value) in schema {
            let keyword = keyword.as_str();
            let mut push = |schema: &'a Value, step: Step<'a>| {
                if is_schema(schema) {
                    self.open.push(Subschema {
                        schema,
                        keyword: Some(keyword),
                        step,
                        depth,
                    });
                }
            };
            match Holding::from_keyword(keyword, value) {
                Holding::One => push(value, Step::Own),
                Holding::List => {
                    for (index, schema) in value.as_array().into_iter().flatten().enumerate() {
                        push(schema, Step::Index(index));
                    }
                }
                Holding::Table => {
                    for (name, schema) in value.as_object().into_iter().flatten() {
                        push(schema, Step::Name(name));
                    }
                }
                Holding::None => {}
            }
        }
        self.open.get_mut(first..).unwrap_or_default().reverse();
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Subschema<'a>;

    fn next(&mut self) -> Option<Subschema<'a>> {
        let next = self.open.pop()?;
        self.path.truncate(next.depth);
        self.path.push(next);
        if let Some(schema) = next.schema.as_object() {
            self.push_children(schema, next.depth + 1);
        }
        Some(next)
    }
}

/// Calls `visit` with each schema directly below this one and the keyword that holds it.
///
/// ```
/// use serde_json::{Value, json};
///
/// let mut schema = json!({"items": {"type": "string"}, "default": {}});
/// toolwright_schema::for_each_child_mut(&mut schema, |_, child| *child = Value::Bool(true));
/// assert_eq!(schema, json!({"items": true, "default": {}}));
/// ```
pub fn for_each_child_mut<'a>(
    schema: &'a mut Value,
    mut visit: impl FnMut(&'a str, &'a mut Value),
) {
    for (keyword, value) in schema.as_object_mut().into_iter().flatten() {
        let mut visit = |schema: &'a mut Value| {
            if is_schema(schema) {
                visit(keyword.as_str(), schema);
            }
        };
        match Holding::from_keyword(keyword, value) {
            Holding::One => visit(value),
            Holding::List => value.as_array_mut().into_iter().flatten().for_each(visit),
            Holding::Table => {
                let table = value.as_object_mut().into_iter().flatten();
                table.for_each(|(_, schema)| visit(schema));
            }
            Holding::None => {}
        }
    }
}

/// Calls `visit` with a schema and each of its subschemas, and the keyword that holds it, in the order of
/// the text. A schema is visited before its subschemas, so those that `visit` adds are visited, too. The walk
/// itself does not recurse.
///
/// ```
/// use serde_json::json;
///
/// let mut schema = json!({"title": "A", "items": {"title": "B", "const": {"title": "C"}}});
/// toolwright_schema::walk_mut(&mut schema, |_, schema| {
///     schema.as_object_mut().map(|schema| schema.remove("title"));
/// });
/// assert_eq!(schema, json!({"items": {"const": {"title": "C"}}}));
/// ```
pub fn walk_mut(schema: &mut Value, mut visit: impl FnMut(Option<&str>, &mut Value)) {
    let mut open = vec![(None, schema)];
    while let Some((keyword, schema)) = open.pop() {
        visit(keyword, schema);
        let first = open.len();
        for_each_child_mut(schema, |keyword, child| open.push((Some(keyword), child)));
        open.get_mut(first..).unwrap_or_default().reverse();
    }
}

/// Replaces the `$ref`s of a schema and its subschemas for which `replace` returns another.
///
/// ```
/// use serde_json::json;
///
/// let mut schema = json!({"items": {"$ref": "#/definitions/A"}});
/// toolwright_schema::map_references(&mut schema, |reference| {
///     Some(format!("#/$defs/{}", reference.strip_prefix("#/definitions/")?))
/// });
/// assert_eq!(schema, json!({"items": {"$ref": "#/$defs/A"}}));
/// ```
pub fn map_references(schema: &mut Value, mut replace: impl FnMut(&str) -> Option<String>) {
    walk_mut(schema, |_, schema| {
        if let Some(Value::String(reference)) = schema.get_mut("$ref")
            && let Some(other) = replace(reference)
        {
            *reference = other;
        }
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(schema: &Value) -> Vec<String> {
        let mut walk = walk(schema);
        let mut found = Vec::new();
        while let Some(subschema) = walk.next() {
            let pointer = walk.pointer();
            assert_eq!(schema.pointer(pointer.as_str()), Some(subschema.schema));
            found.push(pointer.into());
        }
        found
    }

    #[test]
    fn every_keyword_that_holds_schemas_is_walked_in_order() {
        let mut schema = json!({});
        let mut expected = vec![String::new()];
        for keyword in ONE {
            schema[keyword] = json!({"not": false});
            expected.push(format!("/{keyword}"));
            expected.push(format!("/{keyword}/not"));
        }
        for keyword in LIST {
            schema[keyword] = json!([true, {}]);
            expected.extend([format!("/{keyword}/0"), format!("/{keyword}/1")]);
        }
        for keyword in TABLE {
            schema[keyword] = json!({"x": {}, "a/~": true});
            expected.extend([format!("/{keyword}/x"), format!("/{keyword}/a~1~0")]);
        }
        assert_eq!(pointers(&schema), expected);
    }

    #[test]
    fn data_is_not_walked() {
        for schema in [
            json!({"const": {"not": {}}, "enum": [{"not": {}}], "default": {"not": {}}}),
            json!({"examples": [{"not": {}}], "x-any": {"not": {}}, "items": "text"}),
            json!({"properties": [{}], "allOf": {"a": {}}, "required": ["items"]}),
            // These keywords hold schemas in earlier drafts only.
            json!({"definitions": {"a": {}}, "items": [{}], "additionalItems": {}}),
            json!("text"),
        ] {
            assert_eq!(pointers(&schema), [""], "{schema}");
        }
        // A property may have the name of a keyword.
        let schema = json!({"properties": {"const": {"not": {}}}});
        assert_eq!(pointers(&schema).len(), 3);
    }

    #[test]
    fn deep_schemas_are_walked() {
        let mut schema = json!({});
        for _ in 0..2_000 {
            schema = Value::from_iter([("not".to_owned(), schema)]);
        }
        assert_eq!(walk(&schema).count(), 2_001);
        let mut visits = 0;
        walk_mut(&mut schema, |_, _| visits += 1);
        assert_eq!(visits, 2_001);
    }

    #[test]
    fn only_references_of_schemas_are_replaced() {
        let mut schema = json!({
            "$ref": "#", "default": {"$ref": "#"}, "enum": [{"$ref": "#"}],
            "properties": {"$ref": {"$ref": "#/a"}, "b": {"$ref": 7}},
        });
        map_references(&mut schema, |reference| Some(format!("{reference}!")));
        let expected = json!({
            "$ref": "#!", "default": {"$ref": "#"}, "enum": [{"$ref": "#"}],
            "properties": {"$ref": {"$ref": "#/a!"}, "b": {"$ref": 7}},
        });
        assert_eq!(schema, expected);
    }
}
