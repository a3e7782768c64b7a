//! The audit file as a chain: segments, checkpoints, retention, takeover, alerts, and what cannot be written.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Category, Registry, RegistryBuilder, ScopedToolView, Tool,
    audit::{
        AuditEvent, AuditFile, AuditMode, AuditOptions, AuditSink, Ending, MemoryAudit, Spool, What,
    },
    config::Config,
    eab::RunContext,
};
use toolwright_audit::{
    AuditKey, Cursor,
    search::{Filter, search},
    segment::{closed, head_path, key_path, statements_path},
    verify::{FindingKind, Request, Verified, verify},
};

use crate::support::{create_item, get_item, no_credentials, outcomes, role};

/// A folder with an audit.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn audit(&self) -> PathBuf {
        self.0.path().join("audit.jsonl")
    }

    fn verified(&self) -> Verified {
        verified(&self.audit())
    }

    /// The events, from all files.
    fn events(&self) -> Vec<Value> {
        let mut events = Vec::new();
        search(&self.audit(), &Filter::default(), &mut |line, _| {
            events.push(serde_json::from_str(line)?);
            Ok(())
        })
        .unwrap();
        events
    }
}

fn verified(audit: &Path) -> Verified {
    let key = fs::read_to_string(key_path(audit)).unwrap();
    let key = AuditKey::from_text(key.lines().next().unwrap()).unwrap();
    let request = Request {
        audit: audit.to_owned(),
        key: Some(&key),
        trusted: Vec::new(),
        expected: None,
    };
    verify(&request).unwrap()
}

fn event(id: &str) -> AuditEvent {
    AuditEvent::login_refused(Timestamp::now(), "127.0.0.1", id, 1)
}

fn small() -> AuditOptions {
    let mut options = AuditOptions::default();
    options.segment_bytes = 4_000;
    options.checkpoint_events = 5;
    options
}

#[test]
fn a_full_file_is_closed_compressed_and_verified_with_the_others() {
    let place = Place::new();
    let audit = AuditFile::new(place.audit()).options(small());
    for number in 0..100 {
        audit.record(&event(&number.to_string())).unwrap();
    }
    drop(audit);
    let segments = closed(&place.audit()).unwrap();
    assert!(segments.len() > 3, "{segments:?}");
    assert!(
        segments.iter().all(|segment| segment.packed),
        "{segments:?}"
    );
    let verified = place.verified();
    assert_eq!(
        (verified.findings.as_slice(), verified.events),
        (&[][..], 100)
    );
    assert_eq!(verified.covered, 100, "a checkpoint is signed at the end");
    assert_eq!(verified.files, segments.len() as u64 + 1);
    let reasons: Vec<_> = place
        .events()
        .iter()
        .map(|event| event["reason"].clone())
        .collect();
    assert_eq!(
        reasons,
        (0..100)
            .map(|number| json!(number.to_string()))
            .collect::<Vec<_>>()
    );
    // Another process continues.
    AuditFile::new(place.audit())
        .record(&event("later"))
        .unwrap();
    assert_eq!(
        (place.verified().findings, place.verified().events),
        (vec![], 101)
    );
}

#[test]
fn several_writers_of_one_file_make_one_chain_also_when_they_close_it() {
    let place = Place::new();
    let writers = 4;
    std::thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(|| {
                // Each has its own view of the file, as a process has.
                let audit = AuditFile::new(place.audit()).options(small());
                for number in 0..50 {
                    audit.record(&event(&number.to_string())).unwrap();
                }
            });
        }
    });
    let verified = place.verified();
    assert_eq!(
        (verified.findings.as_slice(), verified.events),
        (&[][..], 50 * writers)
    );
    assert!(closed(&place.audit()).unwrap().len() > 5);
}

