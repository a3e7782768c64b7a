//! Compares the document with the service: the same operations, and responses of the documented
//! shape to the document's own examples.

use std::collections::BTreeSet;

use jsonschema::Validator;
use reqwest::{
    Method, RequestBuilder, Response,
    multipart::{Form, Part},
};
use serde_json::{Map, Value, json};
use toolwright_depot::{DEFAULT_PORT, OPENAPI, routes};

use crate::running::{Answered, Running};

/// The methods that a path item may have.
const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "patch", "head", "options", "trace",
];

/// An operation in the document.
struct Operation<'d> {
    document: &'d Value,
    method: String,
    path: &'d str,
    parameters: Vec<&'d Value>,
    node: &'d Value,
}

fn document() -> Value {
    serde_saphyr::from_str(OPENAPI).unwrap()
}

fn resolve<'d>(document: &'d Value, node: &'d Value) -> &'d Value {
    match node.get("$ref").and_then(Value::as_str) {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => node,
    }
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS.iter().filter(|method| item.get(**method).is_some()) {
            let node = &item[*method];
            let lists = [item.get("parameters"), node.get("parameters")];
            let parameters = lists
                .into_iter()
                .flatten()
                .flat_map(|list| list.as_array().unwrap());
            found.push(Operation {
                document,
                method: method.to_uppercase(),
                path,
                parameters: parameters
                    .map(|parameter| resolve(document, parameter))
                    .collect(),
                node,
            });
        }
    }
    found
}

impl<'d> Operation<'d> {
    fn label(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The success status and its response.
    fn success(&self) -> (u16, &'d Value) {
        let answers = self.node["responses"].as_object().unwrap();
        let (status, response) = answers
            .iter()
            .find(|(status, _)| status.starts_with('2'))
            .unwrap();
        (status.parse().unwrap(), resolve(self.document, response))
    }

    /// The validator of a JSON response, with the referenced components.
    fn validator(&self, response: &Value) -> Option<Validator> {
        let content = response.get("content")?.get("application/json")?;
        let mut schema = content["schema"].clone();
        schema["components"] = self.document["components"].clone();
        let options = jsonschema::options().should_validate_formats(true);
        Some(options.build(&schema).unwrap())
    }

    fn in_query(&self) -> impl Iterator<Item = &&'d Value> {
        self.parameters
            .iter()
            .filter(|parameter| parameter["in"] == "query")
    }

    /// Builds the query from the parameters' examples, in their documented styles.
    fn example_query(&self) -> Vec<(String, String)> {
        let mut query = Vec::new();
        for parameter in self.in_query() {
            let name = parameter["name"].as_str().unwrap();
            match parameter.get("example") {
                Some(Value::Array(values)) => {
                    query.extend(values.iter().map(|value| (name.to_owned(), text(value))));
                }
                Some(Value::Object(fields)) => {
                    assert_eq!(parameter["style"], "deepObject");
                    query.extend(
                        fields
                            .iter()
                            .map(|(key, v)| (format!("{name}[{key}]"), text(v))),
                    );
                }
                Some(value) => query.push((name.to_owned(), text(value))),
                None => assert_ne!(parameter["required"], true, "{}", self.label()),
            }
        }
        query
    }

