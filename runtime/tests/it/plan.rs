//! The plan of a call: the request that would be sent, with every gate and without sending it.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};
use toolwright::{
    Kind, Registry, ScopedToolView, Tool, ToolError, ToolSpec,
    approval::{ApprovalStore, MemoryApprovals, ShownBody},
    audit::{
        AuditError, AuditEvent, AuditSink, CallDecision, Ending, MemoryAudit, Permission, Reason,
        What,
    },
    config::Config,
};

use crate::support::{
    Service, at, auth_file, builder, create_item, decisions, delete_item, get_item, outcomes, role,
    spec, view_of, with_binding,
};

const GET: &str = "get-depot-item";
const CREATE: &str = "create-depot-item";

/// The dry runs of an audit.
fn dry_runs(events: &[AuditEvent]) -> Vec<CallDecision> {
    let dry_runs = events.iter().filter_map(|event| match &event.what {
        What::DryRun(decision) => Some(decision.clone()),
        _ => None,
    });
    dry_runs.collect()
}

fn secured(spec: ToolSpec, security: &Value) -> ToolSpec {
    with_binding(spec, |binding| {
        binding.security = serde_json::from_value(security.clone()).unwrap();
    })
}

#[tokio::test]
async fn the_plan_is_the_request_that_a_call_sends() {
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&json!({"api_token": "s3cret-t0ken"}));
    let (view, audit) = view_of(at(get_item(), &service.url), credentials);
    let arguments = json!({"id": "a b", "limit": 3});
    let plan = view.plan(GET, arguments.clone()).await.unwrap();
    assert_eq!(service.connections(), 0, "nothing is sent");
    assert!(!plan.approval_required);
    assert_eq!((plan.tool.as_str(), &plan.socket), (GET, &None));
    let request = plan.request.unwrap();
    assert_eq!(request.method, "GET");
    assert_eq!(request.url, format!("{}/items/a%20b?limit=3", service.url));
    assert_eq!(request.body, None);
    let authorization = ("Authorization".to_owned(), "Bearer [redacted]".to_owned());
    assert!(request.headers.contains(&authorization), "{request:?}");

    let events = audit.events();
    assert_eq!(events.len(), 1, "a decision and no outcome: {events:?}");
    let [decision] = &dry_runs(&events)[..] else {
        panic!("{events:?}")
    };
    assert_eq!(decision.decision, Permission::Allow);
    assert_eq!(decision.reason, Reason::Granted);
    let event = json!(events[0]);
    assert_eq!(event["event"], "dry_run", "{event}");
    assert_eq!(event["tool"], GET);
    assert_eq!(event["argument_names"], json!(["id", "limit"]));
    assert!(!event.to_string().contains("s3cret"), "{event}");

    view.call_json(GET, arguments).await.unwrap();
    let seen = service.one();
    assert_eq!(format!("{}{}", service.url, seen.target), request.url);
    for (name, value) in &request.headers {
        let sent = seen.header(&name.to_lowercase()).unwrap();
        assert_eq!(sent.replace("s3cret-t0ken", "[redacted]"), *value);
    }
    assert_eq!(dry_runs(&audit.events()).len(), 1);
    assert_eq!(outcomes(&audit.events()).len(), 1);
}

#[tokio::test]
async fn each_credential_is_shown_in_its_place_without_its_value() {
    let everything =
        json!({"api_token": "s3cret-t0ken", "username": "ann", "password": "pass word"});
    let key = |location: &str| json!([[{"scheme": "s", "kind": {"api-key": {"location": location, "name": "key"}}}]]);
    let kind = |kind: &str| json!([[{"scheme": "s", "kind": kind}]]);
    for (security, header, url) in [
        (
            kind("bearer"),
            Some(("Authorization", "Bearer [redacted]")),
            "/items/1",
        ),
        (
            kind("basic"),
            Some(("Authorization", "Basic [redacted]")),
            "/items/1",
        ),
        (key("header"), Some(("key", "[redacted]")), "/items/1"),
        (
            key("cookie"),
            Some(("Cookie", "key=[redacted]")),
            "/items/1",
        ),
        (key("query"), None, "/items/1?limit=2&key=[redacted]"),
        (json!([[]]), None, "/items/1"),
    ] {
        let service = Service::json(200, json!({})).await;
        let (_folder, credentials) = auth_file(&everything);
        let (view, _) = view_of(
            secured(at(get_item(), &service.url), &security),
            credentials,
        );
        let arguments = match url.contains("limit") {
            true => json!({"id": "1", "limit": 2}),
            false => json!({"id": "1"}),
        };
        let plan = view.plan(GET, arguments).await.unwrap();
        let request = plan.request.unwrap();
        assert_eq!(request.url, format!("{}{url}", service.url));
        let credentials = |(name, _): &&(String, String)| name != "Accept";
        let shown: Vec<_> = request.headers.iter().filter(credentials).collect();
        let shown = shown
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        assert_eq!(
            shown.collect::<Vec<_>>(),
            Vec::from_iter(header),
            "{security}"
        );
        assert_eq!(service.connections(), 0);
    }
}

