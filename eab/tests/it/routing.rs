//! Calls that name a method and a type of artifact: they reach the service that takes it, through
//! the same gates as a call by name.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, RegistryBuilder, Role, ScopedToolView, ToolError,
    approval::{Decision, Verdict},
    audit::{AuditEvent, MemoryAudit, Reason, RefusalReason, What},
    binding::TransportKind,
    config::ServiceConfig,
    eab::{Endpoint, Repository},
    system::{Clock, SystemClock},
};
use toolwright_eab::{
    ApiVersion, Diagnostic, Handshake, MethodResult, Readiness, Refusal, Request, Service,
    Severity, crates::Crates,
};

use crate::support::{Fake, TRANSPORTS, at, crates_tools, packages, start, tools};

/// A second service, with methods that the reference service has too.
const TABLES: &str = r#"
eab: "1.0"
info: { title: Tables, version: "1" }
service:
  name: tables
  domain: data
  api_version: "1.0"
  artifact_types: [csv_table]
methods:
  validate:
    summary: Check that the rows of tables are of one length
    params:
      type: object
      properties:
        path: { type: string }
      additionalProperties: false
    result:
      type: object
      properties:
        checked: { type: integer }
      required: [checked]
  review_rules:
    summary: List the rules by which tables are checked
    result:
      type: object
      properties:
        rules: { type: array, items: { type: object, properties: { name: { type: string } } } }
      required: [rules]
  explain_rule:
    summary: Explain a rule
    params:
      type: object
      properties:
        rule: { type: string }
      required: [rule]
"#;

struct Tables(Handshake);

impl Tables {
    fn new() -> Self {
        Self(Handshake {
            service: "tables".to_owned(),
            version: "1.0.0".to_owned(),
            api_version: ApiVersion { major: 1, minor: 0 },
            domain: "data".to_owned(),
            capabilities: ["validate", "review_rules", "explain_rule"]
                .map(str::to_owned)
                .into(),
            artifact_types: vec!["csv_table".to_owned()],
            interface_types: Vec::new(),
            status: Readiness::Ready,
            message: None,
        })
    }
}

impl Service for Tables {
    fn handshake(&self) -> Handshake {
        self.0.clone()
    }

    async fn call(&self, request: Request) -> Result<MethodResult, Refusal> {
        match request.method.as_str() {
            "validate" => validate(&request.folder()?),
            "review_rules" => MethodResult::from_result(json!({"rules": [{"name": "one-length"}]})),
            _ => MethodResult::from_result(json!("The rows of a table are of one length.")),
        }
    }
}

fn validate(folder: &Path) -> Result<MethodResult, Refusal> {
    let mut found = Vec::new();
    let mut checked = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "csv") {
            continue;
        }
        checked += 1;
        let text = fs::read_to_string(&path).unwrap();
        let mut lengths: Vec<usize> = text.lines().map(|row| row.split(',').count()).collect();
        lengths.dedup();
        if lengths.len() > 1 {
            found.push(Diagnostic {
                severity: Severity::Blocking,
                category: "constraint_violation",
                message: "the rows are of several lengths".to_owned(),
                location: None,
            });
        }
    }
    Ok(MethodResult::from_result(json!({"checked": checked}))?.with_diagnostics(found))
}

/// Two packages and two tables, one of them broken.
fn repository() -> TempDir {
    let folder = packages();
    fs::write(folder.path().join("good.csv"), "a,b\n1,2\n").unwrap();
    fs::write(folder.path().join("bad.csv"), "a,b\n1\n").unwrap();
    folder
}

/// Both services, at the configured endpoints.
fn both_services(crates: &Endpoint, tables: &Endpoint, folder: &Path) -> RegistryBuilder {
    let repository = Repository {
        path: Some(folder.to_owned()),
        ..Repository::default()
    };
    Registry::builder()
        .specs(crates_tools())
        .specs(tools(TABLES))
        .service("crates".parse().unwrap(), at(crates))
        .service("tables".parse().unwrap(), at(tables))
        .repository(repository)
        .credentials(Credentials::new("nowhere").with_variables(|_| None))
        .enable("*")
        .audit(Arc::new(MemoryAudit::new()))
}

fn linter(registry: RegistryBuilder) -> ScopedToolView {
    let registry = registry.grant("linter", "*").build().unwrap();
    registry.for_agent(&Role::new("linter").unwrap())
}

/// An endpoint without a service.
fn nowhere() -> Endpoint {
    Endpoint::Unix("/nowhere/service.sock".into())
}

async fn call_for_artifact(
    view: &ScopedToolView,
    method: &str,
    ty: &str,
) -> Result<Value, ToolError> {
    let output = view.call_for_artifact(method, ty, json!({})).await;
    output.map(|output| output.value)
}

