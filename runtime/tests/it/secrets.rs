//! A secret never comes out: not in errors, results, the audit or what is printed for debugging.

use std::sync::Arc;

use axum::response::Response;
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use toolwright::{Credentials, ToolSpec, audit::MemoryAudit};

use crate::support::{
    Absent, Service, answer, at, auth_file, builder, get_item, redirect, role, view_of,
    with_binding,
};

const TOKEN: &str = "tk-4f/9a+c3 e1~77aa";
const PASSWORD: &str = "correct horse";
const CONSTANT: &str = "constant-s3cret";

/// The ways of authentication, as `security` and what of the secrets they send.
fn secret_locations() -> Vec<(&'static str, Value)> {
    let key = |location: &str| json!({"api-key": {"location": location, "name": "key"}});
    let way = |kind: Value| json!([[{"scheme": "s", "kind": kind}]]);
    vec![
        ("bearer", way(json!("bearer"))),
        ("basic", way(json!("basic"))),
        ("header", way(key("header"))),
        ("query", way(key("query"))),
        ("cookie", way(key("cookie"))),
        ("nothing said", json!([])),
    ]
}

fn tool(security: &Value) -> ToolSpec {
    let security = serde_json::from_value(security.clone()).unwrap();
    with_binding(get_item(), |binding| binding.security = security)
}

/// Every form that a secret may come back in.
fn forms() -> Vec<String> {
    let pair = format!("ann:{PASSWORD}");
    let mut forms = vec![
        BASE64_STANDARD.encode(TOKEN),
        BASE64_STANDARD.encode(pair),
        "tk%2D4f%2F9a%2Bc3%20e1%7E77aa".to_owned(),
        "tk-4f%2F9a%2Bc3%20e1~77aa".to_owned(),
    ];
    forms.extend([TOKEN, PASSWORD, CONSTANT].map(str::to_owned));
    forms
}

fn assert_clean(what: &str, text: &str) {
    for form in forms() {
        assert!(!text.contains(&form), "{what}: `{form}` in {text}");
    }
}

/// A service that repeats all it was sent.
async fn echo(status: u16, media_type: &'static str) -> Service {
    Service::start(move |seen| async move {
        let lines: Vec<_> = seen
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let said = format!("{} {}", seen.target, lines.join(" "));
        let body = match media_type {
            "application/json" => {
                json!({"message": said, CONSTANT: [TOKEN, {"k": TOKEN}]}).to_string()
            }
            _ => format!("{said} {CONSTANT}"),
        };
        answer(status, media_type, body)
    })
    .await
}

fn secrets(url: &str) -> Value {
    json!({"base_url": url, "api_token": TOKEN, "username": "ann", "password": PASSWORD,
           "client_secret": CONSTANT})
}

#[tokio::test]
async fn a_secret_repeated_by_the_service_does_not_reach_the_agent() {
    for (way, security) in secret_locations() {
        for status in [200, 401, 500] {
            for media_type in ["application/json", "text/plain"] {
                let service = echo(status, media_type).await;
                let (_folder, credentials) = auth_file(&secrets(&service.url));
                let (view, audit) = view_of(tool(&security), credentials);
                let what = format!("{way} {status} {media_type}");
                let said = match view.call_json("get-depot-item", json!({"id": "1"})).await {
                    Ok(output) => output.value.to_string(),
                    Err(error) => format!("{error} {error:?} {}", error.to_json()),
                };
                assert!(said.contains("[redacted]"), "{what}: {said}");
                assert_clean(&what, &said);
                assert_clean(&what, &serde_json::to_string(&audit.events()).unwrap());
                assert_clean(&what, &format!("{:?} {view:?}", audit.events()));
            }
        }
    }
}

#[tokio::test]
async fn a_secret_in_the_url_is_not_shown_when_the_service_is_absent() {
    let absent = Absent::new();
    for (way, security) in secret_locations() {
        let (_folder, credentials) = auth_file(&secrets(&absent.url));
        let (view, audit) = view_of(tool(&security), credentials);
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        assert_clean(way, &format!("{error} {error:?} {:?}", audit.events()));
    }
}

#[tokio::test]
async fn a_redirect_to_another_origin_carries_no_secret() {
    let thief = Service::json(200, json!({})).await;
    for (way, security) in secret_locations() {
        let target = format!("{}/?x={}", thief.url, "1");
        let service = Service::start(move |_| {
            let response: Response = redirect(307, &target);
            async move { response }
        })
        .await;
        let (_folder, credentials) = auth_file(&secrets(&service.url));
        let (view, _) = view_of(tool(&security), credentials);
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "redirect_refused", "{way}");
        assert_clean(way, &error.to_string());
    }
    assert!(thief.seen().is_empty());
}

#[tokio::test]
async fn an_unreadable_token_is_not_printed() {
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join(".local/depot");
    for (file, content) in [
        ("api-token.txt", format!("{TOKEN}\nsecond line")),
        ("admin-auth.json", format!("{{\"api_token\": {TOKEN}}}")),
        (
            "admin-auth.json",
            format!("{{\"api_token\": [\"{TOKEN}\"]}}"),
        ),
        ("admin-auth.json", format!("\"{TOKEN}\"")),
    ] {
        toolwright::private::write(&local.join(file), content).unwrap();
        let credentials = Credentials::new(folder.path()).with_variables(|_| None);
        let (view, audit) = view_of(at(get_item(), "http://127.0.0.1:1"), credentials);
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "credentials_invalid");
        assert_clean(file, &format!("{error} {error:?} {:?}", audit.events()));
    }
}

#[tokio::test]
async fn no_shown_string_contains_a_secret() {
    let (_folder, credentials) = auth_file(&secrets("http://127.0.0.1:1"));
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .credentials(credentials.clone())
        .specs([get_item()])
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    for spec in view.specs() {
        assert_clean("a spec", &serde_json::to_string(&*spec).unwrap());
    }
    assert_clean("debug", &format!("{credentials:?} {registry:?} {view:?}"));
}

#[tokio::test]
async fn a_replaced_parameter_is_not_sent_next_to_the_key() {
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&secrets(&service.url));
    let parameter = json!({"name": "key", "location": "query", "value": {"argument": "limit"},
                           "style": "form", "explode": true});
    let parameter = serde_json::from_value(parameter).unwrap();
    let spec = with_binding(tool(&secret_locations()[3].1), |binding| {
        binding.parameters.push(parameter)
    });
    let (view, _) = view_of(spec, credentials);
    view.call_json("get-depot-item", json!({"id": "1", "limit": 3}))
        .await
        .unwrap();
    assert_eq!(
        service.one().target,
        "/items/1?limit=3&key=tk-4f%2F9a%2Bc3%20e1~77aa"
    );
}
