//! Cleans and limits the vendors' prose, so the emitted and the loaded tools are equal.

use serde_json::Value;
use toolwright_model::texts::{
    LONGEST_SECTION, LONGEST_SHORT, LONGEST_TEXT, LONGEST_TITLE, clean_binding, clean_schema_after,
    line, prose,
};

use super::repeated::Repeated;
use crate::ir::{
    CuratedOperation, Operation, Service,
    types::{Shape, Type, Types},
};

/// The longest quotation of evidence, in characters.
const LONGEST_EVIDENCE: usize = 240;

pub(super) fn run(service: &mut Service<CuratedOperation>) {
    service.title = line(&service.title, LONGEST_TITLE);
    service.version = line(&service.version, LONGEST_TITLE);
    let repeated = Repeated::of(&service.definitions);
    let schema = |schema: &mut Value| {
        clean_schema_after(schema, |schema| repeated.take_out(schema));
    };
    for curated in &mut service.operations {
        operation(&mut curated.operation, schema);
    }
    service.definitions.values_mut().for_each(schema);
    types(&mut service.types);
}

fn operation(operation: &mut Operation, schema: impl Fn(&mut Value)) {
    let texts = &mut operation.texts;
    texts.title = line(&texts.title, LONGEST_TITLE);
    texts.short = line(&texts.short, LONGEST_SHORT);
    texts.section = line(&texts.section, LONGEST_SECTION);
    texts.description = prose(&texts.description, LONGEST_TEXT);
    let optional = [&mut texts.when_to_use, &mut operation.reason];
    for text in optional.into_iter().flatten() {
        *text = prose(text, LONGEST_TEXT);
    }
    for evidence in &mut operation.evidence {
        evidence.found = line(&evidence.found, LONGEST_EVIDENCE);
    }
    for argument in &mut operation.arguments {
        schema(&mut argument.schema);
    }
    operation.output.schema.iter_mut().for_each(schema);
    clean_binding(&mut operation.binding);
}

/// Cleans the documentation of the emitted types.
fn types(types: &mut Types) {
    let ids: Vec<_> = types.iter().map(|(id, _)| id).collect();
    for id in ids {
        if let Some(Type { docs, shape, .. }) = types.get_mut(id) {
            *docs = prose(docs, LONGEST_TEXT);
            if let Shape::Object(object) = shape {
                for field in &mut object.fields {
                    field.docs = prose(&field.docs, LONGEST_TEXT);
                }
            }
        }
    }
}