#[tokio::test]
async fn a_call_reaches_the_service_that_takes_the_artifact() {
    for (one, other) in TRANSPORTS
        .into_iter()
        .flat_map(|one| TRANSPORTS.map(|other| (one, other)))
    {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = repository();
        let crates = start(Crates, one, first.path()).await;
        let tables = start(Tables::new(), other, second.path()).await;
        let view = linter(both_services(&crates, &tables, folder.path()));
        let rules = call_for_artifact(&view, "review_rules", "cargo_manifest")
            .await
            .unwrap();
        assert_eq!(rules["result"]["rules"].as_array().unwrap().len(), 10);
        let rules = call_for_artifact(&view, "review_rules", "csv_table")
            .await
            .unwrap();
        assert_eq!(rules["result"]["rules"], json!([{"name": "one-length"}]));
        // A service that is reached over the network is not given a path of this machine.
        if one == TransportKind::Unix {
            let found = call_for_artifact(&view, "validate", "cargo_manifest")
                .await
                .unwrap();
            assert_eq!(found["result"]["packages"], json!(["base", "front"]));
        }
        let found = call_for_artifact(&view, "validate", "csv_table").await;
        match other {
            TransportKind::Unix => {
                let found = found.unwrap();
                assert_eq!(found["status"], "failure");
                assert_eq!(found["result"]["checked"], 2);
            }
            TransportKind::Http => assert_eq!(found.unwrap_err().code(), "invalid_request"),
        }
    }
}

#[tokio::test]
async fn forbidden_tools_look_absent() {
    let folder = repository();
    let registry = |change: fn(RegistryBuilder) -> RegistryBuilder| {
        let audit = Arc::new(MemoryAudit::new());
        let registry =
            both_services(&nowhere(), &nowhere(), folder.path()).audit(Arc::clone(&audit));
        let registry = change(registry).build().unwrap();
        let view = registry.for_agent(&Role::new("linter").unwrap());
        (view, audit)
    };
    let everything: fn(RegistryBuilder) -> RegistryBuilder =
        |registry| registry.grant("linter", "*");
    let mut texts = Vec::new();
    for (method, ty, change, reason) in [
        (
            "validate",
            "no_such_type",
            everything,
            Reason::Policy(RefusalReason::UnknownTool),
        ),
        (
            "no_such_method",
            "csv_table",
            everything,
            Reason::Policy(RefusalReason::UnknownTool),
        ),
        (
            "validate",
            "",
            everything,
            Reason::Policy(RefusalReason::UnknownTool),
        ),
        (
            "validate",
            "csv_table",
            |registry| registry.grant("linter", "service:crates"),
            Reason::Policy(RefusalReason::NotGranted),
        ),
        (
            "validate",
            "csv_table",
            |registry| registry.grant("linter", "*").disable("validate-tables-*"),
            Reason::Policy(RefusalReason::Disabled),
        ),
    ] {
        let (view, audit) = registry(change);
        let error = call_for_artifact(&view, method, ty).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("tool_not_permitted", false)
        );
        texts.push(error.to_string().replace(method, "M").replace(ty, "T"));
        assert_eq!(reason_of(&audit.events()), Some(reason));
    }
    let (view, audit) = registry(everything);
    let view = view.narrowed_to(["validate-crates-artifacts"]);
    let error = call_for_artifact(&view, "validate", "csv_table")
        .await
        .unwrap_err();
    assert_eq!(
        reason_of(&audit.events()),
        Some(Reason::Policy(RefusalReason::NotInAllowList))
    );
    let text = error.to_string();
    assert_eq!(
        text,
        "the role `linter` may call no tool for the method `validate` and the artifact type `csv_table`"
    );
    assert_eq!(
        texts[3],
        text.replace("validate", "M").replace("csv_table", "T")
    );
    assert_eq!(texts[3], texts[4]);
    assert_eq!(texts[0], texts[1]);
    assert!(!text.contains("tables-"), "the tool is not named: {text}");
}

/// The name that the call of an event names.
fn called_tool(event: &AuditEvent) -> &str {
    &event.call.as_ref().unwrap().tool
}

/// The reason of the only event, a denial.
fn reason_of(events: &[AuditEvent]) -> Option<Reason> {
    match events {
        [
            AuditEvent {
                what: What::Decision(decision),
                ..
            },
        ] => Some(decision.reason),
        _ => None,
    }
}

#[tokio::test]
async fn an_ambiguous_artifact_is_not_routed() {
    let folder = repository();
    let (run, document) = (
        tempfile::tempdir().unwrap(),
        TABLES.replace("csv_table", "cargo_manifest"),
    );
    let crates = start(Crates, TransportKind::Unix, run.path()).await;
    let registry = || {
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .specs(crates_tools())
            .specs(tools(&document))
            .service("crates".parse().unwrap(), at(&crates))
            .repository(Repository {
                path: Some(folder.path().to_owned()),
                ..Repository::default()
            })
            .credentials(Credentials::new("nowhere").with_variables(|_| None))
            .enable("*")
            .audit(Arc::clone(&audit));
        (registry, audit)
    };
    let (both, audit) = registry();
    let view = linter(both);
    let error = call_for_artifact(&view, "validate", "cargo_manifest")
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.is_retryable()),
        ("artifact_ambiguous", false)
    );
    assert_eq!(
        error.to_string(),
        "several tools implement `validate of cargo_manifest`; call one of them by its name: \
         `validate-crates-artifacts` `validate-tables-artifacts`"
    );
    let events = audit.events();
    assert_eq!(reason_of(&events), Some(Reason::Ambiguous));
    assert_eq!(called_tool(&events[0]), "validate of cargo_manifest");
    // Tools outside the view do not count.
    let narrow = view.narrowed_to(["validate-crates-artifacts"]);
    call_for_artifact(&narrow, "validate", "cargo_manifest")
        .await
        .unwrap();
    let (one, audit) = registry();
    let one = one
        .grant("linter", "service:crates")
        .role("nobody")
        .build()
        .unwrap();
    let view = one.for_agent(&Role::new("linter").unwrap());
    call_for_artifact(&view, "validate", "cargo_manifest")
        .await
        .unwrap();
    assert_eq!(called_tool(&audit.events()[0]), "validate-crates-artifacts");
}