    /// Builds the request of the document's example, for a new item.
    async fn example(&self, depot: &Running, number: usize) -> RequestBuilder {
        let item = depot.item(&format!("FRESH-{number:03}")).await;
        let file = upload(depot, &item).await;
        let path = self
            .path
            .replace("/items/{item_id}", &item)
            .replace("{file_id}", &file);
        let method = Method::from_bytes(self.method.as_bytes()).unwrap();
        let mut request = depot.client.request(method, depot.url(&path));
        request = request
            .bearer_auth(depot.token.expose())
            .query(&self.example_query());
        for parameter in self
            .parameters
            .iter()
            .filter(|parameter| parameter["in"] == "header")
        {
            let name = parameter["name"].as_str().unwrap();
            request = request.header(name, text(&parameter["example"]));
        }
        let Some(content) = self.node.pointer("/requestBody/content") else {
            return request;
        };
        if content.get("multipart/form-data").is_some() {
            return request.multipart(form());
        }
        let examples = content["application/json"]["examples"].as_object().unwrap();
        request.json(&examples.values().next().unwrap()["value"])
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn form() -> Form {
    Form::new()
        .text("label", "note")
        .part("file", Part::bytes(vec![1, 2]).file_name("a.bin"))
}

async fn upload(depot: &Running, item: &str) -> String {
    let request = depot
        .request("POST", &format!("{item}/files"))
        .multipart(form());
    let stored = Answered::send(request)
        .await
        .expect(reqwest::StatusCode::CREATED);
    stored["id"].as_str().unwrap().to_owned()
}

/// Asserts that a response has the documented media type and shape.
async fn assert_as_documented(operation: &Operation<'_>, response: Response) {
    let (status, documented) = operation.success();
    let label = operation.label();
    assert_eq!(
        response.status(),
        status,
        "{label}: {:?}",
        response.text().await
    );
    let media_type = response.headers().get("Content-Type");
    let media_type = media_type.map(|value| value.to_str().unwrap().to_owned());
    let empty = Map::new();
    let content = documented
        .get("content")
        .map_or(&empty, |content| content.as_object().unwrap());
    assert_eq!(media_type.as_ref(), content.keys().next(), "{label}");
    let Some(validator) = operation.validator(documented) else {
        return;
    };
    let answer: Value = response.json().await.unwrap();
    let wrong: Vec<_> = validator
        .iter_errors(&answer)
        .map(|error| error.to_string())
        .collect();
    assert!(wrong.is_empty(), "{label}: {wrong:?} in {answer}");
}

#[test]
fn the_document_and_the_service_have_the_same_operations() {
    let document = document();
    let documented: BTreeSet<_> = operations(&document).iter().map(Operation::label).collect();
    let served = routes()
        .into_iter()
        .map(|route| format!("{} {}", route.method, route.path));
    assert_eq!(documented, served.collect());
    let url = document["servers"][0]["url"].as_str().unwrap();
    assert_eq!(url, format!("http://127.0.0.1:{DEFAULT_PORT}/api/v1"));
}

#[tokio::test]
async fn examples_get_documented_responses() {
    let depot = Running::with_samples().await;
    depot
        .delete("/items/0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10")
        .await;
    let document = document();
    let operations = operations(&document);
    assert_eq!(operations.len(), routes().len());
    for (number, operation) in operations.iter().enumerate() {
        let request = operation.example(&depot, number).await;
        assert_as_documented(operation, request.send().await.unwrap()).await;
    }
}

#[test]
fn every_operation_is_described() {
    let document = document();
    let mut ids = BTreeSet::new();
    for operation in operations(&document) {
        let label = operation.label();
        for field in ["operationId", "summary", "description"] {
            assert!(
                operation.node[field]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{label}"
            );
        }
        assert!(
            ids.insert(operation.node["operationId"].as_str()),
            "{label}"
        );
        assert_eq!(
            operation.node["tags"].as_array().map(Vec::len),
            Some(1),
            "{label}"
        );
        assert!(operation.node["responses"].get("401").is_some(), "{label}");
        for parameter in &operation.parameters {
            assert!(
                parameter["description"].is_string(),
                "{label}: {}",
                parameter["name"]
            );
        }
    }
}

#[test]
fn examples_match_their_schemas() {
    let document = document();
    let mut seen = 0;
    for operation in operations(&document) {
        let schema_of = |node: &Value| {
            let mut schema = node["schema"].clone();
            schema["components"] = document["components"].clone();
            jsonschema::options()
                .should_validate_formats(true)
                .build(&schema)
                .unwrap()
        };
        let label = operation.label();
        for parameter in &operation.parameters {
            if let Some(example) = parameter.get("example") {
                assert!(
                    schema_of(parameter).is_valid(example),
                    "{label}: {}",
                    parameter["name"]
                );
                seen += 1;
            }
        }
        let body = operation
            .node
            .pointer("/requestBody/content/application~1json");
        let examples = body.and_then(|body| body["examples"].as_object());
        for (name, example) in examples.into_iter().flatten() {
            let valid = schema_of(body.unwrap()).is_valid(&example["value"]);
            assert!(valid, "{label}: {name}");
            seen += 1;
        }
        for response in operation.node["responses"].as_object().unwrap().values() {
            let response = resolve(&document, response);
            let json = response.pointer("/content/application~1json");
            if let Some(example) = json.and_then(|json| json.get("example")) {
                assert!(schema_of(json.unwrap()).is_valid(example), "{label}");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen} examples");
}

#[tokio::test]
async fn errors_have_the_documented_shape() {
    let depot = Running::empty().await;
    let document = document();
    let schema =
        json!({"$ref": "#/components/schemas/Error", "components": document["components"]});
    let validator = jsonschema::validator_for(&schema).unwrap();
    for path in [
        "/items?limit=0",
        "/items/00000000-0000-4000-8000-000000000000",
    ] {
        assert!(validator.is_valid(&depot.get(path).await.json), "{path}");
    }
    assert!(!validator.is_valid(&json!({"error": "no"})));
}
