//! The fields of forms.
//!
//! The judge takes the values of a field apart only where its `style` is written. A repeated field
//! is its last value then.

use serde_json::{Map, Value, json};

use super::resolved;

const URL_ENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// Writes out, below each form, that arrays are repeated.
pub(super) fn write_out(half: &mut Value) {
    let whole = half.clone();
    write(&whole, half);
}

fn write(whole: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for form in [URL_ENCODED, MULTIPART] {
                if let Some(Value::Object(body)) = fields.get_mut(form) {
                    encode(whole, form, body);
                }
            }
            fields.values_mut().for_each(|value| write(whole, value));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| write(whole, item)),
        _ => {}
    }
}

/// An array is repeated, in the style `form`. In a part of a multipart body no style has a
/// meaning, nor has any character of it.
fn encode(whole: &Value, form: &str, body: &mut Map<String, Value>) {
    let Some(schema) = body.get("schema") else {
        return;
    };
    let arrays = arrays(whole, schema);
    let encoding = body.entry("encoding").or_insert_with(|| json!({}));
    let Value::Object(encoding) = encoding else {
        return;
    };
    for name in arrays {
        let of_field = encoding.entry(name).or_insert_with(|| json!({}));
        if form == MULTIPART {
            *of_field = json!({"style": "form", "explode": true, "allowReserved": true});
        } else if let Value::Object(of_field) = of_field {
            let style = of_field.entry("style").or_insert_with(|| json!("form"));
            let explode = *style == "form";
            of_field.entry("explode").or_insert_with(|| json!(explode));
        }
    }
}

/// The properties that are arrays.
fn arrays(whole: &Value, schema: &Value) -> Vec<String> {
    let schema = resolved(whole, schema);
    let own = schema["properties"].as_object().into_iter().flatten();
    let arrays = own.filter(|(_, property)| is_array(resolved(whole, property)));
    let mut names: Vec<String> = arrays.map(|(name, _)| name.clone()).collect();
    for part in schema["allOf"].as_array().into_iter().flatten() {
        names.extend(self::arrays(whole, part));
    }
    names
}

fn is_array(schema: &Value) -> bool {
    match &schema["type"] {
        Value::Array(types) => types.iter().any(|kind| kind == "array"),
        kind => kind == "array",
    }
}
