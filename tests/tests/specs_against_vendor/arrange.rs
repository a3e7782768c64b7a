//! Arranges two documents for `toolwright_drift`, which compares what a call depends on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::document::{Operation, entries, operations, resolve, walk};

/// A keyword whose value replaces the description.
const MARK: &str = "x-mark";

/// The security scheme that replaces the parameter `Authorization`.
const AUTHORIZATION: &str = "x-authorization";

/// Returns the paths of a document with the operations that ours has too:
///
/// - A parameter of a path has its position as its name, since its name is not sent.
/// - Each answer is the result of an operation of its own, and its headers are the arguments.
/// - Whether a body is required is part of the path of an operation of its own.
/// - The header `Authorization` is a security scheme, even if it is declared as a parameter.
pub(crate) fn paths(document: &Value, ours: &Value) -> Value {
    let operations_by_key = |document| operations(document).into_iter().map(|o| (key(&o), o));
    let known: BTreeMap<_, _> = operations_by_key(document).collect();
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let mut add = |path: String, method: &str, operation: Value| {
        let item = paths.entry(path).or_default();
        item.insert(method.to_owned(), operation);
    };
    for (key, own) in operations_by_key(ours) {
        let Some(operation) = known.get(&key) else {
            continue;
        };
        let (method, path) = key;
        let plain = format!("{method}{}", path.replace(['{', '}'], ""));
        for (status, _) in entries(own.node, "responses") {
            if let Some(answer) = operation.node["responses"].get(status) {
                let answer = answer_of(document, operation.node, resolve(document, answer));
                add(format!("/answers/{plain}/{status}"), "get", answer);
            }
        }
        let (request, is_required) =
            request(document, operation, resolve(ours, &own.node["requestBody"]));
        let word = if is_required { "required" } else { "optional" };
        add(format!("/bodies/{word}/{plain}"), "get", nothing());
        add(path, method, request);
    }
    json!(paths)
}

/// Returns the method and the path with the positions of its parameters in place of their names.
fn key(operation: &Operation<'_>) -> (&'static str, String) {
    let mut pieces = operation.path.split('{');
    let mut path = pieces.next().unwrap_or_default().to_owned();
    for (number, piece) in pieces.enumerate() {
        let rest = piece.split_once('}').map_or("", |(_, rest)| rest);
        path.push_str(&format!("{{p{number}}}{rest}"));
    }
    (operation.method, path)
}

/// Returns the operation without answers, and whether it must have a body. The result has one in
/// any case, since no field of an optional body is required, and the media types of our body.
fn request(document: &Value, operation: &Operation<'_>, ours: &Value) -> (Value, bool) {
    let mut request = operation.node.clone();
    let mut parameters: Vec<Value> = Vec::new();
    let mut is_required = false;
    let mut require = |body: &mut Value| {
        is_required |= body["required"] == true;
        body["required"] = json!(true);
    };
    for node in [operation.node, operation.item] {
        for parameter in node["parameters"].as_array().into_iter().flatten() {
            let mut parameter = parameter_of(resolve(document, parameter), operation.path);
            if parameter["in"] == "body" {
                require(&mut parameter);
            }
            let same = |one: &Value| ["in", "name"].iter().all(|key| one[key] == parameter[key]);
            let name = parameter["name"].as_str().unwrap_or_default();
            if parameter["in"] == "header" && name.eq_ignore_ascii_case("authorization") {
                request["security"] = json!([{AUTHORIZATION: []}]);
            } else if !parameters.iter().any(same) {
                parameters.push(parameter);
            }
        }
    }
    if let Some(body) = operation.node.get("requestBody") {
        let mut body = resolve(document, body).clone();
        let is_ours = |name: &String| !ours["content"][name].is_null();
        let content = body.get_mut("content").and_then(Value::as_object_mut);
        if let Some(content) = content.filter(|content| content.keys().any(is_ours)) {
            content.retain(|name, _| is_ours(name));
        }
        require(&mut body);
        request["requestBody"] = body;
    }
    request["parameters"] = json!(parameters);
    request["responses"] = nothing()["responses"].take();
    for unused in ["operationId", "callbacks", "produces", "tags"] {
        request.as_object_mut().unwrap().remove(unused);
    }
    (request, is_required)
}

/// Returns an operation without arguments and results.
fn nothing() -> Value {
    json!({"responses": {"204": {"description": ""}}, "security": []})
}

