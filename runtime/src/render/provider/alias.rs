//! Names of arguments for Anthropic, which refuses the whole request for one with other characters.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_schema::properties;

/// The longest name of an argument, in characters.
const LONGEST: usize = 64;

/// Returns the schema with names that Anthropic accepts: `^[a-zA-Z0-9_.-]{1,64}$`.
pub(super) fn renamed(mut schema: Value) -> Value {
    let aliases = aliases(&schema);
    if aliases.is_empty() {
        return schema;
    }
    let alias = |name: &str| {
        let found = aliases.iter().find(|(own, _)| own == name);
        found.map_or(name, |(_, alias)| alias).to_owned()
    };
    if let Some(Value::Object(table)) = schema.get_mut("properties") {
        let renamed = std::mem::take(table).into_iter();
        *table = renamed
            .map(|(name, schema)| (alias(&name), schema))
            .collect();
    }
    for name in schema
        .get_mut("required")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        if let Some(own) = name.as_str() {
            *name = alias(own).into();
        }
    }
    schema
}

/// Returns arguments with the names of the schema, for those with the names of [`renamed`].
pub(super) fn restored(schema: &Value, arguments: Value) -> Value {
    let aliases = aliases(schema);
    match arguments {
        Value::Object(fields) if !aliases.is_empty() => {
            let restored = fields.into_iter().map(|(name, value)| {
                let found = aliases.iter().find(|(_, alias)| *alias == name);
                (found.map_or(name, |(own, _)| own.clone()), value)
            });
            restored.collect::<Map<_, _>>().into()
        }
        arguments => arguments,
    }
}

/// Returns the names that Anthropic refuses, each with one that it accepts and no other argument has.
fn aliases(schema: &Value) -> Vec<(String, String)> {
    let names = || properties(schema).map(|(name, _)| name);
    let mut taken: BTreeSet<String> = names()
        .filter(|name| is_accepted(name))
        .map(str::to_owned)
        .collect();
    let mut aliases = Vec::new();
    for name in names().filter(|name| !is_accepted(name)) {
        let alias = free_alias(name, &taken);
        taken.insert(alias.clone());
        aliases.push((name.to_owned(), alias));
    }
    aliases
}

fn is_accepted(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_accepted_character)
}

const fn is_accepted_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-')
}

/// Returns the name with `_` for each other character. A number makes it unique.
fn free_alias(name: &str, taken: &BTreeSet<String>) -> String {
    let plain = name
        .chars()
        .map(|c| if is_accepted_character(c) { c } else { '_' });
    let plain: String = plain.take(LONGEST).collect();
    let plain = if plain.is_empty() {
        "_".to_owned()
    } else {
        plain
    };
    let mut alias = plain.clone();
    let mut number = 2;
    while taken.contains(&alias) {
        let suffix = format!("_{number}");
        let room = LONGEST.saturating_sub(suffix.len());
        alias = plain.chars().take(room).chain(suffix.chars()).collect();
        number += 1;
    }
    alias
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_renamed_and_restored() {
        let long = "x".repeat(80);
        let schema = json!({
            "properties": {"a_b": {}, "a[b]": {}, "a b": {}, "$top": {}, "": {}, long.as_str(): {}, "äö": {}},
            "required": ["a[b]", "a_b"],
        });
        let renamed = renamed(schema.clone());
        let names: Vec<&str> = properties(&renamed).map(|(name, _)| name).collect();
        assert!(names.iter().all(|name| is_accepted(name)), "{names:?}");
        assert_eq!(
            names,
            [
                "a_b",
                "a_b_",
                "a_b_2",
                "_top",
                "_",
                long.as_str().split_at(64).0,
                "__"
            ]
        );
        assert_eq!(renamed["required"], json!(["a_b_", "a_b"]));
        let value = |schema: &Value| -> Value {
            let names = properties(schema).enumerate();
            names
                .map(|(index, (name, _))| (name.to_owned(), json!(index)))
                .collect::<Map<_, _>>()
                .into()
        };
        assert_eq!(restored(&schema, value(&renamed)), value(&schema));
    }
}
