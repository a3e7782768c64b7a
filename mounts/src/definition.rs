//! The definition of a server's tool: all that the server says about it.

use std::{error, fmt};

use rmcp::model;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use toolwright_model::{
    JsonPointer, hex,
    text::{escape_invisible, has_invisible},
};

/// The longest name of a tool that MCP allows.
const LONGEST_NAME: usize = 128;

/// The most bytes of a definition as JSON.
const MOST_BYTES: usize = 64 << 10;

/// The deepest nesting of a definition.
const DEEPEST: usize = 48;

/// The most characters of a hidden text that are shown.
const SHOWN: usize = 120;

/// The keys whose values are schemas with references of their own.
const SCHEMAS: [&str; 2] = ["inputSchema", "outputSchema"];

/// The keywords that change what a reference means.
const MOVING: [&str; 6] = [
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveAnchor",
    "$recursiveRef",
];

/// The definition of a tool, in the form in which a [`Document`](crate::Document) has it: references
/// within a schema are references within the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    name: String,
    value: Map<String, Value>,
}

/// The reason why a definition cannot be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionFault {
    /// The name is not one that MCP allows.
    Name,
    /// The server lists several tools of this name.
    Duplicate,
    /// It is too large.
    TooLarge,
    /// Its schemas are nested too deeply.
    TooDeep,
    /// A schema refers to something outside of itself, or changes the meaning of its references.
    Reference(String),
}

/// A string of a definition that has characters without a visible form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The JSON Pointer to it.
    pub pointer: String,
    /// The string, with such characters escaped. A long one is cut.
    pub text: String,
}

impl Definition {
    /// Reads what a server lists.
    pub(crate) fn from_server(tool: &model::Tool) -> Result<Self, DefinitionFault> {
        let mut value = Map::new();
        let mut put = |key: &str, part: Option<Value>| {
            if let Some(part) = part {
                value.insert(key.to_owned(), part);
            }
        };
        put("title", tool.title.clone().map(Value::from));
        put("description", tool.description.as_deref().map(Value::from));
        put(
            "inputSchema",
            Some(Value::Object((*tool.input_schema).clone())),
        );
        let output = tool.output_schema.as_deref().cloned();
        put("outputSchema", output.map(Value::Object));
        let annotations = tool.annotations.as_ref();
        let annotations = annotations.and_then(|hints| serde_json::to_value(hints).ok());
        put("annotations", annotations);
        Self::new(&tool.name, value)
    }

    fn new(name: &str, mut value: Map<String, Value>) -> Result<Self, DefinitionFault> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
            return Err(DefinitionFault::Name);
        }
        for key in SCHEMAS {
            let place = JsonPointer::from_iter(["tools", name, key]);
            if let Some(schema) = value.get_mut(key) {
                localise(schema, &format!("#{place}"), 0)?;
            }
        }
        let definition = Self::from_document(name, value);
        if definition.json().len() > MOST_BYTES {
            return Err(DefinitionFault::TooLarge);
        }
        Ok(definition)
    }

    /// Takes a definition from a document.
    pub(crate) fn from_document(name: &str, value: Map<String, Value>) -> Self {
        Self {
            name: name.to_owned(),
            value,
        }
    }

    /// Returns the name of the tool at the server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the definition as JSON.
    #[must_use]
    pub const fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// Returns the SHA-256 of the name and the definition, whatever the order of its keys is.
    #[must_use]
    pub fn digest(&self) -> String {
        let text = format!("{}\n{}", self.name, self.json());
        format!("sha256:{}", hex(Sha256::digest(text)))
    }

    /// Returns the strings that have characters without a visible form, with their places.
    #[must_use]
    pub fn hidden(&self) -> Vec<Hidden> {
        let mut hidden = Vec::new();
        for (key, value) in &self.value {
            find_hidden(value, &JsonPointer::from_iter([key.as_str()]), &mut hidden);
        }
        hidden
    }

    /// Returns the canonical JSON of the definition: the keys are sorted.
    fn json(&self) -> String {
        sorted(&Value::Object(self.value.clone())).to_string()
    }
}

impl Hidden {
    fn of_text(place: &JsonPointer, text: &str) -> Option<Self> {
        has_invisible(text).then(|| Self {
            pointer: escape_invisible(&place.to_string()).into_owned(),
            text: escape_invisible(text).chars().take(SHOWN).collect(),
        })
    }
}

