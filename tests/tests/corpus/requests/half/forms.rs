//! The fields of forms.
//!
//! The judge takes the values of a field apart only where its `style` is written. A repeated field
//! is its last value then.

use serde_json::{Map, Value, json};

use super::{all_of, cannot_be_null, resolved};

const URL_ENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// How deep the parts of a schema are looked into.
const DEEPEST: usize = 16;

/// Writes out what forms are, where these are the contents of a body.
pub(super) fn write_out(whole: &Value, contents: &mut Map<String, Value>) {
    if let Some(Value::Object(form)) = contents.get_mut(URL_ENCODED) {
        url_encoded(whole, form);
    }
    if let Some(Value::Object(form)) = contents.get_mut(MULTIPART) {
        multipart(whole, form);
    }
}

/// An array is repeated, in the style `form`.
fn url_encoded(whole: &Value, form: &mut Map<String, Value>) {
    let mut arrays = Vec::new();
    let described = describe(whole, form, |name, field| {
        if is_array(whole, field) {
            arrays.push(name.to_owned());
        }
    });
    let Some(Value::Object(encoding)) = described else {
        return;
    };
    for name in arrays {
        let of_field = encoding.entry(name).or_insert_with(|| json!({}));
        if let Value::Object(of_field) = of_field {
            let style = of_field.entry("style").or_insert_with(|| json!("form"));
            let explode = *style == "form";
            of_field.entry("explode").or_insert_with(|| json!(explode));
        }
    }
}

/// An array is repeated, and an object is JSON. In a part of a multipart body no style has a
/// meaning, nor has any character of it; but the judge reads JSON in the elements of an array
/// alone, so an object is handed to it as an array of this one.
fn multipart(whole: &Value, form: &mut Map<String, Value>) {
    if form
        .get("schema")
        .is_some_and(|schema| is_of(whole, schema, "string", 0))
    {
        // The bytes of the body are the text, and not the fields with which the judge compares it.
        form.remove("schema");
        return;
    }
    let mut styled = Vec::new();
    let described = describe(whole, form, |name, field| {
        let object = is_of(whole, field, "object", 0);
        if object {
            *field = json!({
                "type": "array",
                "items": {"type": "object", "allOf": [field.take()]},
            });
        }
        if object || is_array(whole, field) {
            styled.push(name.to_owned());
        }
    });
    let Some(Value::Object(encoding)) = described else {
        return;
    };
    let as_array = json!({"style": "form", "explode": true, "allowReserved": true});
    encoding.extend(styled.into_iter().map(|name| (name, as_array.clone())));
}

/// Gives a form a schema of its own with all of its fields, changes each field, and gives what is
/// said of how they are written.
fn describe<'f>(
    whole: &Value,
    form: &'f mut Map<String, Value>,
    mut change: impl FnMut(&str, &mut Value),
) -> Option<&'f mut Value> {
    let mut schema = own(whole, form.get("schema")?, 0);
    declare(&mut schema);
    each_field(&mut schema, &mut change);
    form.insert("schema".to_owned(), schema);
    Some(form.entry("encoding").or_insert_with(|| json!({})))
}

/// The schema without references to it or to its parts, so that it can be changed here alone.
fn own(whole: &Value, schema: &Value, depth: usize) -> Value {
    let mut own = resolved(whole, schema).clone();
    if depth < DEEPEST
        && let Some(Value::Array(parts)) = own.get_mut("allOf")
    {
        for part in parts {
            *part = self::own(whole, part, depth + 1);
        }
    }
    own
}

/// Declares what is only required: the judge sees those fields alone that are declared.
fn declare(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let mut declared = Vec::new();
    each_field(schema, &mut |name, _| declared.push(name.to_owned()));
    let missing = required.iter().filter_map(Value::as_str);
    let missing = missing.filter(|name| !declared.iter().any(|declared| declared == name));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.extend(missing.map(|name| (name.to_owned(), json!({}))));
    }
}

/// The properties of a schema and of its parts.
fn each_field(schema: &mut Value, change: &mut impl FnMut(&str, &mut Value)) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties {
            change(name, property);
        }
    }
    if let Some(Value::Array(parts)) = schema.get_mut("allOf") {
        for part in parts {
            each_field(part, change);
        }
    }
}

/// Whether a field is an array; it is written so that the judge sees it.
fn is_array(whole: &Value, field: &mut Value) -> bool {
    let is_array = is_of(whole, field, "array", 0);
    if is_array {
        *field = own(whole, field, 0);
        field.as_object_mut().map(cannot_be_null);
    }
    is_array
}

/// Whether a schema says that it is of a type, or each of its variants does.
fn is_of(whole: &Value, schema: &Value, kind: &str, depth: usize) -> bool {
    let said = |part: &Value| match &part["type"] {
        Value::Array(types) => types.iter().any(|of| of == kind),
        of => of == kind,
    };
    let each = |part: &Value| {
        let variants = part["oneOf"].as_array().or(part["anyOf"].as_array());
        variants.is_some_and(|variants| {
            let mut variants = variants.iter();
            depth < DEEPEST && variants.all(|variant| is_of(whole, variant, kind, depth + 1))
        })
    };
    let mut parts = all_of(whole, schema).into_iter();
    parts.any(|part| said(part) || each(part))
}
