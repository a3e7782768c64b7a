//! Parameters.

use serde_json::{Map, Value, json};

use super::{all_of, remove_null, resolve};

/// Headers that OpenAPI 3 excludes from parameters.
const IGNORED: [&str; 3] = ["accept", "authorization", "content-type"];

/// The maximum depth of objects inside a parameter.
const DEEPEST: usize = 4;

/// Makes the defaults of OpenAPI 3 parameters explicit.
pub(super) fn write_out(whole: &Value, fields: &mut Map<String, Value>) {
    let named = fields.get("name").is_some_and(Value::is_string);
    if named && has_location(fields, &["query", "path", "header", "cookie"]) {
        explode(fields);
        ignore_header(fields);
        clarify_schema(whole, fields);
    }
}

/// Removes styles from path templates: some documents write `{.name*}`, which the validator does
/// not parse.
pub(super) fn plain_templates(half: &mut Value) {
    let Some(Value::Object(paths)) = half.get_mut("paths") else {
        return;
    };
    let plain = std::mem::take(paths).into_iter().map(|(path, item)| {
        let path = ["{.", "{;", "{?"]
            .iter()
            .fold(path, |path, operator| path.replace(operator, "{"));
        (path.replace("*}", "}"), item)
    });
    *paths = plain.collect();
}

fn has_location(parameter: &Map<String, Value>, places: &[&str]) -> bool {
    let place = parameter.get("in").and_then(Value::as_str);
    place.is_some_and(|place| places.contains(&place))
}

/// Writes `explode: true` for the style `form`. The validator ignores this default.
fn explode(parameter: &mut Map<String, Value>) {
    let style = parameter.get("style").is_none_or(|style| style == "form");
    if style && has_location(parameter, &["query", "cookie"]) {
        parameter.entry("explode").or_insert_with(|| json!(true));
    }
}

/// Makes headers optional that OpenAPI excludes from parameters.
fn ignore_header(parameter: &mut Map<String, Value>) {
    let name = parameter.get("name").and_then(Value::as_str);
    let ignored = name.is_some_and(|name| IGNORED.contains(&name.to_lowercase().as_str()));
    if ignored && has_location(parameter, &["header"]) {
        parameter.insert("schema".to_owned(), json!({}));
        parameter.insert("required".to_owned(), json!(false));
    }
}

/// Gives a parameter its own schema if the validator misreads the original.
fn clarify_schema(whole: &Value, parameter: &mut Map<String, Value>) {
    let Some(schema) = parameter.get_mut("schema") else {
        return;
    };
    let mut own = resolve(whole, schema).clone();
    let Value::Object(keywords) = &mut own else {
        return;
    };
    let changed = [
        declare_objects(whole, keywords, 0),
        remove_null(keywords),
        list_strings(keywords),
        declare_all_properties(whole, keywords),
    ];
    if changed.contains(&true) {
        *schema = own;
    }
}

/// Adds the type of an object, which the validator needs to parse it.
fn declare_objects(whole: &Value, keywords: &mut Map<String, Value>, depth: usize) -> bool {
    let Some(Value::Object(properties)) = keywords.get_mut("properties") else {
        return false;
    };
    let mut changed = false;
    for property in properties.values_mut().filter(|_| depth < DEEPEST) {
        let mut own = resolve(whole, property).clone();
        let keywords = own.as_object_mut();
        if keywords.is_some_and(|keywords| declare_objects(whole, keywords, depth + 1)) {
            *property = own;
            changed = true;
        }
    }
    let unsaid = !keywords.contains_key("type");
    keywords.entry("type").or_insert_with(|| json!("object"));
    changed || unsaid
}

/// Converts listed values to strings in a schema without a type: the validator compares strings.
fn list_strings(keywords: &mut Map<String, Value>) -> bool {
    if keywords.contains_key("type") {
        return false;
    }
    let Some(Value::Array(values)) = keywords.get_mut("enum") else {
        return false;
    };
    for value in values {
        if value.is_boolean() || value.is_number() {
            *value = value.to_string().into();
        }
    }
    true
}

/// Declares the properties of variants and parts, which the validator does not find in a query.
fn declare_all_properties(whole: &Value, keywords: &mut Map<String, Value>) -> bool {
    let object = keywords.get("type").is_some_and(|kind| kind == "object");
    if !object || keywords.get("additionalProperties") == Some(&json!(false)) {
        return false;
    }
    let variants = ["allOf", "anyOf", "oneOf"].map(|word| keywords.get(word));
    let variants = variants.into_iter().flatten().filter_map(Value::as_array);
    let parts = variants.flatten().flat_map(|part| all_of(whole, part));
    let named = parts.filter_map(|part| part["properties"].as_object());
    let names: Vec<String> = named.flat_map(Map::keys).cloned().collect();
    let properties = keywords.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else {
        return false;
    };
    for name in &names {
        properties.entry(name).or_insert_with(|| json!({}));
    }
    !names.is_empty()
}
