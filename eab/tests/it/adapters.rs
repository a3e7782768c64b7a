//! The tools of the reference service, on both transports.

use std::fs;

use serde_json::json;
use toolwright::{Role, binding::TransportKind, eab::RunContext};
use toolwright_eab::crates::Crates;

use crate::support::{TRANSPORTS, at, packages, start, view};

#[tokio::test]
async fn a_method_is_a_tool_on_both_transports() {
    for transport in TRANSPORTS {
        let run = tempfile::tempdir().unwrap();
        let folder = packages();
        let endpoint = start(Crates, transport, run.path()).await;
        let view = view(at(&endpoint), folder.path());
        // A service that is reached over the network is not given a path of this machine.
        if transport == TransportKind::Http {
            let error = view.call_json("validate-crates-artifacts", json!({})).await;
            let error = error.unwrap_err();
            assert_eq!(
                (error.code(), error.is_retryable()),
                ("invalid_request", false)
            );
            let rules = view
                .call_json("review-crates-rules", json!({}))
                .await
                .unwrap();
            assert_eq!(rules.value["result"]["rules"].as_array().unwrap().len(), 10);
            continue;
        }
        let output = view
            .call_json("validate-crates-artifacts", json!({}))
            .await
            .unwrap();
        assert_eq!(
            output.value,
            json!({"status": "success", "diagnostics": [],
                   "result": {"checked": 2, "packages": ["base", "front"]}})
        );
        let graph = view
            .call_json("get-crates-dependency-graph", json!({}))
            .await
            .unwrap();
        assert_eq!(
            graph.value["result"]["edges"],
            json!([{"from": "front", "to": "base"}])
        );
    }
}

#[tokio::test]
async fn a_failure_is_a_result_with_diagnostics() {
    let (run, folder) = (tempfile::tempdir().unwrap(), packages());
    fs::write(
        folder.path().join("base/Cargo.toml"),
        "[package]\nname = \"x\n",
    )
    .unwrap();
    let endpoint = start(Crates, TransportKind::Unix, run.path()).await;
    let view = view(at(&endpoint), folder.path());
    let output = view
        .call_json("validate-crates-artifacts", json!({}))
        .await
        .unwrap();
    assert_eq!(output.value["status"], "failure");
    let diagnostic = &output.value["diagnostics"][0];
    assert_eq!(diagnostic["severity"], "blocking");
    assert_eq!(diagnostic["category"], "syntax_error");
    assert_eq!(diagnostic["location"]["path"], "base/Cargo.toml");
    assert_eq!(diagnostic["location"]["line"], 2);
    let dependencies = view
        .call_json("validate-crates-dependencies", json!({}))
        .await
        .unwrap();
    assert_eq!(
        dependencies.value["diagnostics"][0]["category"],
        "dependency_error"
    );
}

#[tokio::test]
async fn an_error_of_the_service_is_an_error_of_the_tool() {
    let (run, folder) = (tempfile::tempdir().unwrap(), packages());
    let endpoint = start(Crates, TransportKind::Unix, run.path()).await;
    let view = view(at(&endpoint), folder.path());
    for (path, code) in [
        ("nowhere", "artifact_not_found"),
        ("../..", "invalid_request"),
    ] {
        let result = view
            .call_json("validate-crates-artifacts", json!({"path": path}))
            .await;
        let error = result.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            (code, false),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_writing_method_is_classified_and_writes() {
    let (run, folder) = (tempfile::tempdir().unwrap(), packages());
    let path = folder.path().join("base/Cargo.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}   \n\n")).unwrap();
    let endpoint = start(Crates, TransportKind::Unix, run.path()).await;
    let view = view(at(&endpoint), folder.path());
    let spec = view.spec("normalise-crates-artifacts").unwrap();
    assert_eq!(spec.category.word(), "execute");
    assert!(!spec.enabled_by_default);
    let call = async |dry_run| {
        let arguments = json!({"dry_run": dry_run});
        let output = view
            .call_json("normalise-crates-artifacts", arguments)
            .await;
        output.unwrap().value["result"]["changed"].clone()
    };
    assert_eq!(call(true).await, json!(["base/Cargo.toml"]));
    assert_ne!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(call(false).await, json!(["base/Cargo.toml"]));
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert_eq!(call(false).await, json!([]));
    // A method outside the standard waits for a person, whatever its document declares.
    let rule = json!({"rule": "package-name"});
    let error = view
        .call_json("explain-crates-rule", rule)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "approval_required");
}

#[tokio::test]
async fn interface_contracts_of_the_run_are_checked() {
    let (run, folder) = (tempfile::tempdir().unwrap(), packages());
    let endpoint = start(Crates, TransportKind::Unix, run.path()).await;
    let view = view(at(&endpoint), folder.path());
    assert_eq!(view.role(), &Role::new("linter").unwrap());
    let contracts = json!({
        "speed": {"package": "base", "kind": "feature", "name": "fast"},
        "command": {"package": "front", "kind": "binary"},
    });
    let view = view.in_run(RunContext {
        interface_contracts: Some(contracts),
        ..RunContext::default()
    });
    let output = view
        .call_json("extract-crates-interfaces", json!({}))
        .await
        .unwrap();
    let results = output.value["constraint_results"].as_array().unwrap();
    let held: Vec<_> = results
        .iter()
        .map(|result| {
            (
                result["contract"].as_str().unwrap(),
                result["satisfied"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(held, [("speed", true), ("command", false)]);
}

#[tokio::test]
async fn tools_are_found_by_the_artifacts_that_their_services_take() {
    let folder = packages();
    let view = view(Default::default(), folder.path());
    let found = view.for_artifact("validate", "cargo_manifest");
    assert_eq!(found[0].as_str(), "validate-crates-artifacts");
    assert!(view.for_artifact("validate", "kicad_pcb").is_empty());
    assert!(view.for_artifact("simulate", "cargo_manifest").is_empty());
}