#[tokio::test]
async fn a_secret_in_an_argument_is_not_shown() {
    let (_folder, credentials) = auth_file(&json!({"api_token": "s3cret-t0ken"}));
    let (view, _) = view_of(at(get_item(), "http://127.0.0.1:9"), credentials);
    let plan = view.plan(GET, json!({"id": "s3cret-t0ken"})).await.unwrap();
    let shown = json!(plan).to_string();
    assert!(!shown.contains("s3cret"), "{shown}");
    let error = view.plan(GET, json!({"id": "x", "s3cret-t0ken": 1})).await;
    let error = format!("{:?}", error.unwrap_err());
    assert!(!error.contains("s3cret"), "{error}");
}

#[tokio::test]
async fn refusals_are_those_of_a_call() {
    let service = Service::json(200, json!({})).await;
    let audit = Arc::new(MemoryAudit::new());
    let bearer = json!([[{"scheme": "b", "kind": "bearer"}]]);
    let registry = builder(&audit)
        .specs([
            at(get_item(), &service.url),
            secured(at(delete_item(), &service.url), &bearer),
        ])
        .enable("*")
        .grant("reader", GET)
        .grant("keeper", "*")
        .build()
        .unwrap();
    for (caller, tool, arguments, reason) in [
        (
            "reader",
            "delete-depot-item",
            json!({"id": "1"}),
            "not_granted",
        ),
        (
            "reader",
            "get-depot-nothing",
            json!({"id": "1"}),
            "unknown_tool",
        ),
        ("reader", GET, json!({"id": 7}), "invalid_arguments"),
        ("reader", GET, json!([]), "invalid_arguments"),
        ("reader", GET, json!({"id": ".."}), "invalid_arguments"),
        (
            "keeper",
            "delete-depot-item",
            json!({"id": "1"}),
            "credentials_missing",
        ),
    ] {
        let view = registry.for_agent(&role(caller));
        let called = view.call_json(tool, arguments.clone()).await.unwrap_err();
        let planned = view.plan(tool, arguments).await.unwrap_err();
        assert_eq!(planned, called);
        let events = audit.events();
        let (planned, called) = (dry_runs(&events), decisions(&events));
        let mut called = called.last().cloned().unwrap();
        assert_eq!(called.outcome.take(), Some(Ending::Denied));
        assert!(called.duration_ms.take().is_some());
        assert_eq!(planned.last(), Some(&called));
        let decision = json!(planned.last());
        assert_eq!(decision["decision"], "deny");
        assert_eq!(decision["reason"], reason, "{tool}");
    }
    assert_eq!(service.connections(), 0);
}

/// A view of the tool that needs an approval, and the store of approvals.
fn keeper(spec: ToolSpec) -> (ScopedToolView, Arc<dyn ApprovalStore>, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let store: Arc<dyn ApprovalStore> = Arc::new(MemoryApprovals::new());
    let registry = builder(&audit)
        .specs([spec])
        .enable("*")
        .grant("keeper", "*")
        .approvals(Arc::clone(&store))
        .build()
        .unwrap();
    (registry.for_agent(&role("keeper")), store, audit)
}

#[tokio::test]
async fn no_approval_is_asked_for_and_declared_secrets_are_masked() {
    let service = Service::json(201, json!({})).await;
    let mut create = at(create_item(), &service.url);
    create.input_schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "note": {"type": "string", "format": "password"},
    }})
    .into();
    let (view, store, audit) = keeper(create);
    let arguments = json!({"name": "postgresql://u:topsecret@db/x", "note": "hunter2"});
    let plan = view.plan(CREATE, arguments.clone()).await.unwrap();
    assert!(plan.approval_required);
    assert!(
        store
            .pending(jiff::Timestamp::now())
            .await
            .unwrap()
            .is_empty()
    );
    let shown = plan.request.clone().unwrap();
    let Some(ShownBody::Json(body)) = shown.body else {
        panic!("{shown:?}")
    };
    assert_eq!(body["name"], "postgresql://u:***@db/x");
    let everything = format!("{} {plan:?} {:?}", json!(plan), audit.events());
    for secret in ["hunter2", "topsecret"] {
        assert!(!everything.contains(secret), "{secret} in {everything}");
    }
    let note = body["note"].as_str().unwrap();
    assert!(note.starts_with("(masked: 7 characters"), "{note}");
    let decision = dry_runs(&audit.events()).pop().unwrap();
    assert_eq!(decision.decision, Permission::Allow);
    assert_eq!(decision.reason, Reason::ApprovalRequired);
    assert_eq!(decision.approval, None);

    // A call that waits is neither used nor changed by a plan.
    view.call_json(CREATE, arguments.clone()).await.unwrap_err();
    let waiting = store.pending(jiff::Timestamp::now()).await.unwrap();
    assert_eq!(view.plan(CREATE, arguments).await.unwrap(), plan);
    assert_eq!(
        store.pending(jiff::Timestamp::now()).await.unwrap(),
        waiting
    );
    assert_eq!(service.connections(), 0);
}

