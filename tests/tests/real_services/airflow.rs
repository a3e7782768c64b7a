//! Airflow: the operations on variables that are allowed without a token, for a viewer and for an
//! administrator.

use std::{
    fs,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use toolwright::{
    ToolError,
    audit::{Reason, What},
    private,
};
use toolwright_tests::real::{Real, RealService};

use crate::{
    desk::{Desk, generate},
    plain::Plain,
};

const AIRFLOW: RealService = RealService {
    name: "airflow",
    port: 8080,
    path: "/openapi.json",
    patience: Duration::from_secs(600),
};

/// Requests a user's bearer token.
async fn token(real: &Real, plain: &Plain, user: &str) -> String {
    let file = "data/airflow/simple_auth_manager_passwords.json.generated";
    let passwords = fs::read_to_string(real.folder().join(file)).unwrap();
    let passwords: Value = serde_json::from_str(&passwords).unwrap();
    let credentials = json!({"username": user, "password": passwords[user]});
    let (_, answer) = plain
        .send(Method::POST, "/auth/token", Some(&credentials))
        .await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    answer["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn variables_are_managed_with_sufficient_permissions() {
    let Some(real) = Real::if_enabled() else {
        return;
    };
    let started = real.start(AIRFLOW).unwrap();
    let begun = Instant::now();
    let plain = Plain::new(AIRFLOW.url());
    let (_, document) = plain.send(Method::GET, "/openapi.json", None).await;
    let catalog = generate("airflow", &document, None);
    let desk = Desk::new("airflow", &AIRFLOW.url(), catalog.tool_specs());
    let (admin, viewer) = (
        token(&real, &plain, "admin").await,
        token(&real, &plain, "viewer").await,
    );
    let plain = plain.with_token(&admin);
    let key = format!("first-{}", std::process::id());
    let place = format!("/api/v2/variables/{key}");
    let variable = json!({"key": key, "value": "one", "description": "made by a test"});

    let version = desk.call("get_version", json!({})).await.unwrap();
    assert!(version.value["version"].is_string(), "{version:?}");
    let without = desk.call("get_variables", json!({})).await.unwrap_err();
    assert!(matches!(without, ToolError::Credentials(_)), "{without}");
    let file = desk.token_file("airflow");
    private::write(&file, "not-a-token-of-airflow").unwrap();
    let unknown = desk.call("get_variables", json!({})).await.unwrap_err();
    assert_eq!(
        (unknown.code(), unknown.status()),
        ("service_error", Some(403))
    );

    private::write(&file, &viewer).unwrap();
    let seen = desk.call("get_version", json!({})).await.unwrap();
    assert_eq!(seen.value, version.value);
    let refused = desk
        .call_approved("post_variable", variable.clone())
        .await
        .unwrap_err();
    assert_eq!(
        (refused.code(), refused.status()),
        ("service_error", Some(403))
    );
    assert_eq!(refused.to_json()["error"]["retryable"], false);
    assert_eq!(plain.get(&place).await.0, 404);

    private::write(&file, &admin).unwrap();
    let created = desk.call_approved("post_variable", variable).await.unwrap();
    assert_eq!(created.status, Some(201));
    let (status, seen) = plain.get(&place).await;
    assert_eq!((status, &seen["value"]), (200, &json!("one")));

    let listed = desk
        .call("get_variables", json!({"variable_key_pattern": key}))
        .await
        .unwrap();
    assert_eq!(
        listed.value["variables"][0]["key"],
        key.as_str(),
        "{listed:?}"
    );
    let change = json!({"variable_key": key, "key": key, "value": "two", "update_mask": ["value"]});
    let updated = desk.call("patch_variable", change).await.unwrap();
    assert_eq!(updated.value["value"], "two");
    assert_eq!(plain.get(&place).await.1["value"], "two");
    assert_eq!(plain.get(&place).await.1["description"], "made by a test");

    let gone = desk
        .call_approved("delete_variable", json!({"variable_key": key}))
        .await
        .unwrap();
    assert_eq!((gone.status, gone.value), (Some(204), Value::Null));
    assert_eq!(plain.get(&place).await.0, 404);
    check_audit(&desk, &[&admin, &viewer]);
    eprintln!(
        "airflow: ready in {:.1?}, tested in {:.1?}",
        started.took,
        begun.elapsed()
    );
}

/// Asserts that the audit records the missing credentials and contains no token.
fn check_audit(desk: &Desk, tokens: &[&str]) {
    let events = desk.audit.events();
    let missing = events.iter().any(|event| {
        matches!(&event.what, What::Decision(decision) if decision.reason == Reason::CredentialsMissing)
    });
    assert!(missing);
    let text = serde_json::to_string(&events).unwrap();
    for token in tokens {
        assert!(!text.contains(token));
    }
}
