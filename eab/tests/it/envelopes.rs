//! The filled-in fields of envelopes, and the choice of their target.

use serde_json::json;
use std::{path::Path, sync::Arc};
use toolwright::{
    Role,
    audit::{MemoryAudit, What},
    config::Config,
    eab::{Endpoint, Repository, RunContext},
};

use crate::support::{Fake, at, builder, right, socket, view};

fn run() -> RunContext {
    RunContext {
        run: Some("run-7".to_owned()),
        node: Some("review".to_owned()),
        work_item: Some("BOARD-12".to_owned()),
        ..RunContext::default()
    }
}

#[tokio::test]
async fn everything_but_params_is_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    let fake = Fake::answering(right).await;
    let view = view(at(&fake.endpoint), folder.path()).in_run(run());
    view.call_json("review-crates-rules", json!({}))
        .await
        .unwrap();
    let sent = fake.seen("review_rules").swap_remove(0);
    let id = sent["request_id"].as_str().unwrap();
    assert_eq!(id.len(), 36);
    assert_eq!(
        sent,
        json!({
            "request_id": id, "api_version": "1.0", "method": "review_rules",
            "caller": {"system": "toolwright", "role": "linter", "run": "run-7",
                       "node": "review", "work_item": "BOARD-12"},
            "repository": {"clone_url": "https://git.example/crates.git", "ref": "main"},
            "params": {},
        })
    );
    let shaken = fake.seen("handshake").swap_remove(0);
    assert_eq!(shaken["method"], "handshake");
}

#[tokio::test]
async fn a_service_at_a_socket_is_given_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = Endpoint::Unix(socket(folder.path()));
    let fake = Fake::start(endpoint, |method, envelope| async move {
        axum::response::IntoResponse::into_response(axum::Json(right(&method, &envelope)))
    })
    .await;
    let own = Repository {
        path: Some("/srv/boards".into()),
        ..Repository::default()
    };
    let view = view(at(&fake.endpoint), folder.path()).in_run(RunContext {
        repository: Some(own),
        ..run()
    });
    view.call_json("review-crates-rules", json!({}))
        .await
        .unwrap();
    let sent = &fake.seen("review_rules")[0];
    assert_eq!(sent["repository"], json!({"path": "/srv/boards"}));
}

#[tokio::test]
async fn the_request_has_the_id_of_the_audit() {
    let fake = Fake::answering(right).await;
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(at(&fake.endpoint))
        .audit(Arc::clone(&audit))
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("linter").unwrap());
    view.call_json("review-crates-rules", json!({}))
        .await
        .unwrap();
    let events = audit.events();
    let id = events[0].call.as_ref().unwrap().correlation_id.to_string();
    assert_eq!(fake.seen("review_rules")[0]["request_id"], id);
    assert!(matches!(events[1].what, What::Outcome(_)));
}

#[tokio::test]
async fn no_argument_decides_the_target_of_a_call() {
    let fake = Fake::answering(right).await;
    let folder = tempfile::tempdir().unwrap();
    let view = view(at(&fake.endpoint), folder.path());
    for name in [
        "endpoint",
        "transport",
        "base_url",
        "repository",
        "api_version",
    ] {
        let result = view
            .call_json("review-crates-rules", json!({name: "http://evil"}))
            .await;
        assert_eq!(result.unwrap_err().code(), "invalid_arguments", "{name}");
    }
    assert!(fake.seen("handshake").is_empty());
}

#[tokio::test]
async fn services_are_configured_in_the_operators_file() {
    let fake = Fake::answering(right).await;
    for text in [
        format!(
            "[[services]]\nname = \"crates\"\ntransport = \"http\"\nendpoint = \"{}\"\n",
            fake.endpoint
        ),
        format!("[services.crates]\nendpoint = \"{}\"\n", fake.endpoint),
    ] {
        let config = Config::parse(Path::new("toolwright.toml"), &text).unwrap();
        let registry = builder(Default::default());
        let service = config.services.values().next().unwrap().value.clone();
        let registry = registry
            .service("crates".parse().unwrap(), service)
            .build()
            .unwrap();
        let view = registry.for_agent(&Role::new("linter").unwrap());
        view.call_json("review-crates-rules", json!({}))
            .await
            .unwrap();
    }
    for (text, said) in [
        ("[[services]]\ntransport = \"http\"\n", "has no `name`"),
        (
            "[[services]]\nname = \"crates\"\ntransport = \"tcp\"\n",
            "unknown transport `tcp`",
        ),
        (
            "[[services]]\nname = \"crates\"\nendpoints = \"x\"\n",
            "unknown key `endpoints`",
        ),
        ("[[services]]\nname = 3\n", "expected `name` to be a string"),
    ] {
        let error = Config::parse(Path::new("toolwright.toml"), text).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
}
