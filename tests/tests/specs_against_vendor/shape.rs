//! The content of a schema, independent of notation and dialect.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::document::{Document, entries};

/// The keywords that bound a value.
const LIMITS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
];

/// The deepest nesting of `allOf`.
const MAX_DEPTH: usize = 16;

/// The content of a schema after following references, merging `allOf` and separating null.
#[derive(Debug, Default)]
pub(crate) struct Shape<'d> {
    pub(crate) types: BTreeSet<&'d str>,
    pub(crate) nullable: bool,
    pub(crate) read_only: bool,
    pub(crate) write_only: bool,
    pub(crate) deprecated: bool,
    pub(crate) format: Option<&'d str>,
    /// The values of `enum` or `const`, as JSON.
    pub(crate) values: Option<BTreeSet<String>>,
    pub(crate) properties: BTreeMap<&'d str, &'d Value>,
    pub(crate) required: BTreeSet<&'d str>,
    pub(crate) items: Option<&'d Value>,
    pub(crate) additional: Option<&'d Value>,
    pub(crate) variants: Vec<&'d Value>,
    pub(crate) limits: BTreeMap<&'static str, &'d Value>,
}

impl<'d> Shape<'d> {
    pub(crate) fn of(document: &'d Document, schema: &'d Value) -> Self {
        let mut shape = Self::default();
        shape.merge(document, schema, MAX_DEPTH);
        if shape.types.is_empty() && !shape.properties.is_empty() {
            shape.types.insert("object");
        }
        shape
    }

    /// Adds another schema of the same value.
    fn merge(&mut self, document: &'d Document, schema: &'d Value, depth: usize) {
        assert!(depth > 0, "`allOf` is nested too deeply: {schema}");
        // In 3.1, keywords next to a reference apply too.
        self.merge_keywords(document, schema, depth);
        let (target, _) = document.resolve(schema);
        if !std::ptr::eq(target, schema) {
            self.merge_keywords(document, target, depth);
        }
    }

    fn merge_keywords(&mut self, document: &'d Document, schema: &'d Value, depth: usize) {
        let flag = |name: &str| schema.get(name).and_then(Value::as_bool) == Some(true);
        self.nullable |= flag("nullable");
        self.read_only |= flag("readOnly");
        self.write_only |= flag("writeOnly");
        self.deprecated |= flag("deprecated");
        self.format = self
            .format
            .or_else(|| schema.get("format").and_then(Value::as_str));
        self.items = self.items.or_else(|| schema.get("items"));
        self.additional = self
            .additional
            .or_else(|| schema.get("additionalProperties"));
        self.merge_types(schema);
        self.merge_values(schema);
        let properties = entries(schema, "properties");
        self.properties
            .extend(properties.map(|(name, node)| (name.as_str(), node)));
        self.required
            .extend(list(schema, "required").filter_map(Value::as_str));
        for name in LIMITS {
            if let Some(limit) = schema.get(*name) {
                self.limits.insert(name, limit);
            }
        }
        for part in list(schema, "allOf") {
            self.merge(document, part, depth - 1);
        }
        self.merge_variants(document, schema, depth);
    }

    fn merge_types(&mut self, schema: &'d Value) {
        let names = match schema.get("type") {
            Some(Value::Array(names)) => names.iter().collect(),
            Some(name) => vec![name],
            None => Vec::new(),
        };
        for name in names.into_iter().filter_map(Value::as_str) {
            if name == "null" {
                self.nullable = true;
            } else {
                self.types.insert(name);
            }
        }
    }

    fn merge_values(&mut self, schema: &Value) {
        let values: BTreeSet<_> = list(schema, "enum")
            .chain(schema.get("const"))
            .filter(|value| !value.is_null())
            .map(Value::to_string)
            .collect();
        if !values.is_empty() {
            self.values = Some(values);
        }
    }

    /// Adds `oneOf` and `anyOf`. Null does not count as a variant, and a single variant is merged.
    fn merge_variants(&mut self, document: &'d Document, schema: &'d Value, depth: usize) {
        let all = list(schema, "oneOf").chain(list(schema, "anyOf"));
        let (null, variants): (Vec<_>, Vec<_>) =
            all.partition(|variant| variant.get("type").and_then(Value::as_str) == Some("null"));
        self.nullable |= !null.is_empty();
        match variants.as_slice() {
            [only] => self.merge(document, only, depth - 1),
            _ => self.variants.extend(variants),
        }
    }
}

/// Returns the elements of a nested list, if present.
fn list<'d>(node: &'d Value, name: &str) -> impl Iterator<Item = &'d Value> + use<'d> {
    node.get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}
