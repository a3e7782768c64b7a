//! The shapes of the settings of a GraphQL schema, and their record.

use serde_json::{Value, json};
use toolwright_model::settings::Reader as _;

use super::{
    keys,
    shapes::{KeyShape, WordSet, fields_of, placed},
};
use crate::{
    document::{source::Placed, tree::Node},
    parse::{
        graphql::{DEEPEST, GraphqlSettings, ScalarType},
        strict::StrictReader,
    },
};

/// The depth of results.
pub(super) struct Depth;

/// The types of scalars, by their names.
pub(super) struct Scalars;

impl KeyShape for Depth {
    type Read = Option<Placed<u8>>;

    fn schema() -> Value {
        json!({"type": "integer", "minimum": 1, "maximum": DEEPEST})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let depth = reader.number(table, key, 1..=u64::from(DEEPEST))?;
        Some(depth.map(|depth| u8::try_from(depth).unwrap_or(DEEPEST)))
    }
}

impl KeyShape for Scalars {
    type Read = Vec<(Placed<String>, ScalarType)>;

    fn schema() -> Value {
        let words: Vec<&str> = ScalarType::ALL.iter().map(|ty| ty.word()).collect();
        json!({"type": "object", "additionalProperties": {"enum": words}})
    }

    fn read(reader: &mut StrictReader<'_>, table: &Node, key: &str) -> Self::Read {
        let mut scalars = Vec::new();
        for (name, field) in fields_of(reader, table, key) {
            let word = reader.string_of(&field.node, &format!("`{key}.{name}`"));
            let ty = word.and_then(|word| reader.listed_word(key, word, ScalarType::ALL));
            scalars.extend(ty.map(|ty| (placed(name, field), ty.value)));
        }
        scalars
    }
}

impl WordSet for ScalarType {
    const ALL: &'static [Self] = Self::ALL;
}

/// Returns the settings of a table.
pub(super) fn settings(keys: Option<Placed<keys::Graphql>>) -> GraphqlSettings {
    keys.map_or_else(GraphqlSettings::default, |keys| GraphqlSettings {
        depth: keys.value.depth,
        scalars: keys.value.scalars,
        operations: keys.value.operations,
    })
}
