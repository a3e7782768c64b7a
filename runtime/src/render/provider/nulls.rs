//! The null of a strict call that stands for an absent property.

use serde_json::{Map, Value};
use toolwright_schema::{Root, alternatives, only_variant, properties, required};

/// The deepest that values are visited.
const DEEPEST: usize = 64;

/// Removes the properties that are null and that the schema does not require.
///
/// Of several alternatives, the one whose properties are those of the value decides: a value of a
/// strict schema has all of them.
pub(super) fn removed(schema: &Value, arguments: Value) -> Value {
    let root = Root::new(schema);
    clean(root, &[schema], arguments, DEEPEST)
}

/// Cleans a value that all these schemas apply to.
fn clean(root: Root<'_>, schemas: &[&Value], value: Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return value;
    };
    match value {
        Value::Object(fields) => {
            let parts = parts(root, schemas, &fields);
            let cleaned = fields.into_iter().filter_map(|(name, value)| {
                let here = parts
                    .iter()
                    .filter_map(|part| part.get("properties")?.get(&name));
                let here: Vec<&Value> = here.collect();
                let is_required = parts
                    .iter()
                    .any(|part| required(part).any(|own| own == name));
                if value.is_null() && !here.is_empty() && !is_required {
                    return None;
                }
                Some((name, clean(root, &here, value, depth)))
            });
            cleaned.collect::<Map<_, _>>().into()
        }
        Value::Array(elements) => {
            let parts: Vec<&Value> = schemas
                .iter()
                .flat_map(|schema| all_parts(root, schema))
                .collect();
            let items: Vec<&Value> = parts.iter().filter_map(|part| part.get("items")).collect();
            let cleaned = elements
                .into_iter()
                .map(|element| clean(root, &items, element, depth));
            cleaned.collect()
        }
        scalar => scalar,
    }
}

/// Returns the schemas that apply to an object: the parts of each schema, and of the alternative that
/// the object is of.
fn parts<'a>(root: Root<'a>, schemas: &[&'a Value], fields: &Map<String, Value>) -> Vec<&'a Value> {
    let mut parts: Vec<&Value> = schemas
        .iter()
        .flat_map(|schema| root.parts(schema))
        .collect();
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next += 1;
        if only_variant(part).is_some() {
            continue;
        }
        let Some((_, variants)) = alternatives(part) else {
            continue;
        };
        let own = parts.clone();
        let fits = |variant: &&Value| is_variant(&own, &root.parts(variant), fields);
        if let Some(variant) = variants.iter().find(fits) {
            parts.extend(root.parts(variant));
        }
    }
    parts
}

/// Returns the parts of a schema and of all its alternatives, for the elements of a list.
fn all_parts<'a>(root: Root<'a>, schema: &'a Value) -> Vec<&'a Value> {
    let parts = root.parts(schema);
    let variants = parts.iter().filter(|part| only_variant(part).is_none());
    let variants = variants
        .filter_map(|part| alternatives(part))
        .flat_map(|(_, all)| all);
    let variants: Vec<&Value> = variants.flat_map(|variant| root.parts(variant)).collect();
    parts.into_iter().chain(variants).collect()
}

/// Checks whether an object has the properties of an alternative, and its constants.
fn is_variant(own: &[&Value], variant: &[&Value], fields: &Map<String, Value>) -> bool {
    let all = || own.iter().chain(variant);
    let declares = |name: &str| all().any(|part| properties(part).any(|(own, _)| own == name));
    let is_constant = |part: &&Value| {
        properties(part).all(|(name, schema)| {
            let value = fields.get(name);
            let listed = schema.get("enum").and_then(Value::as_array);
            let constant = schema.get("const");
            value.is_none_or(|value| {
                value.is_null()
                    || (constant.is_none_or(|constant| constant == value)
                        && listed.is_none_or(|listed| listed.contains(value)))
            })
        })
    };
    fields.keys().all(|name| declares(name))
        && variant
            .iter()
            .all(|part| properties(part).all(|(name, _)| fields.contains_key(name)))
        && variant.iter().all(is_constant)
}
