//! Keywords that a dialect lacks, as sentences of the description.

use serde_json::{Map, Value};
use toolwright_schema::walk_mut;

/// The longest JSON of a keyword in a description, in bytes.
const LONGEST: usize = 200;

/// Keywords that describe values and refuse none.
const ANNOTATIONS: [&str; 9] = [
    "$comment",
    "default",
    "deprecated",
    "description",
    "example",
    "examples",
    "readOnly",
    "title",
    "writeOnly",
];

/// Checks whether a keyword refuses no value.
pub(in crate::render) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword) || keyword.starts_with("x-")
}

/// Removes the keywords that `keeps` does not accept, and writes them in the description of their
/// schema. The result may accept more values: those that only such a keyword refuses.
pub(in crate::render) fn restrict(
    schema: &mut Value,
    keeps: impl Fn(&str, &Value, &Map<String, Value>) -> bool,
) {
    walk_mut(schema, |_, schema| {
        if let Some(fields) = schema.as_object_mut() {
            restrict_fields(fields, &keeps);
        }
    });
}

/// Does the same for one schema.
fn restrict_fields(
    fields: &mut Map<String, Value>,
    keeps: impl Fn(&str, &Value, &Map<String, Value>) -> bool,
) {
    let dropped = fields.iter();
    let dropped = dropped.filter(|(keyword, value)| !keeps(keyword, value, fields));
    let dropped: Vec<String> = dropped.map(|(keyword, _)| keyword.clone()).collect();
    let mut sentences = Vec::new();
    for keyword in dropped {
        if let Some(value) = fields.shift_remove(&keyword) {
            sentences.extend(sentence(&keyword, &value));
        }
    }
    if sentences.is_empty() {
        return;
    }
    let text = fields.get("description").and_then(Value::as_str);
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let all = text.into_iter().chain(sentences.iter().map(String::as_str));
    let all: Vec<&str> = all.collect();
    fields.insert("description".to_owned(), all.join(" ").into());
}

/// Returns the sentence for a keyword, or `None` if it says nothing about values.
fn sentence(keyword: &str, value: &Value) -> Option<String> {
    Some(match keyword {
        "minLength" => format!("At least {value} characters."),
        "maxLength" => format!("At most {value} characters."),
        "minItems" => format!("At least {value} elements."),
        "maxItems" => format!("At most {value} elements."),
        "minProperties" => format!("At least {value} properties."),
        "maxProperties" => format!("At most {value} properties."),
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("More than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "uniqueItems" => (value == true).then(|| "No two elements are equal.".to_owned())?,
        "deprecated" => (value == true).then(|| "Deprecated.".to_owned())?,
        "const" => format!("Always {}.", short(value)?),
        "default" => format!("Default: {}.", short(value)?),
        "examples" => format!("Example: {}.", short(value.as_array()?.first()?)?),
        "format" | "contentEncoding" | "contentMediaType" => {
            format!("Format: {}.", value.as_str()?)
        }
        "pattern" => format!("Pattern: {}.", value.as_str()?),
        keyword if is_annotation(keyword) || keyword.starts_with('$') => return None,
        keyword => match short(value) {
            Some(value) => format!("JSON Schema `{keyword}`: {value}."),
            None => format!(
                "Not all values are accepted: see `{keyword}` of the service's documentation."
            ),
        },
    })
}

/// Returns the JSON of a value, unless it is long.
fn short(value: &Value) -> Option<String> {
    let json = value.to_string();
    (json.len() <= LONGEST).then_some(json)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn removed_keywords_are_described() {
        let mut schema = json!({
            "type": "object",
            "properties": {"name": {
                "type": "string", "description": "The name. ", "maxLength": 9, "pattern": "^a",
                "uniqueItems": false, "default": "x", "examples": ["ab", "c"], "$comment": "n", "x-y": 1,
            }},
            "not": {"required": ["x"]},
            "if": {"enum": ["x".repeat(300)]},
        });
        restrict(&mut schema, |keyword, _, _| {
            ["type", "properties", "description"].contains(&keyword)
        });
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {"name": {
                    "type": "string",
                    "description": "The name. At most 9 characters. Pattern: ^a. Default: \"x\". Example: \"ab\".",
                }},
                "description": "JSON Schema `not`: {\"required\":[\"x\"]}. Not all values are accepted: see `if` of \
                    the service's documentation.",
            })
        );
    }
}
