//! The audit: what each call leaves, and that nothing is done without it.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use toolwright::{
    Tool, ToolError,
    audit::{
        AuditError, AuditEvent, AuditFile, AuditSink, ClientContext, DigestKey, Ending, Gap,
        MemoryAudit, What,
    },
    eab::RunContext,
};

use crate::support::{
    Service, at, builder, call_of, decisions, get_item, no_credentials, outcomes, role, view_of,
};

#[tokio::test]
async fn a_call_that_passes_leaves_a_decision_and_an_outcome() {
    let service = Service::json(404, json!({"message": "gone"})).await;
    let mut spec = at(get_item(), &service.url);
    spec.reason = Some("the report only reads".to_owned());
    let (view, audit) = view_of(spec, no_credentials());
    let arguments = json!({"id": "hunter2", "limit": 3});
    view.call_json("get-depot-item", arguments)
        .await
        .unwrap_err();

    let events = audit.events();
    let [decision, outcome] = events.as_slice() else {
        panic!("{events:?}")
    };
    let mut decision = serde_json::to_value(decision).unwrap();
    let mut outcome = serde_json::to_value(outcome).unwrap();
    assert_eq!(decision["correlation_id"], outcome["correlation_id"]);
    for event in [&mut decision, &mut outcome] {
        let fields = event.as_object_mut().unwrap();
        assert!(fields["time"].as_str().unwrap().ends_with('Z'));
        assert_eq!(fields["correlation_id"].as_str().unwrap().len(), 36);
        assert_eq!(fields["os_user"], toolwright::system::user());
        assert_eq!(fields["process"], std::process::id());
        assert_eq!(fields["spec_digest"].as_str().unwrap().len(), 64);
        assert_eq!(fields["digest_key"].as_str().unwrap().len(), 8);
        let varying = ["time", "correlation_id", "duration_ms"];
        let constant = ["os_user", "host", "process", "spec_digest", "digest_key"];
        fields.retain(|name, _| ![&varying[..], &constant].concat().contains(&name.as_str()));
    }
    let call = json!({
        "v": 3, "target": service.url,
        "role": "reader", "tool": "get-depot-item", "service": "depot", "category": "observe",
        "effect": "read", "kind": "raw", "governance_reason": "the report only reads",
        "argument_names": ["id", "limit"],
    });
    let with = |more: Value| {
        let mut event = call.clone();
        event["argument_digest"] = decision["argument_digest"].clone();
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        event
    };
    assert_eq!(
        decision,
        with(json!({"event": "decision", "decision": "allow", "reason": "granted"}))
    );
    assert_eq!(
        outcome,
        with(
            json!({"event": "outcome", "outcome": "error", "error": "service_error", "status": 404, "bytes": 18})
        )
    );
    let all = serde_json::to_string(&events).unwrap();
    assert!(!all.contains("hunter2"), "{all}");
}

#[tokio::test]
async fn a_call_that_is_refused_leaves_one_event() {
    let (view, audit) = view_of(get_item(), no_credentials());
    view.call_json("get-depot-item", json!({}))
        .await
        .unwrap_err();
    view.call_json("no-such-tool", json!({"x": 1}))
        .await
        .unwrap_err();
    let events = audit.events();
    assert_eq!(events.len(), 2);
    let (misfit, unknown) = (call_of(&events[0]), call_of(&events[1]));
    assert_ne!(misfit.correlation_id, unknown.correlation_id);
    assert_eq!(unknown.service, None);
}

#[tokio::test]
async fn arguments_are_digested_only_after_the_permission_gate() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .tool(Tool::native(get_item(), |_, _| async { Ok(json!(1)) }))
        .grant("reader", "*")
        .role("idle")
        .build()
        .unwrap();
    let arguments = json!({"id": "1", "secret name": 2});
    for (caller, tool, permitted) in [
        ("reader", "get-depot-item", true),
        ("reader", "no-such-tool", false),
        ("idle", "get-depot-item", false),
    ] {
        let view = registry.for_agent(&role(caller));
        view.call_json(tool, arguments.clone()).await.unwrap_err();
        let event = audit.events().pop().unwrap();
        let call = call_of(&event);
        assert_eq!(call.arguments.is_some(), permitted, "{event:?}");
        assert_eq!(call.spec_digest.is_some(), permitted, "{event:?}");
    }
}

