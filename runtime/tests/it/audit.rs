//! The audit: what each call leaves, and that nothing is done without it.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use toolwright::{
    Tool, ToolError,
    audit::{AuditError, AuditEvent, AuditFile, AuditSink, Ending, MemoryAudit, What},
};

use crate::support::{Service, at, builder, get_item, no_credentials, outcomes, role, view_of};

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
        fields
            .retain(|name, _| !["time", "correlation_id", "duration_ms"].contains(&name.as_str()));
    }
    let call = json!({
        "role": "reader", "tool": "get-depot-item", "service": "depot", "category": "observe",
        "governance_reason": "the report only reads",
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
            json!({"event": "outcome", "outcome": "error", "error": "service_error", "status": 404})
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
    assert_ne!(events[0].correlation_id, events[1].correlation_id);
    assert_eq!(events[1].argument_names, ["x"]);
    assert_eq!(events[1].service, None);
}

#[tokio::test]
async fn the_file_has_one_line_an_event() {
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
async fn nothing_is_done_that_cannot_be_recorded() {
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
                ToolError::Undecided {
                    message: "the audit failed: no room".to_owned()
                }
            );
        }
    }
}

#[tokio::test]
async fn a_refusal_that_cannot_be_recorded_tells_no_more_than_that() {
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
        assert_eq!(error.to_string(), "the audit failed: no room");
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_an_outcome() {
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
    assert_eq!(outcomes(&audit.events())[0].outcome, Ending::Abandoned);
}

#[tokio::test]
async fn a_native_tool_is_told_who_calls() {
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
    let id = audit.events()[0].correlation_id.to_string();
    assert_eq!(
        output.value,
        json!(["reader", "get-depot-item", id, {"id": "1"}])
    );
    assert!(
        matches!(&audit.events()[1].what, What::Outcome(outcome) if outcome.outcome == Ending::Ok)
    );
}
