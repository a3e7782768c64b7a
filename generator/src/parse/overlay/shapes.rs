//! The shapes of the values in an overlay: the reader and the JSON Schema of each.

use std::{
    fmt::{self, Display},
    marker::PhantomData,
    str::FromStr,
};

use serde_json::{Value, json};
use toolwright_model::{
    Category, Effect, MAX_TOOL_NAME, ResponsePath, Scheme, ServiceName, TOOL_VERBS, ToolName,
    settings::Reader as _,
};

use super::{Selector, keys::OverlayTable};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic},
        source::Placed,
        tree::{Field, Node},
    },
    parse::{format::Format, strict::StrictReader},
};

/// The shape of the value of a key.
pub(super) trait KeyShape {
    /// The value after reading.
    type Read;

    /// Returns the JSON Schema of the value.
    fn schema() -> Value;

    /// Reads the value of a key and reports its faults.
    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read;
}

/// A string that is not blank.
pub(super) struct Text;

/// The URL of a server.
pub(super) struct BaseUrl;

/// The verb of a tool's name. An unknown one is reported when the tool is named.
pub(super) struct VerbWord;

/// `true` or `false`.
pub(super) struct Boolean;

/// A whole number from 0.
pub(super) struct Index;

/// An array of strings.
pub(super) struct Strings;

/// An array of selectors.
pub(super) struct SelectorsShape;

/// An array of paths of parts of a response.
pub(super) struct PathsShape;

/// Strings under keys of any name.
pub(super) struct StringsByName;

/// Strings that are not blank, under keys of any name.
pub(super) struct Reasons;

/// An array whose elements are strings or arrays of strings.
pub(super) struct Alternatives;

/// The name of a JSON type, or an array of them.
pub(super) struct TypeNames;

/// An array of any values.
pub(super) struct Values;

/// Any value.
pub(super) struct Any;

/// A scheme of HTTP authentication that calls can use.
#[derive(Clone, Copy, Debug)]
pub(super) enum HttpScheme {
    Basic,
    Bearer,
}

/// A string that is parsed.
pub(super) struct Parsed<T>(PhantomData<T>);

/// A word of a closed set.
pub(super) struct Word<T>(PhantomData<T>);

/// An array of words of a closed set.
pub(super) struct Words<T>(PhantomData<T>);

/// A table.
pub(super) struct Nested<T>(PhantomData<T>);

/// Tables under keys of any name.
pub(super) struct ByName<T>(PhantomData<T>);

/// A type whose strings fit a pattern.
pub(super) trait Pattern: FromStr<Err: Display> {
    /// Returns the JSON Schema of the strings.
    fn schema() -> Value;
}

/// A closed set of words.
pub(super) trait WordSet: Copy + Display + 'static {
    const ALL: &'static [Self];
}

impl Pattern for ServiceName {
    fn schema() -> Value {
        json!({"type": "string", "pattern": "^[a-z][a-z0-9]*$"})
    }
}

impl Pattern for ToolName {
    fn schema() -> Value {
        let pattern = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$";
        json!({"type": "string", "pattern": pattern, "maxLength": MAX_TOOL_NAME})
    }
}

impl HttpScheme {
    pub(super) const fn scheme(self) -> Scheme {
        match self {
            Self::Basic => Scheme::Basic,
            Self::Bearer => Scheme::Bearer,
        }
    }
}

impl Display for HttpScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Basic => "basic",
            Self::Bearer => "bearer",
        })
    }
}

impl WordSet for HttpScheme {
    const ALL: &'static [Self] = &[Self::Basic, Self::Bearer];
}

impl WordSet for Format {
    const ALL: &'static [Self] = Self::ALL;
}

impl WordSet for Category {
    const ALL: &'static [Self] = Self::ALL;
}

impl WordSet for Effect {
    const ALL: &'static [Self] = Self::ALL;
}

impl KeyShape for Text {
    type Read = Option<Placed<String>>;