#[tokio::test]
async fn equal_arguments_have_equal_digests_that_cannot_be_guessed() {
    let (view, audit) = view_of(get_item(), no_credentials());
    for id in ["pin-8391", "pin-8391", "pin-8392"] {
        let _ = view.call_json("get-depot-item", json!({"id": id})).await;
    }
    let events = audit.events();
    let digests: Vec<_> = events
        .iter()
        .map(|event| call_of(event).arguments.as_ref().unwrap().digest.as_str())
        .collect();
    assert_eq!(digests[0], digests[1]);
    assert_ne!(digests[0], digests[2]);
    let unkeyed = "0f95c853b0307de1a466c0f3383d7b71aa8722bd3abd247aa99e6b064de14260";
    assert!(!serde_json::to_string(&events).unwrap().contains(unkeyed));
}

#[tokio::test]
async fn a_key_that_is_given_is_used() {
    let key = DigestKey::from_text(&"ab".repeat(32)).unwrap();
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .tool(Tool::native(get_item(), |_, _| async { Ok(json!(1)) }))
        .grant("reader", "*")
        .audit_key(key.clone())
        .build()
        .unwrap();
    let arguments = json!({"id": "1"});
    let view = registry.for_agent(&role("reader"));
    let called = view.call_json("get-depot-item", arguments.clone());
    called.await.unwrap();
    let events = audit.events();
    let recorded = call_of(&events[0]).arguments.as_ref().unwrap();
    assert_eq!(recorded.digest, key.digest(&arguments));
    assert_eq!(recorded.key, key.id());
}

#[tokio::test]
async fn the_run_and_the_client_are_recorded() {
    let (view, audit) = view_of(get_item(), no_credentials());
    let view = view
        .in_run(RunContext {
            run: Some("run-7".to_owned()),
            node: Some("layout".to_owned()),
            work_item: Some("42".to_owned()),
            ..RunContext::default()
        })
        .for_client(ClientContext {
            name: Some("desk".to_owned()),
            version: Some("1.2".to_owned()),
            session: Some("5f0c".to_owned()),
            peer: Some("127.0.0.1:5000".to_owned()),
            ..ClientContext::default()
        });
    let _ = view.call_json("get-depot-item", json!({"id": "1"})).await;
    let event = serde_json::to_value(&audit.events()[0]).unwrap();
    for (field, value) in [
        ("run", "run-7"),
        ("node", "layout"),
        ("work_item", "42"),
        ("client", "desk"),
        ("client_version", "1.2"),
        ("session", "5f0c"),
        ("peer", "127.0.0.1:5000"),
    ] {
        assert_eq!(event[field], value, "{event}");
    }
}

#[tokio::test]
async fn no_caller_can_make_an_event_long_or_unreadable() {
    let long = "\u{202e}a\u{e0041}\n".repeat(20_000);
    let mut spec = get_item();
    spec.reason = Some(long.clone());
    let (view, audit) = view_of(spec, no_credentials());
    let text = || Some(long.clone());
    let view = view
        .in_run(RunContext {
            run: text(),
            node: text(),
            work_item: text(),
            ..RunContext::default()
        })
        .for_client(ClientContext {
            name: text(),
            version: text(),
            session: text(),
            peer: text(),
            principal: text(),
        });
    let names = (0..1000).map(|index| (format!("{index}{long}"), json!(1)));
    let arguments = Value::Object(names.collect());
    let _ = view.call_json("get-depot-item", arguments).await;
    let _ = view.call_json(&long, json!({})).await;
    let mut events = audit.events();
    let registry = builder(&audit).build().unwrap();
    let stranger = registry.for_agent(&role(&"a".repeat(100_000)));
    stranger.call_json("get", json!({})).await.unwrap_err();
    events.extend(audit.events().pop());
    let now = events[0].time;
    events.push(AuditEvent::login_refused(now, &long, &long, 7));
    events.push(AuditEvent::policy_loaded(now, &long));
    events.push(AuditEvent::policy_refused(now, &long, 3));
    for event in events {
        let line = serde_json::to_string(&event).unwrap();
        assert!(line.len() < 20_000, "{} bytes", line.len());
        let hidden = |c| toolwright_model::text::is_invisible(c) && c != '\n';
        assert!(!line.contains(hidden), "{line}");
    }
}