#[test]
fn the_head_is_read_while_no_other_process_writes_it() {
    let place = Place::new();
    let (one, other) = (
        AuditFile::new(place.audit()),
        AuditFile::new(place.audit()).options(small()),
    );
    one.record(&event("0")).unwrap();
    let mut number = 1;
    while closed(&place.audit()).unwrap().is_empty() {
        other.record(&event(&number.to_string())).unwrap();
        number += 1;
    }
    // As if another process wrote the head at this time, under the lock of the file.
    let head = head_path(&place.audit());
    let whole = fs::read(&head).unwrap();
    let current = fs::File::open(place.audit()).unwrap();
    current.lock().unwrap();
    fs::write(&head, &whole[..100]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| one.record(&event(&number.to_string())).unwrap());
        std::thread::sleep(Duration::from_millis(200));
        fs::write(&head, &whole).unwrap();
        current.unlock().unwrap();
    });
    assert_eq!(place.verified().findings, []);
    assert_eq!(place.verified().events, number + 1);
}

#[test]
fn segments_whose_time_is_over_are_removed_with_a_statement() {
    let place = Place::new();
    let mut options = small();
    options.keep = Some(Duration::ZERO);
    let audit = AuditFile::new(place.audit()).options(options);
    for number in 0..60 {
        audit.record(&event(&number.to_string())).unwrap();
    }
    drop(audit);
    let verified = place.verified();
    assert_eq!(verified.findings, []);
    assert!(verified.first > 20, "{verified:?}");
    assert_eq!(verified.last.0, 60);
    // What retention has not removed is missed.
    AuditFile::new(place.audit())
        .record(&event("next"))
        .unwrap();
    let text = fs::read_to_string(place.audit()).unwrap();
    let without: String = text.split_inclusive('\n').skip(1).collect();
    fs::write(place.audit(), without).unwrap();
    let finding = place.verified().findings.remove(0);
    assert_eq!(
        (finding.kind, finding.seq),
        (FindingKind::Removed, verified.first)
    );
}

#[test]
fn a_removed_end_is_named_also_after_the_next_event() {
    let place = Place::new();
    let audit = AuditFile::new(place.audit());
    for number in 0..10 {
        audit.record(&event(&number.to_string())).unwrap();
    }
    drop(audit);
    let text = fs::read_to_string(place.audit()).unwrap();
    let left: String = text.split_inclusive('\n').take(7).collect();
    fs::write(place.audit(), left).unwrap();
    let finding = place.verified().findings.remove(0);
    assert_eq!((finding.kind, finding.seq), (FindingKind::CutOff, 8));
    AuditFile::new(place.audit())
        .record(&event("next"))
        .unwrap();
    let finding = place.verified().findings.remove(0);
    assert_eq!((finding.kind, finding.seq), (FindingKind::Removed, 8));
    assert_eq!(place.events()[7]["event"], "audit_reopened");
    assert_eq!(place.events()[7]["seq"], 11);
}