    fn schema() -> Value {
        json!({"type": "string", "pattern": "\\S"})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.placed_text(table, key)
    }
}

impl KeyShape for BaseUrl {
    type Read = Option<String>;

    fn schema() -> Value {
        json!({"type": "string", "pattern": "^\\s*https?://"})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let Placed { value, place } = reader.placed_text(table, key)?;
        if !value.starts_with("http://") && !value.starts_with("https://") {
            let message = format!("`{value}` is not an absolute URL");
            reader.report(
                Diagnostic::error(Code::UnknownValue, place, message)
                    .help("begin it with `https://` or `http://`"),
            );
            return None;
        }
        Some(value.trim_end_matches('/').to_owned())
    }
}

impl KeyShape for VerbWord {
    type Read = Option<Placed<String>>;

    fn schema() -> Value {
        json!({"enum": *TOOL_VERBS})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.placed_text(table, key)
    }
}

impl KeyShape for Boolean {
    type Read = Option<Placed<bool>>;

    fn schema() -> Value {
        json!({"type": "boolean"})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.boolean(table, key)
    }
}

impl KeyShape for Index {
    type Read = Option<Placed<usize>>;

    fn schema() -> Value {
        json!({"type": "integer", "minimum": 0})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let number = reader.number(table, key, 0..=u64::MAX)?;
        Some(number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    }
}

impl KeyShape for Strings {
    type Read = Vec<Placed<String>>;

    fn schema() -> Value {
        json!({"type": "array", "items": {"type": "string"}})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.texts(table, key)
    }
}

impl KeyShape for Alternatives {
    type Read = Option<Vec<Vec<Placed<String>>>>;

    fn schema() -> Value {
        let several = json!({"type": "array", "items": {"type": "string"}, "minItems": 1});
        json!({"type": "array", "items": {"anyOf": [{"type": "string"}, several]}})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let node = table.get(key)?;
        let subject = format!("each entry of `{key}`");
        let Some(items) = node.as_array() else {
            reader.wrong_type(node, &format!("`{key}`"), "an array");
            return None;
        };
        let mut alternatives = Vec::new();
        for item in items {
            let parts = match item.as_array() {
                Some([]) => {
                    reader.wrong_type(item, &subject, "a name or several");
                    Vec::new()
                }
                Some(parts) => parts.iter().collect(),
                None => vec![item],
            };
            let names = parts
                .into_iter()
                .filter_map(|part| reader.string_of(part, &subject));
            alternatives.push(names.collect());
        }
        Some(alternatives)
    }
}

/// The types of JSON Schema.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

impl KeyShape for TypeNames {
    type Read = Option<Placed<Vec<String>>>;

    fn schema() -> Value {
        let several = json!({"type": "array", "items": {"enum": TYPES}, "minItems": 1});
        json!({"anyOf": [{"enum": TYPES}, several]})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let field = table.field(key)?;
        let names = match field.node.as_array() {
            Some(names) => names.iter().collect(),
            None => vec![&field.node],
        };
        let known = |node: &&Node| node.as_str().is_some_and(|name| TYPES.contains(&name));
        if names.is_empty() || !names.iter().all(known) {
            let expected = format!("one of `{}`, or an array of them", TYPES.join("`, `"));
            reader.wrong_type(&field.node, &format!("`{key}`"), &expected);
            return None;
        }
        let names = names.into_iter().filter_map(Node::as_str);
        Some(Placed {
            value: names.map(str::to_owned).collect(),
            place: field.key,
        })
    }
}

impl KeyShape for Values {
    type Read = Option<Placed<Vec<Node>>>;

    fn schema() -> Value {
        json!({"type": "array"})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let field = table.field(key)?;
        let Some(values) = field.node.as_array() else {
            reader.wrong_type(&field.node, &format!("`{key}`"), "an array");
            return None;
        };
        Some(Placed {
            value: values.to_vec(),
            place: field.key,
        })
    }
}

impl KeyShape for SelectorsShape {
    type Read = Vec<Placed<Selector>>;

