//! The fields of forms.
//!
//! The validator parses the values of a field only if it has an explicit `style`. Otherwise it
//! reads only the last value of a repeated field.

use serde_json::{Map, Value, json};

use super::{all_of, remove_null, resolve};

const URL_ENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// The maximum depth of the traversal.
const DEEPEST: usize = 16;

/// Makes the encoding of form bodies explicit.
pub(super) fn write_out(whole: &Value, contents: &mut Map<String, Value>) {
    if let Some(Value::Object(form)) = contents.get_mut(URL_ENCODED) {
        url_encoded(whole, form);
    }
    if let Some(Value::Object(form)) = contents.get_mut(MULTIPART) {
        multipart(whole, form);
    }
}

/// Declares arrays as repeated fields with the style `form`.
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

/// Declares arrays as repeated fields and objects as JSON.
///
/// Styles have no meaning in a multipart part. The validator parses JSON only in the elements of an
/// array, so an object becomes an array of one element.
fn multipart(whole: &Value, form: &mut Map<String, Value>) {
    if form
        .get("schema")
        .is_some_and(|schema| has_type(whole, schema, "string", 0))
    {
        // The body is one string, but the validator would compare form fields with it.
        form.remove("schema");
        return;
    }
    let mut styled = Vec::new();
    let described = describe(whole, form, |name, field| {
        let object = has_type(whole, field, "object", 0);
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

/// Gives a form its own schema with all of its fields, changes each field, and returns the form's
/// `encoding`.
fn describe<'f>(
    whole: &Value,
    form: &'f mut Map<String, Value>,
    mut change: impl FnMut(&str, &mut Value),
) -> Option<&'f mut Value> {
    let mut schema = copy_schema(whole, form.get("schema")?, 0);
    declare(&mut schema);
    each_field(&mut schema, &mut change);
    form.insert("schema".to_owned(), schema);
    Some(form.entry("encoding").or_insert_with(|| json!({})))
}

/// Copies a schema with its references resolved, for local changes.
fn copy_schema(whole: &Value, schema: &Value, depth: usize) -> Value {
    let mut own = resolve(whole, schema).clone();
    if depth < DEEPEST
        && let Some(Value::Array(parts)) = own.get_mut("allOf")
    {
        for part in parts {
            *part = copy_schema(whole, part, depth + 1);
        }
    }
    own
}

/// Declares fields that are only required, because the validator ignores undeclared fields.
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

/// Applies `change` to the properties of a schema and its parts.
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

/// Returns true if a field is an array, and makes its type explicit.
fn is_array(whole: &Value, field: &mut Value) -> bool {
    let is_array = has_type(whole, field, "array", 0);
    if is_array {
        *field = copy_schema(whole, field, 0);
        field.as_object_mut().map(remove_null);
    }
    is_array
}

/// Returns true if a schema or each of its variants declares the type.
fn has_type(whole: &Value, schema: &Value, kind: &str, depth: usize) -> bool {
    let said = |part: &Value| match &part["type"] {
        Value::Array(types) => types.iter().any(|of| of == kind),
        of => of == kind,
    };
    let each = |part: &Value| {
        let variants = part["oneOf"].as_array().or(part["anyOf"].as_array());
        variants.is_some_and(|variants| {
            let mut variants = variants.iter();
            depth < DEEPEST && variants.all(|variant| has_type(whole, variant, kind, depth + 1))
        })
    };
    let mut parts = all_of(whole, schema).into_iter();
    parts.any(|part| said(part) || each(part))
}
