//! The request of a failed call, as the operator sees it: without secrets.

use serde_json::{Value, json};
use toolwright::{ToolError, ToolSpec};

use crate::support::{Service, answer, at, auth_file, get_item, redirect, view_of};

/// `get-depot-item` with a secret argument, a telling name, and an API key, all in the query.
pub(crate) fn tool(url: &str) -> ToolSpec {
    let mut spec = json!(at(get_item(), url));
    let properties = &mut spec["input_schema"]["properties"];
    properties["pin"] = json!({"type": "string", "format": "password"});
    properties["accessToken"] = json!({"type": "string"});
    let parameters = spec["binding"]["http"]["parameters"].as_array_mut();
    let parameters = parameters.expect("the binding is of HTTP");
    for (name, argument) in [("number", "pin"), ("accessToken", "accessToken")] {
        parameters.push(
            json!({"name": name, "location": "query", "value": {"argument": argument},
                               "style": "form", "explode": true}),
        );
    }
    spec["binding"]["http"]["security"] =
        json!([[{"scheme": "s", "kind": {"api-key": {"location": "query", "name": "key"}}}]]);
    serde_json::from_value(spec).unwrap()
}

async fn failure(service: &Service, arguments: Value) -> ToolError {
    let (_folder, credentials) = auth_file(&json!({"api_token": "tk-s3cret"}));
    let (view, _) = view_of(tool(&service.url), credentials);
    let called = view.call_json("get-depot-item", arguments).await;
    called.unwrap_err()
}

#[tokio::test]
async fn the_url_of_a_failed_call_has_no_secret() {
    let service = Service::json(404, json!({"message": "gone"})).await;
    let arguments = json!({"id": "7", "limit": 2, "pin": "hunter2", "accessToken": "hunter3"});
    let error = failure(&service, arguments).await;
    let sent = service.one();
    for secret in ["hunter2", "hunter3", "tk-s3cret"] {
        assert!(sent.target.contains(secret), "`{secret}` was sent");
        let printed = format!("{error} {error:?} {}", error.to_json());
        assert!(!printed.contains(secret), "{printed}");
    }
    let request = error.request().unwrap();
    assert_eq!(request.method.word(), "GET");
    let url = &request.url;
    let start = format!("{}/items/7?limit=2&number=", service.url);
    assert!(url.starts_with(&start), "{url}");
    assert!(
        url.ends_with("&accessToken=[redacted]&key=[redacted]"),
        "{url}"
    );
}

#[tokio::test]
async fn an_agent_does_not_see_the_address() {
    let service = Service::json(500, json!({"message": "broken"})).await;
    let error = failure(&service, json!({"id": "7"})).await;
    let shown = format!("{error} {}", error.to_json());
    assert!(!shown.contains("127.0.0.1"), "{shown}");
    assert!(error.request().unwrap().to_string().contains("127.0.0.1"));
}

#[tokio::test]
async fn every_kind_of_failure_has_its_request() {
    let not_json = Service::start(|_| async { answer(200, "application/json", "{") }).await;
    let endless = Service::start(|_| async { redirect(302, "/again") }).await;
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for (url, code) in [
        (&not_json.url, "unusable_answer"),
        (&endless.url, "redirect_refused"),
        (&closed, "connect_failed"),
    ] {
        let (_folder, credentials) = auth_file(&json!({"api_token": "tk-s3cret"}));
        let (view, _) = view_of(tool(url), credentials);
        let called = view.call_json("get-depot-item", json!({"id": "7"})).await;
        let error = called.unwrap_err();
        assert_eq!(error.code(), code);
        let request = error.request().unwrap().to_string();
        assert_eq!(request, format!("GET {url}/items/7?key=[redacted]"));
    }
}