/// Returns a value with the keys of each object sorted.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| *key);
            let fields = fields.into_iter();
            Value::Object(
                fields
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Rewrites the references of a schema, whose root becomes this place of a document.
fn localise(value: &mut Value, place: &str, depth: usize) -> Result<(), DefinitionFault> {
    if depth > DEEPEST {
        return Err(DefinitionFault::TooDeep);
    }
    match value {
        Value::Object(fields) => {
            if let Some(moving) = MOVING.iter().find(|key| {
                let value = fields.get(**key);
                value.is_some_and(Value::is_string)
            }) {
                return Err(DefinitionFault::Reference((*moving).to_owned()));
            }
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                let inner = reference.strip_prefix('#');
                let inner = inner.filter(|inner| inner.is_empty() || inner.starts_with('/'));
                let Some(inner) = inner else {
                    return Err(DefinitionFault::Reference(reference.clone()));
                };
                *reference = format!("{place}{inner}");
            }
            for field in fields.values_mut() {
                localise(field, place, depth + 1)?;
            }
        }
        Value::Array(items) => {
            for item in items {
                localise(item, place, depth + 1)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn find_hidden(value: &Value, place: &JsonPointer, hidden: &mut Vec<Hidden>) {
    match value {
        Value::String(text) => hidden.extend(Hidden::of_text(place, text)),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find_hidden(item, &place.join(&index.to_string()), hidden);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                hidden.extend(Hidden::of_text(place, key));
                find_hidden(field, &place.join(key), hidden);
            }
        }
        _ => {}
    }
}

/// Continues "cannot be accepted: …".
impl fmt::Display for DefinitionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("its name is not one that MCP allows"),
            Self::Duplicate => f.write_str("the server lists several tools of this name"),
            Self::TooLarge => write!(f, "it is larger than {MOST_BYTES} bytes"),
            Self::TooDeep => write!(f, "its schemas are nested more than {DEEPEST} levels deep"),
            Self::Reference(reference) => write!(
                f,
                "`{}` leads out of its schema",
                escape_invisible(reference)
            ),
        }
    }
}

impl error::Error for DefinitionFault {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition(name: &str, value: Value) -> Result<Definition, DefinitionFault> {
        Definition::new(name, value.as_object().unwrap().clone())
    }

    #[test]
    fn a_digest_does_not_depend_on_the_order_of_keys() {
        let one = definition(
            "a",
            json!({"description": "x", "inputSchema": {"type": "object"}}),
        );
        let two = definition(
            "a",
            json!({"inputSchema": {"type": "object"}, "description": "x"}),
        );
        assert_eq!(one.clone().unwrap().digest(), two.unwrap().digest());
        let other = definition(
            "b",
            json!({"description": "x", "inputSchema": {"type": "object"}}),
        );
        assert_ne!(one.unwrap().digest(), other.unwrap().digest());
    }

    #[test]
    fn references_stay_within_their_schema() {
        let schema =
            json!({"properties": {"a": {"$ref": "#/$defs/A"}, "$ref": {"type": "string"}}});
        let read = definition("read/it", json!({"inputSchema": schema})).unwrap();
        let reference = read.value["inputSchema"]
            .pointer("/properties/a/$ref")
            .unwrap();
        assert_eq!(reference, "#/tools/read~1it/inputSchema/$defs/A");
        for hostile in [
            "file:///etc/passwd",
            "../../secrets.json",
            "https://a.example/b",
            "#anchor",
        ] {
            let schema = json!({"properties": {"a": {"$ref": hostile}}});
            let fault = definition("a", json!({"inputSchema": schema})).unwrap_err();
            assert_eq!(fault, DefinitionFault::Reference(hostile.to_owned()));
        }
        let schema = json!({"$id": "https://a.example/b"});
        assert!(definition("a", json!({"inputSchema": schema})).is_err());
    }

    #[test]
    fn bombs_are_refused() {
        let mut deep = json!({});
        for _ in 0..60 {
            deep = json!({"items": deep});
        }
        let fault = definition("a", json!({"inputSchema": deep})).unwrap_err();
        assert_eq!(fault, DefinitionFault::TooDeep);
        let wide: Map<_, _> = (0..10_000).map(|n| (format!("p{n}"), json!({}))).collect();
        let fault = definition("a", json!({"inputSchema": {"properties": wide}})).unwrap_err();
        assert_eq!(fault, DefinitionFault::TooLarge);
        for name in ["", "a b", "\u{1b}[2J", "a\u{200b}", "ä", &"a".repeat(129)] {
            assert_eq!(
                definition(name, json!({})).unwrap_err(),
                DefinitionFault::Name
            );
        }
    }

    #[test]
    fn hidden_text_is_reported_with_its_place() {
        let value = json!({
            "description": "Reads.\u{e0049}\u{e0067}",
            "inputSchema": {"properties": {"pa\u{202e}th": {"description": "a\u{200b}b", "enum": ["\u{1b}[2J"]}}},
        });
        let hidden = definition("a", value).unwrap().hidden();
        let places: Vec<_> = hidden
            .iter()
            .map(|hidden| hidden.pointer.as_str())
            .collect();
        assert_eq!(places.len(), 4, "{hidden:?}");
        assert_eq!(places[0], "/description");
        assert!(
            hidden.iter().all(|hidden| hidden.text.contains("\\u{")),
            "{hidden:?}"
        );
        assert!(hidden.iter().all(|hidden| !has_invisible(&hidden.pointer)));
    }
}