#[tokio::test]
async fn a_service_that_is_not_ready_gives_the_reason() {
    let folder = repository();
    let saying = |key: &'static str, value: Value| async move {
        Fake::answering(move |_, _| {
            let mut said = serde_json::to_value(Tables::new().handshake()).unwrap();
            said[key] = value.clone();
            said
        })
        .await
    };
    for (key, value, code, retryable, why) in [
        (
            "status",
            json!("unavailable"),
            "tool_unavailable",
            true,
            "unavailable",
        ),
        (
            "artifact_types",
            json!(["xml_table"]),
            "tool_unavailable",
            false,
            "does not accept artifacts of the type `csv_table`",
        ),
        (
            "capabilities",
            json!([]),
            "tool_unavailable",
            false,
            "the method `validate`",
        ),
        (
            "api_version",
            json!("3.1"),
            "api_version_mismatch",
            false,
            "3.1",
        ),
    ] {
        let fake = saying(key, value).await;
        let view = linter(both_services(&nowhere(), &fake.endpoint, folder.path()));
        let error = call_for_artifact(&view, "validate", "csv_table")
            .await
            .unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            (code, retryable),
            "{error}"
        );
        assert!(error.to_string().contains(why), "{error}");
        assert!(fake.seen("validate").is_empty());
    }
    let view = linter(both_services(&nowhere(), &nowhere(), folder.path()));
    let error = call_for_artifact(&view, "validate", "csv_table")
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.is_retryable()),
        ("connect_failed", true)
    );
}

/// The type that routes a call is not an argument: a call by name does not need it.
#[tokio::test]
async fn a_call_by_name_does_not_ask_for_a_type() {
    let folder = repository();
    let fake = Fake::answering(|method, envelope| {
        let mut said = serde_json::to_value(Tables::new().handshake()).unwrap();
        said["artifact_types"] = json!([]);
        match method {
            "handshake" => said,
            _ => crate::support::rules(envelope),
        }
    })
    .await;
    let view = linter(both_services(&nowhere(), &fake.endpoint, folder.path()));
    view.call_json("review-tables-rules", json!({}))
        .await
        .unwrap();
    let error = call_for_artifact(&view, "review_rules", "csv_table")
        .await
        .unwrap_err();
    assert_eq!(error.code(), "tool_unavailable");
}

#[tokio::test]
async fn the_gates_and_the_audit_are_the_same_as_for_a_call_by_name() {
    let (run, folder) = (tempfile::tempdir().unwrap(), repository());
    let tables = start(Tables::new(), TransportKind::Unix, run.path()).await;
    let audit = Arc::new(MemoryAudit::new());
    let registry = both_services(&nowhere(), &tables, folder.path())
        .audit(Arc::clone(&audit))
        .service("crates".parse().unwrap(), ServiceConfig::default())
        .grant("linter", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("linter").unwrap());
    let call = async |arguments: Value| {
        view.call_for_artifact("explain_rule", "csv_table", arguments)
            .await
    };
    let error = call(json!({"rules": 1})).await.unwrap_err();
    assert_eq!(error.code(), "invalid_arguments");
    // The approval covers the call of the tool, however it is named.
    let rule = json!({"rule": "one-length"});
    let Err(ToolError::ApprovalRequired { id, .. }) = call(rule.clone()).await else {
        panic!("the call waits for a person");
    };
    let decision = Decision::new(Verdict::Approved, "operator", SystemClock.now()).unwrap();
    let pending = registry.approvals().pending(SystemClock.now()).await;
    let mut pending = pending.unwrap().into_iter();
    let request = pending.find(|request| request.id == id).unwrap();
    registry.decide(request.handle, decision).await.unwrap();
    let by_name = view.call_json("explain-tables-rule", rule.clone());
    by_name.await.unwrap();
    assert_eq!(call(rule).await.unwrap_err().code(), "approval_required");
    let events = audit.events();
    assert!(
        events
            .iter()
            .all(|event| called_tool(event) == "explain-tables-rule")
    );
    let named = |event: &AuditEvent| {
        let service = event.call.as_ref()?.service.as_ref()?;
        Some(service.to_string())
    };
    let decided = events
        .iter()
        .filter(|event| !matches!(event.what, What::Approval(_)));
    assert!(
        decided
            .map(named)
            .all(|name| name.as_deref() == Some("tables"))
    );
}