/// Returns a parameter whose name is its position, if it is in the path. Its mark is its style and
/// whether it is required, also if that changes no request.
fn parameter_of(parameter: &Value, path: &str) -> Value {
    let mut marked = parameter.clone();
    let names = path.split('{').skip(1);
    let mut names = names.filter_map(|piece| piece.split('}').next());
    let place = parameter["in"].as_str().unwrap_or_default();
    if let Some(number) = names.position(|name| place == "path" && parameter["name"] == name) {
        marked["name"] = json!(format!("p{number}"));
    }
    let is_form = matches!(place, "query" | "cookie");
    let default = if is_form { "form" } else { "simple" };
    let style = parameter["style"].as_str().unwrap_or(default);
    let explode = parameter["explode"].as_bool().unwrap_or(style == "form");
    let required = parameter["required"] == true;
    marked[MARK] = json!(format!("{style}, explode: {explode}, required: {required}"));
    marked
}

/// Returns an operation whose result is the answer and whose arguments are the answer's headers.
fn answer_of(document: &Value, operation: &Value, answer: &Value) -> Value {
    let headers = entries(answer, "headers").map(|(name, header)| {
        let mut header = resolve(document, header).clone();
        header["name"] = json!(name);
        header["in"] = json!("header");
        header["required"] = json!(false);
        header
    });
    let mut result = nothing();
    result["parameters"] = headers.collect();
    if let Some(types) = operation.get("produces") {
        result["produces"] = types.clone();
    }
    let mut answer = answer.clone();
    answer["headers"] = json!({});
    answer["description"] = json!("");
    result["responses"] = json!({"200": answer});
    result
}

/// Returns the document with these paths and only with the definitions that they need. Marks
/// replace all descriptions.
pub(crate) fn with_paths(document: &Value, paths: &Value) -> Value {
    let mut result = json!({"paths": paths});
    for (name, node) in document.as_object().into_iter().flatten() {
        if !["paths", "components", "definitions"].contains(&name.as_str()) {
            result[name] = node.clone();
        }
    }
    let header = json!({"type": "apiKey", "in": "header", "name": "Authorization"});
    if document.get("swagger").is_some() {
        result["securityDefinitions"][AUTHORIZATION] = header;
    } else {
        let schemes = &mut result["components"]["securitySchemes"];
        *schemes = document["components"]["securitySchemes"].clone();
        schemes[AUTHORIZATION] = header;
    }
    let mut open = vec![paths];
    let mut needed = BTreeSet::new();
    while let Some(node) = open.pop() {
        walk(node, &mut |node| {
            let reference = node.as_str().and_then(|text| text.strip_prefix('#'));
            if let Some((pointer, target)) =
                reference.and_then(|at| Some((at, document.pointer(at)?)))
                && needed.insert(pointer.to_owned())
            {
                let keys = pointer.split('/').skip(1);
                let at = keys.fold(&mut result, |at, key| {
                    &mut at[key.replace("~1", "/").replace("~0", "~")]
                });
                *at = target.clone();
                open.push(target);
            }
        });
    }
    mark(&mut result);
    result
}

/// Replaces descriptions by marks.
fn mark(node: &mut Value) {
    match node {
        Value::Object(fields) => {
            fields.retain(|name, value| name != "description" || !value.is_string());
            for flag in ["readOnly", "writeOnly"] {
                if fields.get(flag).is_some_and(Value::is_boolean)
                    && fields.remove(flag) == Some(json!(true))
                {
                    fields.insert(MARK.to_owned(), json!(flag));
                }
            }
            if let Some(mark) = fields.remove(MARK) {
                fields.insert("description".to_owned(), mark);
            }
            if fields.get("format").is_some_and(|format| format == "int64") {
                fields.insert("format".to_owned(), json!("64 bits"));
            }
            for keyword in ["oneOf", "anyOf"] {
                let alternatives = fields.get_mut(keyword).and_then(Value::as_array_mut);
                title(alternatives.into_iter().flatten());
            }
            fields.values_mut().for_each(mark);
        }
        Value::Array(nodes) => nodes.iter_mut().for_each(mark),
        _ => {}
    }
}

/// Titles alternatives by their order, since one document may name those that the other describes
/// in place.
fn title<'n>(alternatives: impl Iterator<Item = &'n mut Value>) {
    let others = alternatives.filter(|node| node.get("type").is_none_or(|kind| kind != "null"));
    for (number, node) in others.enumerate() {
        if node.get("$ref").is_some() {
            *node = json!({"allOf": [node.take()]});
        }
        node["title"] = json!(format!("alternative {number}"));
    }
}