    fn schema() -> Value {
        Strings::schema()
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.parsed_list(table, key)
    }
}

impl KeyShape for PathsShape {
    type Read = Vec<Placed<ResponsePath>>;

    fn schema() -> Value {
        json!({"type": "array", "items": {"type": "string", "pattern": "^\\$"}})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.parsed_list(table, key)
    }
}

impl KeyShape for StringsByName {
    type Read = Vec<(Placed<String>, Placed<String>)>;

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": {"type": "string"}})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let mut strings = Vec::new();
        for (name, field) in fields_of(reader, table, key) {
            let string = reader.string_of(&field.node, &format!("`{key}.{name}`"));
            strings.extend(string.map(|string| (placed(name, field), string)));
        }
        strings
    }
}

impl KeyShape for Reasons {
    type Read = Vec<(Placed<String>, String)>;

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": Text::schema()})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let Some(names) = table.get(key) else {
            return Vec::new();
        };
        let mut reasons = Vec::new();
        for (name, field) in fields_of(reader, table, key) {
            let reason = reader.text(names, name);
            reasons.extend(reason.map(|reason| (placed(name, field), reason)));
        }
        reasons
    }
}

impl KeyShape for Any {
    type Read = Option<Value>;

    fn schema() -> Value {
        json!({})
    }

    fn read(_: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        table.get(key).map(Node::to_value)
    }
}

impl<T: Pattern> KeyShape for Parsed<T> {
    type Read = Option<Placed<T>>;

    fn schema() -> Value {
        T::schema()
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.parsed_at(table, key)
    }
}

impl<T: WordSet> KeyShape for Word<T> {
    type Read = Option<Placed<T>>;

    fn schema() -> Value {
        let words: Vec<String> = T::ALL.iter().map(ToString::to_string).collect();
        json!({"enum": words})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        reader.word(table, key, T::ALL)
    }
}

impl<T: WordSet> KeyShape for Words<T> {
    type Read = Vec<T>;

    fn schema() -> Value {
        json!({"type": "array", "items": Word::<T>::schema()})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let words = Strings::read(reader, table, key).into_iter();
        let words = words.filter_map(|word| reader.listed_word(key, word, T::ALL));
        words.map(|word| word.value).collect()
    }
}

impl<T: OverlayTable> KeyShape for Nested<T> {
    /// The table with the place of its key.
    type Read = Option<Placed<T>>;

    fn schema() -> Value {
        json!({"$ref": format!("#/$defs/{}", T::NAME)})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let field = table.field(key)?;
        let node = reader.table(&field.node, &format!("`{key}`"))?;
        let value = T::read(reader, node);
        let place = field.key;
        Some(Placed { value, place })
    }
}

impl<T: OverlayTable> KeyShape for ByName<T> {
    type Read = Vec<(Placed<String>, T)>;

    fn schema() -> Value {
        json!({"type": "object", "additionalProperties": Nested::<T>::schema()})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let mut tables = Vec::new();
        for (name, field) in fields_of(reader, table, key) {
            if let Some(node) = reader.table(&field.node, &format!("`{key}.\"{name}\"`")) {
                tables.push((placed(name, field), T::read(reader, node)));
            }
        }
        tables
    }
}

/// Returns the fields of a key that must be a table.
pub(super) fn fields_of<'n>(
    reader: &mut StrictReader<'_>,
    table: &'n Node,
    key: &str,
) -> impl Iterator<Item = (&'n String, &'n Field)> + use<'n> {
    let node = table.get(key);
    let node = node.and_then(|node| reader.table(node, &format!("`{key}`")));
    node.and_then(Node::as_object).into_iter().flatten()
}

/// Returns a key with its place.
pub(super) fn placed(name: &str, field: &Field) -> Placed<String> {
    Placed {
        value: name.to_owned(),
        place: field.key,
    }
}