#[tokio::test]
async fn the_digest_of_a_tool_changes_with_anything_of_the_tool() {
    let mut digests = BTreeSet::new();
    let mut described = get_item();
    described.description.push('!');
    for spec in [get_item(), described, at(get_item(), "http://127.0.0.1:9")] {
        for _ in 0..2 {
            let (view, audit) = view_of(spec.clone(), no_credentials());
            let _ = view.call_json("get-depot-item", json!({})).await;
            let event = audit.events().pop().unwrap();
            digests.insert(call_of(&event).spec_digest.clone().unwrap());
        }
    }
    assert_eq!(digests.len(), 3);
}

#[tokio::test]
async fn the_recorded_target_is_an_origin_only() {
    let url = "http://user:hunter2@127.0.0.1:9/hunter3/?key=hunter4";
    for url in [url, "http://127.0.0.1:9/hunter3"] {
        let (view, audit) = view_of(at(get_item(), url), no_credentials());
        let _ = view.call_json("get-depot-item", json!({"id": "1"})).await;
        let all = serde_json::to_string(&audit.events()).unwrap();
        assert!(!all.contains("hunter"), "{all}");
    }
    let (view, audit) = view_of(at(get_item(), "http://127.0.0.1:9/a"), no_credentials());
    let _ = view.call_json("get-depot-item", json!({"id": "1"})).await;
    let target = call_of(&audit.events()[0]).target.clone();
    assert_eq!(target.as_deref(), Some("http://127.0.0.1:9"));
}

#[tokio::test]
async fn the_file_has_one_line_for_each_event() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/audit.jsonl");
    for _ in 0..2 {
        let registry = toolwright::Registry::builder()
            .tool(Tool::native(get_item(), |_, _| async { Ok(json!(1)) }))
            .grant("reader", "*")
            .audit(AuditFile::new(&path))
            .build()
            .unwrap();
        let view = registry.for_agent(&role("reader"));
        view.call_json("get-depot-item", json!({"id": "a\nb"}))
            .await
            .unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let kinds: Vec<_> = lines
        .iter()
        .map(|line| line["event"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["decision", "outcome", "decision", "outcome"]);
    let ids: BTreeSet<_> = lines
        .iter()
        .map(|line| line["correlation_id"].to_string())
        .collect();
    assert_eq!(ids.len(), 2);
}

#[tokio::test]
async fn lost_outcomes_are_recorded_before_the_next_decision() {
    let flaky = Arc::new(Flaky::default());
    let failing = Arc::clone(&flaky);
    let tool = Tool::native(get_item(), move |_, arguments| {
        failing
            .fails
            .store(arguments["id"] == "fail", Ordering::SeqCst);
        async { Ok(json!(1)) }
    });
    let registry = toolwright::Registry::builder()
        .tool(tool)
        .grant("reader", "*")
        .audit(Arc::clone(&flaky))
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let call = |id: &'static str| view.call_json("get-depot-item", json!({"id": id}));
    call("fail").await.unwrap();
    call("1").await.unwrap_err();
    flaky.fails.store(false, Ordering::SeqCst);
    call("2").await.unwrap();
    call("3").await.unwrap();

    let gap = Gap {
        lost_events: 2,
        lost_outcomes: 1,
        ..Gap::default()
    };
    let events = flaky.recorded.events();
    let gaps: Vec<_> = (0..)
        .zip(&events)
        .filter(|(_, event)| matches!(event.what, What::AuditGap(_)))
        .collect();
    assert_eq!(gaps.len(), 1, "{events:?}");
    assert_eq!(gaps[0].0, 1, "after the first decision, before the next");
    assert_eq!(gaps[0].1.what, What::AuditGap(gap));
    assert_eq!((decisions(&events).len(), outcomes(&events).len()), (3, 2));
}

/// An audit that fails while a flag is set.
#[derive(Default)]
struct Flaky {
    fails: AtomicBool,
    recorded: MemoryAudit,
}

impl AuditSink for Flaky {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(AuditError("no room".to_owned()));
        }
        self.recorded.record(event)
    }
}

