//! Parameters.

use serde_json::{Map, Value, json};

use super::resolved;

/// Headers of which OpenAPI 3 says that a parameter of the name is to be ignored.
const IGNORED: [&str; 3] = ["accept", "authorization", "content-type"];

/// Writes out what OpenAPI 3 says of parameters where the document is silent.
pub(super) fn write_out(half: &mut Value) {
    let whole = half.clone();
    write(&whole, half);
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

fn write(whole: &Value, value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("name").is_some_and(Value::is_string) {
                explode(fields);
                ignore(fields);
                cannot_be_null(whole, fields);
            }
            fields.values_mut().for_each(|value| write(whole, value));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| write(whole, item)),
        _ => {}
    }
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

/// No text of a parameter is null. The judge takes an array apart only where it is nothing else.
fn cannot_be_null(whole: &Value, parameter: &mut Map<String, Value>) {
    if !is_in(parameter, &["query", "path", "header", "cookie"]) {
        return;
    }
    let Some(schema) = parameter.get_mut("schema") else {
        return;
    };
    let mut own = resolved(whole, schema).clone();
    let Value::Object(keywords) = &mut own else {
        return;
    };
    let nullable = keywords.remove("nullable").is_some();
    let several = match keywords.get_mut("type") {
        Some(Value::Array(types)) => {
            types.retain(|word| word != "null");
            types.first().cloned().filter(|_| types.len() == 1)
        }
        _ => None,
    };
    if nullable || several.is_some() {
        keywords.extend(several.map(|only| ("type".to_owned(), only)));
        *schema = own;
    }
}