#[test]
fn a_removed_head_and_an_older_head_are_recorded() {
    let place = Place::new();
    let audit = AuditFile::new(place.audit());
    audit.record(&event("1")).unwrap();
    let old = fs::read(head_path(&place.audit())).unwrap();
    audit.record(&event("2")).unwrap();
    drop(audit);
    fs::remove_file(head_path(&place.audit())).unwrap();
    AuditFile::new(place.audit()).record(&event("3")).unwrap();
    let reasons = |place: &Place| {
        let events = place.events().into_iter();
        let reopened = events.filter(|event| event["event"] == "audit_reopened");
        reopened
            .map(|event| event["reason"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(reasons(&place), ["head_missing"]);
    assert_eq!(place.verified().findings[0].kind, FindingKind::Recorded);
    // A process that still runs knows a later event than the head.
    let audit = AuditFile::new(place.audit());
    audit.record(&event("4")).unwrap();
    fs::write(head_path(&place.audit()), old).unwrap();
    let text = fs::read_to_string(place.audit()).unwrap();
    let left: String = text.split_inclusive('\n').take(1).collect();
    fs::write(place.audit(), left).unwrap();
    audit.record(&event("5")).unwrap();
    assert_eq!(reasons(&place).len(), 1);
    assert_eq!(place.verified().findings[0].seq, 2);
}

#[test]
fn a_forged_line_is_recorded_and_named() {
    let place = Place::new();
    let audit = AuditFile::new(place.audit());
    audit.record(&event("1")).unwrap();
    let forger = AuditKey::from_text(&"4d".repeat(32)).unwrap();
    let mut text = fs::read(place.audit()).unwrap();
    let prev = toolwright_audit::Hash::from_content(text.strip_suffix(b"\n").unwrap());
    toolwright_audit::line::seal(&mut text, &forger, 2, &prev, "{\"event\":\"forged\"}");
    text.push(b'\n');
    fs::write(place.audit(), text).unwrap();
    assert_eq!(place.verified().findings[0].seq, 2);
    audit.record(&event("2")).unwrap();
    let reopened = &place.events()[2];
    assert_eq!(
        (&reopened["event"], &reopened["reason"]),
        (&json!("audit_reopened"), &json!("inserted"))
    );
    assert_eq!(place.verified().findings[0].seq, 2);
}

#[test]
fn an_audit_of_an_earlier_version_is_refused_with_what_to_do() {
    let place = Place::new();
    AuditFile::new(place.audit()).record(&event("1")).unwrap();
    for path in [head_path(&place.audit()), statements_path(&place.audit())] {
        fs::remove_file(path).unwrap();
    }
    fs::write(
        place.audit(),
        "{\"v\":2,\"time\":\"2026-11-25T16:00:00Z\",\"event\":\"decision\",\"run\":\"7\"}\n",
    )
    .unwrap();
    let error = AuditFile::new(place.audit())
        .record(&event("2"))
        .unwrap_err();
    assert!(
        error.to_string().contains("an earlier version wrote it"),
        "{error}"
    );
    assert!(error.to_string().contains("move it away"), "{error}");
    assert_eq!(place.events()[0]["run"], "7", "it can still be searched");
    fs::rename(place.audit(), place.0.path().join("audit-before.jsonl")).unwrap();
    AuditFile::new(place.audit()).record(&event("2")).unwrap();
}

/// A registry with a tool that reads and one that changes something, audited in a file.
fn registry(config: &str, audit: Option<&Path>) -> RegistryBuilder {
    let config = Config::parse(Path::new("toolwright.toml"), config).unwrap();
    let mut create = create_item();
    create.approval_required = false;
    let builder = Registry::builder()
        .tool(Tool::native(get_item(), |_, _| async { Ok(json!("done")) }))
        .tool(Tool::native(create, |_, _| async { Ok(json!("done")) }))
        .enable("*")
        .grant("reader", "*")
        .credentials(no_credentials())
        .config(config);
    match audit {
        Some(audit) => builder.audit(AuditFile::new(audit)),
        None => builder,
    }
}

async fn read(view: &ScopedToolView) -> Result<(), String> {
    let called = view.call_json("get-depot-item", json!({"id": "1"})).await;
    called.map(drop).map_err(|error| error.code().to_owned())
}

async fn create(view: &ScopedToolView) -> Result<(), String> {
    let called = view
        .call_json("create-depot-item", json!({"name": "bolt"}))
        .await;
    called.map(drop).map_err(|error| error.code().to_owned())
}

#[tokio::test]
async fn changes_stop_while_too_many_events_wait_for_a_sink() {
    let place = Place::new();
    let config = format!(
        "[audit]\nfile = {:?}\n[audit.nats]\nurl = \"nats://127.0.0.1\"\nmost_waiting = 4\n",
        place.audit()
    );
    let registry = registry(&config, None).build().unwrap();
    let view = registry.for_agent(&role("reader"));
    create(&view).await.unwrap();
    create(&view).await.unwrap();
    assert_eq!(create(&view).await, Err("undecided".to_owned()));
    read(&view).await.unwrap();
    let events = place.events();
    assert_eq!(events[4]["reason"], "audit_backlog");
    assert_eq!(events[4]["detail"], "4 events wait for the sink `nats`");
    assert_eq!(events[4]["decision"], "deny");
    assert_eq!(events.len(), 7);
    let received = |seq| {
        let cursor = Cursor {
            seq,
            ..Cursor::default()
        };
        let path = Cursor::path(&place.audit(), "nats");
        fs::write(path, cursor.encode().unwrap()).unwrap();
    };
    received(3);
    assert_eq!(create(&view).await, Err("undecided".to_owned()));
    received(8);
    create(&view).await.unwrap();
}

#[tokio::test]
async fn a_tool_stops_unless_its_category_and_its_hint_say_that_it_reads() {
    let place = Place::new();
    let config = format!(
        "[audit]\nfile = {:?}\n[audit.nats]\nurl = \"nats://127.0.0.1\"\nmost_waiting = 1\n",
        place.audit()
    );
    let config = Config::parse(Path::new("toolwright.toml"), &config).unwrap();
    for (category, read_only, passes) in [
        (Category::Observe, true, true),
        (Category::Report, true, true),
        (Category::Observe, false, false),
        (Category::Execute, true, false),
    ] {
        let mut spec = get_item();
        spec.category = category;
        spec.hints.read_only = read_only;
        let registry = Registry::builder()
            .tool(Tool::native(spec, |_, _| async { Ok(json!("done")) }))
            .enable("*")
            .grant("reader", "*")
            .credentials(no_credentials())
            .config(config.clone())
            .build()
            .unwrap();
        let view = registry.for_agent(&role("reader"));
        let called = read(&view).await;
        let called = called.is_ok() && read(&view).await.is_ok();
        assert_eq!(called, passes, "{category:?}, read_only: {read_only}");
    }
}

#[test]
fn a_closed_file_stays_until_its_sinks_have_it() {
    let place = Place::new();
    let mut options = AuditOptions::default();
    options.segment_bytes = 1_000;
    options.keep = Some(Duration::ZERO);
    options.spools = vec![Spool::new("nats", 1_000)];
    let record = |options: &AuditOptions| {
        let audit = AuditFile::new(place.audit()).options(options.clone());
        for number in 0..20 {
            audit.record(&event(&number.to_string())).unwrap();
        }
    };
    record(&options);
    assert_eq!(place.events().len(), 20);
    assert!(!closed(&place.audit()).unwrap().is_empty());
    options.spools.clear();
    record(&options);
    assert!(place.events().len() < 20);
}

#[tokio::test]
async fn a_call_that_changes_something_never_passes_without_its_record() {
    for reads_pass in [false, true] {
        let place = Place::new();
        let config = format!("[audit]\nreads_without_audit = {reads_pass}\n");
        let registry = registry(&config, Some(&place.audit())).build().unwrap();
        let view = registry.for_agent(&role("reader"));
        (read(&view).await, create(&view).await).0.unwrap();
        // The file is replaced by a folder: nothing can be written.
        fs::remove_file(place.audit()).unwrap();
        fs::create_dir(place.audit()).unwrap();
        assert_eq!(create(&view).await, Err("audit_unavailable".to_owned()));
        let expected = if reads_pass {
            Ok(())
        } else {
            Err("audit_unavailable".to_owned())
        };
        assert_eq!(read(&view).await, expected);
        fs::remove_dir(place.audit()).unwrap();
        create(&view).await.unwrap();
        let events = place.events();
        let kinds: Vec<_> = events.iter().map(|event| event["event"].clone()).collect();
        assert_eq!(kinds[..2], ["audit_reopened", "audit_gap"], "{events:?}");
    }
}

#[tokio::test]
async fn every_mode_makes_decisions_durable_and_verifies() {
    for mode in AuditMode::ALL {
        let place = Place::new();
        let registry = registry("", None).audit(AuditFile::new(place.audit()).mode(*mode));
        let registry = Arc::new(registry.build().unwrap());
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let registry = Arc::clone(&registry);
            calls.spawn(async move { create(&registry.for_agent(&role("reader"))).await });
        }
        while let Some(call) = calls.join_next().await {
            call.unwrap().unwrap();
        }
        drop(registry);
        let verified = place.verified();
        assert_eq!(
            (verified.findings.as_slice(), verified.events),
            (&[][..], 40),
            "{mode}"
        );
    }
}

#[tokio::test]
async fn values_agents_and_workspaces_are_recorded_if_the_operator_asks() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry("", None)
        .audit(Arc::clone(&audit))
        .audit_values()
        .mask("/name".parse().unwrap())
        .build()
        .unwrap();
    let run = RunContext {
        agent: Some("planner".to_owned()),
        workspace: Some("board".to_owned()),
        ..RunContext::default()
    };
    let view = registry.for_agent(&role("reader")).in_run(run);
    read(&view).await.unwrap();
    create(&view).await.unwrap();
    let events: Vec<_> = audit.events().iter().map(|event| json!(event)).collect();
    assert_eq!(events[0]["arguments"], json!({"id": "1"}));
    assert_eq!(
        (&events[0]["agent"], &events[0]["workspace"]),
        (&json!("planner"), &json!("board"))
    );
    assert!(!events[2].to_string().contains("bolt"), "{}", events[2]);
    assert!(
        events[2]["arguments"]["name"].is_string() || events[2]["arguments"]["name"].is_object()
    );
    assert_eq!(events[2]["effect"], "create");
    assert_eq!(events[3]["bytes"], 6);
}

#[tokio::test]
async fn every_end_of_a_call_has_its_word() {
    let audit = Arc::new(MemoryAudit::new());
    let mut slow = get_item();
    slow.name = "list-depot-slowly".parse().unwrap();
    let mut broken = get_item();
    broken.name = "show-depot-panic".parse().unwrap();
    let wait = |_, _| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(json!(1))
    };
    let registry = registry("", None)
        .tool(Tool::native(slow, wait))
        .tool(Tool::native(broken, |_, _| async { panic!("a bug") }))
        .audit(Arc::clone(&audit))
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    read(&view).await.unwrap();
    let _ = view.call_json("show-depot-panic", json!({"id": "1"})).await;
    let slow = view.call_json("list-depot-slowly", json!({"id": "1"}));
    let _ = tokio::time::timeout(Duration::from_millis(50), slow).await;
    let _ = view.call_json("get-depot-item", json!({})).await;
    let events = audit.events();
    let ends: Vec<_> = outcomes(&events)
        .iter()
        .map(|outcome| outcome.outcome)
        .collect();
    assert_eq!(ends, [Ending::Ok, Ending::Crashed, Ending::Cancelled]);
    let denied = events.iter().find_map(|event| match &event.what {
        What::Decision(decision) => decision.outcome,
        _ => None,
    });
    assert_eq!(denied, Some(Ending::Denied));
}

