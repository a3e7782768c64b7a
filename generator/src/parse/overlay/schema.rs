//! The JSON Schema of overlays, for editors. It is derived from the declarations that the reader
//! uses.

use serde_json::{Map, Value, json};

use super::keys::{
    Graphql, Header, Hints, KeyRule, OverlayOperation, OverlayTable, Pin, Proposal, ResponseParts,
    Root, SchemaPatch, Security, SecurityScheme, Server,
};

/// Returns the JSON Schema (2020-12) of overlays. It rejects every fault that the reader finds
/// without the document. For example, a selector that matches nothing is valid.
#[must_use]
pub fn schema() -> Value {
    let definitions: Map<String, Value> = [
        (OverlayOperation::NAME, table::<OverlayOperation>()),
        (Proposal::NAME, table::<Proposal>()),
        (Server::NAME, table::<Server>()),
        (SchemaPatch::NAME, table::<SchemaPatch>()),
        (SecurityScheme::NAME, table::<SecurityScheme>()),
        (Security::NAME, table::<Security>()),
        (Header::NAME, table::<Header>()),
        (Pin::NAME, table::<Pin>()),
        (Hints::NAME, table::<Hints>()),
        (Graphql::NAME, table::<Graphql>()),
        (ResponseParts::NAME, table::<ResponseParts>()),
    ]
    .map(|(name, schema)| (name.to_owned(), schema))
    .into_iter()
    .collect();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Toolwright overlay",
        "description": "The curation of a service's tools, next to its specification.",
    });
    if let (Some(fields), Value::Object(root)) = (schema.as_object_mut(), table::<Root>()) {
        fields.extend(root);
        fields.insert("$defs".to_owned(), definitions.into());
    }
    schema
}

fn table<T: OverlayTable>() -> Value {
    let mut schema = json!({
        "type": "object",
        "properties": T::properties(),
        "additionalProperties": false,
    });
    let rules: Vec<Value> = T::RULES.iter().flat_map(rule).collect();
    if let (Some(fields), false) = (schema.as_object_mut(), rules.is_empty()) {
        fields.insert("allOf".to_owned(), rules.into());
    }
    schema
}

fn rule(rule: &KeyRule) -> Vec<Value> {
    let required = |name: &&str| json!({"required": [name]});
    match rule {
        KeyRule::ExactlyOne(names, _) => {
            let each: Vec<Value> = names.iter().map(required).collect();
            vec![json!({"oneOf": each})]
        }
        KeyRule::Needs(key, names) => {
            let mut any = vec![json!({"not": {"required": [key]}})];
            any.extend(names.iter().map(required));
            vec![json!({"anyOf": any})]
        }
        KeyRule::AtMostOne(names) => {
            let pairs = names.iter().enumerate().flat_map(|(index, one)| {
                let others = names.iter().skip(index + 1);
                others.map(move |other| json!({"not": {"required": [one, other]}}))
            });
            pairs.collect()
        }
    }
}
