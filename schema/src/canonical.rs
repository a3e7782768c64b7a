//! The canonical form of a value.

use serde_json::Value;

/// Returns the canonical form of a value: JSON without white space and with sorted keys.
///
/// Two values that differ only in the order of their keys have the same form. It recurses as deeply
/// as the value is nested, like the serialisation of [`Value`].
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, out);
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, field)) in sorted.into_iter().enumerate() {
                separate(index, out);
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(field, out);
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn separate(index: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_sorted_and_elements_are_not() {
        let one = json!({"b": [1, {"d": null, "c": "é\n"}], "a": true});
        let text = r#"{"a":true,"b":[1,{"c":"é\n","d":null}]}"#;
        assert_eq!(canonical(&one), text);
        assert_ne!(canonical(&json!([1, 2])), canonical(&json!([2, 1])));
    }
}