#[tokio::test]
async fn rules_of_alerts_are_delivered_to_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let (script, told) = (folder.path().join("tell"), folder.path().join("told"));
    fs::write(
        &script,
        format!("#!/bin/sh\ncat >> {}\necho >> {0}\n", told.display()),
    )
    .unwrap();
    let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700);
    fs::set_permissions(&script, mode).unwrap();
    let config = format!(
        "[policy.alerts.many-refusals]\non = \"denied\"\ncount = 3\n\
         [approvals.command]\nargv = [\"{}\"]\n",
        script.display()
    );
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&config, None)
        .audit(Arc::clone(&audit))
        .build()
        .unwrap();
    let run = RunContext {
        run: Some("r-7".to_owned()),
        ..RunContext::default()
    };
    let view = registry.for_agent(&role("reader")).in_run(run);
    for _ in 0..4 {
        let _ = view.call_json("no-such-tool", json!({})).await;
    }
    registry.finish_notifications(Duration::from_secs(9)).await;
    let alerts: Vec<_> = audit
        .events()
        .into_iter()
        .filter_map(|event| match event.what {
            What::Alert(alert) => Some(alert),
            _ => None,
        })
        .collect();
    assert_eq!(alerts.len(), 1);
    assert_eq!(
        (alerts[0].alert.as_str(), alerts[0].count),
        ("many-refusals", 3)
    );
    assert_eq!(alerts[0].run.as_deref(), Some("r-7"));
    let told: Value = serde_json::from_str(fs::read_to_string(told).unwrap().trim()).unwrap();
    assert_eq!(
        (&told["type"], &told["data"]["count"]),
        (&json!("audit.alert"), &json!(3))
    );
}
