//! Rewrites of schemas for dialects that know only a part of JSON Schema.
//!
//! Each rewrite is a pure function of self-contained schemas of the draft 2020-12. A rewritten schema
//! accepts no value that the original refuses, unless the function documents another rule.

mod inline;
mod merge;
mod note;
mod root;

pub(super) use inline::inlined;
pub(super) use merge::{distributed, merged, without_all_of};
pub(super) use note::{is_annotation, restrict};
pub(super) use root::{Arguments, unwrapped};
use serde_json::{Map, Value};
use toolwright_schema::{SharedDefinitions, walk_mut};

use super::schema::add_alternatives;

/// Removes the definitions that the schema does not reach.
pub(super) fn prune(schema: &mut Value) {
    let definitions = schema
        .as_object_mut()
        .and_then(|schema| schema.shift_remove("$defs"));
    if let Some(Value::Object(definitions)) = definitions {
        let definitions: SharedDefinitions = definitions.into_iter().collect();
        *schema = definitions.bundle(schema.take());
    }
}

/// Replaces `oneOf` by `anyOf`, which also accepts values that match several alternatives.
pub(super) fn any_of_for_one_of(schema: &mut Value) {
    walk_mut(schema, |_, schema| {
        let Some(fields) = schema.as_object_mut() else {
            return;
        };
        let Some(variants) = fields.shift_remove("oneOf") else {
            return;
        };
        add_alternatives(fields, variants);
    });
}

/// Returns the annotations of a schema, and its other keywords.
pub(super) fn split_annotations(
    fields: Map<String, Value>,
) -> (Map<String, Value>, Map<String, Value>) {
    fields
        .into_iter()
        .partition(|(keyword, _)| is_annotation(keyword))
}
