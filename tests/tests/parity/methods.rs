//! Calls every tool of a domain service, typed and as JSON, and compares the envelopes except for
//! their ids.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use toolwright::{ScopedToolView, ToolCall, audit::MemoryAudit, codec::Codec};
use toolwright_generated::crates::{
    ExplainCratesRule, ExtractCratesInterfaces, GetCratesDependencyGraph, NormaliseCratesArtifacts,
    ReviewCratesRules, TOOLS, ValidateCratesArtifacts, ValidateCratesDependencies,
};
use toolwright_tests::{Extent, example, view_of_all};

/// The envelopes that the service received.
type Sent = Arc<Mutex<Vec<Value>>>;

/// Answers each method with a finding and no result, which is valid for every method.
async fn answer(State(sent): State<Sent>, Json(mut envelope): Json<Value>) -> Json<Value> {
    if envelope["method"] == "handshake" {
        let specs = TOOLS.specs().unwrap();
        let methods = specs.iter().map(|spec| spec.eab().unwrap().method.clone());
        return Json(json!({
            "service": "crates", "version": "1", "api_version": "1.0", "domain": "packaging",
            "capabilities": methods.collect::<Vec<_>>(), "status": "ready",
        }));
    }
    let id = envelope["request_id"].take();
    sent.lock().unwrap().push(envelope);
    Json(json!({
        "request_id": id, "status": "failure",
        "diagnostics": [{"severity": "blocking", "category": "syntax_error", "message": "m"}],
    }))
}

async fn compare<T: ToolCall>(view: &ScopedToolView, sent: &Sent) {
    let spec = view.spec(T::NAME).expect(T::NAME);
    for extent in [Extent::Least, Extent::Most] {
        let arguments = example(spec.input_schema.whole(), extent);
        let typed = T::decode(arguments.clone()).unwrap();
        let by_json = view.call_json(T::NAME, arguments).await.unwrap().value;
        let by_type = view.call(typed).await.unwrap().encode();
        assert_eq!(by_type, by_json, "{}", T::NAME);
        assert_eq!(by_json["status"], "failure");
        let envelopes = std::mem::take(&mut *sent.lock().unwrap());
        assert_eq!(envelopes.len(), 2);
        assert_eq!(envelopes[0], envelopes[1], "{}", T::NAME);
    }
}

#[tokio::test]
async fn typed_and_json_calls_send_equal_envelopes() {
    let sent = Sent::default();
    let app = Router::new()
        .route("/api/v1/{method}", post(answer))
        .with_state(Arc::clone(&sent));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join(".local/crates");
    let auth = json!({"base_url": url}).to_string();
    toolwright::private::write(&local.join("admin-auth.json"), auth).unwrap();
    let specs = TOOLS.specs().unwrap();
    let names: BTreeSet<String> = specs.iter().map(|spec| spec.name.to_string()).collect();
    let view = view_of_all(specs, folder.path(), Arc::new(MemoryAudit::new()));
    let mut compared = BTreeSet::new();
    macro_rules! compare {
        ($($call:ident)+) => {
            $(
                compare::<$call>(&view, &sent).await;
                compared.insert($call::NAME.to_owned());
            )+
        };
    }
    compare! {
        ExplainCratesRule ExtractCratesInterfaces GetCratesDependencyGraph
        NormaliseCratesArtifacts ReviewCratesRules ValidateCratesArtifacts
        ValidateCratesDependencies
    }
    assert_eq!(compared, names);
}