#[tokio::test]
async fn a_plan_counts_for_the_rate_and_uses_pinned_arguments() {
    let service = Service::json(200, json!({})).await;
    let policy = format!(
        "[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\ntools = [\"get-*\"]\n\
         [[profiles.a.scopes]]\nrate = \"2/day\"\npinned = {{ limit = 5 }}\n\
         [services.depot]\nbase_url = \"{}\"",
        service.url
    );
    let config = Config::parse("w/toolwright.toml".as_ref(), &policy).unwrap();
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([get_item()])
        .config(config)
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let plan = view.plan(GET, json!({"id": "1"})).await.unwrap();
    assert!(plan.request.unwrap().url.ends_with("/items/1?limit=5"));
    view.plan(GET, json!({"id": "1"})).await.unwrap();
    let error = view.plan(GET, json!({"id": "1"})).await.unwrap_err();
    assert_eq!(error.code(), "rate_exceeded");
}

#[tokio::test]
async fn a_function_of_the_program_has_no_request_and_does_not_run() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let tool = Tool::native(get_item(), move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(Value::Null) }
    });
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .tool(tool)
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let plan = view.plan(GET, json!({"id": "1"})).await.unwrap();
    assert_eq!(plan.request, None);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
    view.call_json(GET, json!({"id": "1"})).await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// A method of a domain service on a socket that does not exist.
fn method(kind: Kind) -> ToolSpec {
    let schema = json!({"type": "object", "properties": {"board": {"type": "string"}}});
    let mut spec = json!(spec(
        "validate-depot-board",
        kind,
        json!({"method": "GET", "path": "/"}),
        schema
    ));
    spec["binding"] = json!({"eab": {
        "service": "depot", "domain": "electrical", "api_version": "1.0", "method": "validate",
        "timeout_seconds": 5,
        "params": {"fields": [{"name": "board", "value": {"argument": "board"}}]},
        "transports": [{"kind": "unix", "path": "/nowhere/depot.sock"}],
    }});
    serde_json::from_value(spec).unwrap()
}

#[tokio::test]
async fn a_domain_service_is_not_asked_and_its_message_is_shown() {
    for (kind, approval_required) in [(Kind::Read, false), (Kind::Delete, true)] {
        let (view, ..) = keeper(method(kind));
        let arguments = json!({"board": "main"});
        let plan = view
            .plan("validate-depot-board", arguments.clone())
            .await
            .unwrap();
        assert_eq!(plan.approval_required, approval_required);
        assert_eq!(
            plan.socket.as_deref(),
            Some(Path::new("/nowhere/depot.sock"))
        );
        let request = plan.request.unwrap();
        assert_eq!(request.method, "POST");
        assert_eq!(request.url, "http://localhost/api/v1/validate");
        let Some(ShownBody::Json(body)) = request.body else {
            panic!("{:?}", request.body)
        };
        assert_eq!(body["method"], "validate");
        assert_eq!(body["params"], arguments);
        assert_eq!(body["caller"]["role"], "keeper");
        // A call needs the service.
        view.call_json("validate-depot-board", arguments)
            .await
            .unwrap_err();
    }
}

/// Records nothing.
struct Full;

impl AuditSink for Full {
    fn record(&self, _: &AuditEvent) -> Result<(), AuditError> {
        Err(AuditError("no space left".to_owned()))
    }
}

#[tokio::test]
async fn a_plan_that_cannot_be_recorded_is_not_shown() {
    let registry = Registry::builder()
        .audit(Arc::new(Full))
        .specs([at(get_item(), "http://127.0.0.1:9")])
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let error = view.plan(GET, json!({"id": "1"})).await.unwrap_err();
    assert!(
        matches!(error, ToolError::AuditUnavailable { .. }),
        "{error:?}"
    );
}
