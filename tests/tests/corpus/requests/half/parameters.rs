//! Parameters.

use serde_json::{Map, Value, json};

use super::{all_of, cannot_be_null, resolved};

/// Headers of which OpenAPI 3 says that a parameter of the name is to be ignored.
const IGNORED: [&str; 3] = ["accept", "authorization", "content-type"];

/// How deep an object within a parameter is looked into.
const DEEPEST: usize = 4;

/// Writes out what OpenAPI 3 says of a parameter where the document is silent.
pub(super) fn write_out(whole: &Value, fields: &mut Map<String, Value>) {
    let named = fields.get("name").is_some_and(Value::is_string);
    if named && is_in(fields, &["query", "path", "header", "cookie"]) {
        explode(fields);
        ignore(fields);
        read_as_meant(whole, fields);
    }
}

/// A path is a template of names. Some documents write the style of a parameter beside its name,
/// as in `{.name*}`, which for the judge is no template.
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

fn is_in(parameter: &Map<String, Value>, places: &[&str]) -> bool {
    let place = parameter.get("in").and_then(Value::as_str);
    place.is_some_and(|place| places.contains(&place))
}

/// The style `form` explodes; for the judge it does so where that is written.
fn explode(parameter: &mut Map<String, Value>) {
    let style = parameter.get("style").is_none_or(|style| style == "form");
    if style && is_in(parameter, &["query", "cookie"]) {
        parameter.entry("explode").or_insert_with(|| json!(true));
    }
}

/// Some headers are said elsewhere.
fn ignore(parameter: &mut Map<String, Value>) {
    let name = parameter.get("name").and_then(Value::as_str);
    let ignored = name.is_some_and(|name| IGNORED.contains(&name.to_lowercase().as_str()));
    if ignored && is_in(parameter, &["header"]) {
        parameter.insert("schema".to_owned(), json!({}));
        parameter.insert("required".to_owned(), json!(false));
    }
}

/// Gives a parameter a schema of its own, where the judge misreads that of the document.
fn read_as_meant(whole: &Value, parameter: &mut Map<String, Value>) {
    let Some(schema) = parameter.get_mut("schema") else {
        return;
    };
    let mut own = resolved(whole, schema).clone();
    let Value::Object(keywords) = &mut own else {
        return;
    };
    let changed = [
        is_an_object(whole, keywords, 0),
        cannot_be_null(keywords),
        lists_texts(keywords),
        names_all(whole, keywords),
    ];
    if changed.contains(&true) {
        *schema = own;
    }
}

/// The judge takes an object apart only where its type is written.
fn is_an_object(whole: &Value, keywords: &mut Map<String, Value>, depth: usize) -> bool {
    let Some(Value::Object(properties)) = keywords.get_mut("properties") else {
        return false;
    };
    let mut changed = false;
    for property in properties.values_mut().filter(|_| depth < DEEPEST) {
        let mut own = resolved(whole, property).clone();
        let keywords = own.as_object_mut();
        if keywords.is_some_and(|keywords| is_an_object(whole, keywords, depth + 1)) {
            *property = own;
            changed = true;
        }
    }
    let unsaid = !keywords.contains_key("type");
    keywords.entry("type").or_insert_with(|| json!("object"));
    changed || unsaid
}

/// The judge compares a text with listed values where no type says that it is none.
fn lists_texts(keywords: &mut Map<String, Value>) -> bool {
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

/// The judge looks in a query for the properties of an object that are in no variant or part.
fn names_all(whole: &Value, keywords: &mut Map<String, Value>) -> bool {
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
