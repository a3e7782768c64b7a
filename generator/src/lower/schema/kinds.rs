//! The JSON types that a schema allows.

use crate::document::tree::Node;

/// A set of JSON types. A whole number is a number, so [`Kinds::NUMBER`] covers
/// [`Kinds::INTEGER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const BOOLEAN: Self = Self(1);
    pub(super) const INTEGER: Self = Self(2);
    pub(super) const NUMBER: Self = Self(2 | 4);
    pub(super) const STRING: Self = Self(8);
    pub(super) const ARRAY: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);

    /// The kinds with their words, in the order in which a union tries them.
    const WORDS: [(Self, &'static str); 6] = [
        (Self::BOOLEAN, "boolean"),
        (Self::INTEGER, "integer"),
        (Self::NUMBER, "number"),
        (Self::STRING, "string"),
        (Self::ARRAY, "array"),
        (Self::OBJECT, "object"),
    ];

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The single types of the set; of whole numbers and numbers only the wider.
    pub(super) fn each(self) -> impl Iterator<Item = (Self, &'static str)> {
        Self::WORDS.into_iter().filter(move |(kind, _)| {
            self.has(*kind) && !(*kind == Self::INTEGER && self.has(Self::NUMBER))
        })
    }
}

/// The value of a schema's `type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Declared {
    /// The types; `None` if no known type is declared.
    pub(super) kinds: Option<Kinds>,
    /// True if null is among them.
    pub(super) null: bool,
    /// True for Swagger 2.0's `file`.
    pub(super) file: bool,
}

impl Declared {
    /// Reads `type`: a word, or an array of words.
    pub(super) fn from_schema(schema: &Node) -> Self {
        let mut declared = Self::default();
        let Some(node) = schema.get("type") else {
            return declared;
        };
        let words = node.as_str().into_iter();
        for word in words.chain(node.items().filter_map(Node::as_str)) {
            declared.add(word);
        }
        declared
    }

    fn add(&mut self, word: &str) {
        let kind = match word.to_ascii_lowercase().as_str() {
            "null" => {
                self.null = true;
                return;
            }
            "file" => {
                self.file = true;
                Kinds::STRING
            }
            "boolean" | "bool" => Kinds::BOOLEAN,
            "integer" | "int" | "long" | "int32" | "int64" => Kinds::INTEGER,
            "number" | "float" | "double" | "decimal" => Kinds::NUMBER,
            "string" | "date" | "datetime" | "date-time" | "uuid" | "text" => Kinds::STRING,
            "array" | "list" => Kinds::ARRAY,
            "object" | "map" => Kinds::OBJECT,
            _ => return,
        };
        self.kinds = Some(self.kinds.unwrap_or(Kinds::NONE).or(kind));
    }
}