/// Fails from the given event on.
struct Failing {
    from: u32,
    count: AtomicU32,
}

impl AuditSink for Failing {
    fn record(&self, _event: &AuditEvent) -> Result<(), AuditError> {
        let index = self.count.fetch_add(1, Ordering::SeqCst);
        if index < self.from {
            return Ok(());
        }
        Err(AuditError("no room".to_owned()))
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_recorded_is_refused() {
    for (from, passes) in [(0, false), (1, true)] {
        let done = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&done);
        let tool = Tool::native(get_item(), move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { Ok(json!("done")) }
        });
        let registry = toolwright::Registry::builder()
            .tool(tool)
            .grant("reader", "*")
            .audit(Failing {
                from,
                count: AtomicU32::new(0),
            })
            .build()
            .unwrap();
        let view = registry.for_agent(&role("reader"));
        let result = view.call_json("get-depot-item", json!({"id": "1"})).await;
        assert_eq!(
            result.is_ok(),
            passes,
            "the outcome's record does not undo what was done"
        );
        assert_eq!(done.load(Ordering::SeqCst), u32::from(passes));
        if let Err(error) = result {
            assert_eq!(
                error,
                ToolError::AuditUnavailable {
                    message: "the audit failed: no room".to_owned()
                }
            );
        }
    }
}

#[tokio::test]
async fn a_refusal_that_cannot_be_recorded_reveals_no_more() {
    let registry = toolwright::Registry::builder()
        .tool(Tool::native(get_item(), |_, _| async { Ok(json!(1)) }))
        .grant("reader", "*")
        .audit(Failing {
            from: 0,
            count: AtomicU32::new(0),
        })
        .build()
        .unwrap();
    for (role_name, tool) in [("reader", "unknown"), ("nobody", "get-depot-item")] {
        let view = registry.for_agent(&role(role_name));
        let error = view.call_json(tool, json!({})).await.unwrap_err();
        assert_eq!(error.code(), "audit_unavailable");
        assert!(!error.to_string().contains("no room"), "{error}");
        assert_eq!(error.detail().as_deref(), Some("the audit failed: no room"));
    }
}

#[tokio::test]
async fn a_dropped_call_leaves_an_outcome() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .tool(Tool::native(get_item(), |_, _| async {
            std::future::pending::<()>().await;
            Ok(json!(1))
        }))
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let call = view.call_json("get-depot-item", json!({"id": "1"}));
    tokio::time::timeout(Duration::from_millis(20), call)
        .await
        .unwrap_err();
    assert_eq!(outcomes(&audit.events())[0].outcome, Ending::Cancelled);
}

#[tokio::test]
async fn a_native_tool_receives_its_caller() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .tool(Tool::native(get_item(), |context, arguments| async move {
            Ok(json!([
                context.role,
                context.tool,
                context.correlation_id.to_string(),
                arguments
            ]))
        }))
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let output = view
        .call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap();
    let id = call_of(&audit.events()[0]).correlation_id.to_string();
    assert_eq!(
        output.value,
        json!(["reader", "get-depot-item", id, {"id": "1"}])
    );
    assert!(
        matches!(&audit.events()[1].what, What::Outcome(outcome) if outcome.outcome == Ending::Ok)
    );
}
