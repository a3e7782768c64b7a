//! `docs/audit.md` and real events of every kind: the page documents what is recorded.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright::{
    Composition, Registry, Tool, ToolName, ToolSpec,
    approval::{Decision, Verdict},
    audit::{
        AuditError, AuditEvent, AuditFile, AuditSink, ClientContext, ConsoleAction, ConsoleUse,
        DefinitionAccepted, DefinitionChanged, DigestKey, ServerAnswer, ServerAsked, ServerRequest,
        SkillMoved, SkillRun, StandingGrantChange, TokenChange,
    },
    availability::Override,
    config::{Config, ServiceConfig, Workspaces},
    discovery::{Searcher, ToolIndex},
    eab::RunContext,
    files::{AnswerWriter, FileLimits, FileStore},
    policy::Variables,
};

use toolwright_model::Standing;

use crate::{
    files::upload_bytes,
    streams,
    support::{HandClock, Service, at, create_item, get_item, no_credentials, role},
};

/// The code in the first column of the tables below a heading.
fn documented_fields(heading: &str) -> BTreeSet<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/audit.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let first = rows.filter_map(|row| row.split_once('`'));
    first.map(|(code, _)| code.to_owned()).collect()
}

/// Writes to a file, except that it fails for events that contain a word.
struct Failing(AuditFile);

impl AuditSink for Failing {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let text = serde_json::to_string(event).unwrap();
        if text.contains("\"outcome\":\"ok\"") && text.contains("create-") {
            return Err(AuditError("no room".to_owned()));
        }
        self.0.record(event)
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        self.0.digest_key()
    }
}

/// Makes calls and changes until there is an event of every kind, with every field.
async fn events() -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let audit = folder.path().join("audit.jsonl");
    let clock = HandClock::new();
    let service = Service::json(201, json!("a long answer")).await;
    let mut read = at(get_item(), &service.url);
    read.reason = Some("it only reads".to_owned());
    let config = ServiceConfig {
        timeout: Some(Duration::from_millis(400)),
        retries: 1,
        ..ServiceConfig::default()
    };
    let workspaces = Workspaces {
        named: [("north".parse().unwrap(), config)].into(),
        ..Workspaces::default()
    };
    let mut stream = at(get_item(), &streams::endless().await);
    stream.name = "watch-depot-item".parse().unwrap();
    let mut absent = at(get_item(), "http://127.0.0.1:1");
    absent.name = "find-depot-item".parse().unwrap();
    let store = FileStore::new(folder.path().join("files"), FileLimits::default());
    let registry = Registry::builder()
        .specs([read, at(create_item(), &service.url), stream, absent])
        .specs([at(upload_bytes(), &service.url)])
        .files(store)
        .service("depot".parse().unwrap(), workspaces)
        .enable("*")
        .grant("reader", "*")
        .credentials(no_credentials())
        .clock(clock.as_clock())
        .audit(Arc::new(Failing(AuditFile::new(&audit))))
        .build()
        .unwrap();
    let text = |text: &str| Some(text.to_owned());
    let view = registry
        .for_agent(&role("reader"))
        .in_run(RunContext {
            run: text("7"),
            node: text("layout"),
            work_item: text("42"),
            ..RunContext::default()
        })
        .for_client(ClientContext {
            name: text("desk"),
            version: text("1"),
            session: text("5f0c"),
            peer: text("127.0.0.1:5000"),
            principal: text("token:0123"),
        });
    let read = json!({"id": "1"});
    let create = json!({"name": "bolt"});
    view.call_json("get-depot-item", read.clone())
        .await
        .unwrap();
    view.call_json("watch-depot-item", read.clone())
        .await
        .unwrap();
    let absent = view.call_json("find-depot-item", read.clone()).await;
    assert_eq!(absent.unwrap_err().code(), "connect_failed");
    let writer = AnswerWriter::new(Vec::new());
    view.call_to("get-depot-item", read.clone(), writer)
        .await
        .unwrap();
    let file = view.add_file(&mut b"content".as_slice(), "text/plain", "a.txt");
    let handle = file.unwrap().handle;
    view.open_file(&handle).unwrap();
    view.call_json("add-depot-file", json!({"body": handle}))
        .await
        .unwrap();
    view.plan("get-depot-item", read.clone()).await.unwrap();
    let waits = view.call_json("create-depot-item", create.clone()).await;
    assert_eq!(waits.unwrap_err().code(), "approval_required");
    let pending = registry.approvals().pending(clock.now()).await.unwrap();
    let handle = pending[0].handle.clone();
    let decision = Decision::new(Verdict::Approved, "operator", clock.now()).unwrap();
    registry.decide(handle, decision).await.unwrap();
    let _ = view.call_json("create-depot-item", create).await;
    let tool = create_item().name;
    let switch = Override::new(false, "ann", "it leaks", clock.now()).unwrap();
    let change = StandingGrantChange {
        standing_grant: "grant-0123456789ab".to_owned(),
        revoked: true,
        role: role("reader"),
        tool: tool.clone(),
        source_workspace: Some("north".parse().unwrap()),
        uses: 5,
        until: clock.now(),
        person: "ann".to_owned(),
        os_user: "ann".to_owned(),
        why: "it is over".to_owned(),
    };
    let token = TokenChange {
        token: "nightly-build".parse().unwrap(),
        revoked: true,
        role: role("reader"),
        workspace: Some("north".to_owned()),
        until: clock.now(),
        person: "ann".to_owned(),
        os_user: "ann".to_owned(),
        why: "it leaked".to_owned(),
    };
    let console = ConsoleUse {
        action: ConsoleAction::SessionEnded,
        person: "ann".to_owned(),
        os_user: "ann".to_owned(),
        session: Some("0123456789ab".to_owned()),
        why: Some("a lost laptop".to_owned()),
    };
    let recorded = [
        AuditEvent::console(clock.now(), console),
        AuditEvent::token_changed(clock.now(), token),
        AuditEvent::login_refused(clock.now(), "127.0.0.1", "wrong token", 3),
        AuditEvent::policy_loaded(clock.now(), "ab12"),
        AuditEvent::policy_refused(clock.now(), "cd34", 2),
        AuditEvent::tool_switched(clock.now(), &tool, Some(false), &switch),
        AuditEvent::standing_grant(clock.now(), change),
    ];
    for event in recorded.into_iter().chain(definitions(clock.now())) {
        registry.record(&event).unwrap();
    }
    let mut text = fs::read_to_string(&audit).unwrap();
    fs::write(&audit, "{").unwrap();
    let _ = view.call_json("get-depot-item", json!({"id": 1})).await;
    let after = fs::read_to_string(&audit).unwrap();
    text.push_str(after.trim_start_matches("{\n"));
    drop(service);
    let mut outer = get_item();
    outer.name = "count-depot-items".parse().unwrap();
    // A service without a base URL: what is missing is a detail for the operator.
    let mut homeless = get_item();
    homeless.name = "show-depot-item".parse().unwrap();
    let outer = Tool::native(outer, |context, arguments| async move {
        let called = context.call("get-depot-item", arguments).await;
        called.map(|output| output.value)
    });
    let registry = Registry::builder()
        .specs([at(get_item(), "http://127.0.0.1:9")])
        .specs([homeless])
        .tool(outer)
        .grant("reader", "*")
        .credentials(no_credentials())
        .audit(AuditFile::new(folder.path().join("other.jsonl")))
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    for tool in ["count-depot-items", "show-depot-item"] {
        view.call_json(tool, read.clone()).await.unwrap_err();
    }
    let policy = "[approvals.command]\nargv = [\"/nowhere/at/all\"]\n[roles.keeper]\ngrant = [\"create-*\"]\n\
                  [tools]\nenable = [\"create-*\"]";
    let registry = Registry::builder()
        .specs([at(create_item(), "http://127.0.0.1:9")])
        .config(Config::parse(Path::new("toolwright.toml"), policy).unwrap())
        .credentials(no_credentials())
        .audit(AuditFile::new(folder.path().join("other.jsonl")))
        .build()
        .unwrap();
    let view = registry.for_agent(&role("keeper"));
    let waits = view
        .call_json("create-depot-item", json!({"name": "a"}))
        .await;
    assert_eq!(waits.unwrap_err().code(), "approval_required");
    registry.finish_notifications(Duration::from_secs(9)).await;
    let policy = "[policy]\nalert_after = 1\n[roles.reader]\nprofiles = [\"a\"]\n[profiles.a]\n\
                  tools = [\"get-*\"]\n[[profiles.a.scopes]]\nallowed_urls = [\"https://{{host}}\"]";
    let registry = Registry::builder()
        .specs([at(get_item(), "http://127.0.0.1:9")])
        .config(Config::parse(Path::new("toolwright.toml"), policy).unwrap())
        .credentials(no_credentials())
        .audit(AuditFile::new(folder.path().join("other.jsonl")))
        .build()
        .unwrap();
    let variables = Variables::new().with("host", "depot.example");
    let view = registry.open(&role("reader"), RunContext::default(), variables);
    let scoped = view.unwrap().call_json("get-depot-item", read).await;
    assert_eq!(scoped.unwrap_err().code(), "scope_violation");
    operators_view(&folder.path().join("other.jsonl")).await;
    skills_view(&folder.path().join("other.jsonl")).await;
    text.push_str(&fs::read_to_string(folder.path().join("other.jsonl")).unwrap());
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Makes calls with what the operator asks for: values, a switch, and a protected path.
async fn operators_view(audit: &Path) {
    let folder = audit.parent().unwrap();
    fs::write(folder.join("toolwright.toml"), "").unwrap();
    let policy = "[audit]\nvalues = true\n[roles.coder]\nprofiles = [\"writer\"]\n[profiles.writer]\n\
                  tools = [\"write-repo-file\"]\n\
                  [[profiles.writer.scopes]]\nallowed_write_paths = [\"**\"]";
    let registry = Registry::builder()
        .tool(crate::policy::file_tool("write-repo-file", folder))
        .config(Config::parse(&folder.join("toolwright.toml"), policy).unwrap())
        .credentials(no_credentials())
        .audit(AuditFile::new(audit))
        .build()
        .unwrap();
    let tool = "write-repo-file".parse().unwrap();
    let switch = Override::new(true, "ann", "for now", Timestamp::now()).unwrap();
    let switches = [(tool, switch)].into();
    registry.availability().publish(switches, Instant::now());
    let run = RunContext {
        agent: Some("planner".to_owned()),
        ..RunContext::default()
    };
    let view = registry.for_agent(&role("coder")).in_run(run);
    for (path, passes) in [("free.txt", true), ("toolwright.toml", false)] {
        let called = view
            .call_json("write-repo-file", json!({"path": path}))
            .await;
        assert_eq!(called.is_ok(), passes, "{called:?}");
    }
}

/// Makes calls as a skill does, with the record of where values come from.
async fn skills_view(audit: &Path) {
    let name: ToolName = "list-depot-shelves".parse().unwrap();
    let mut shelves = get_item();
    shelves.name = name.clone();
    let mut skill = get_item();
    skill.name = "recount-depot-shelves".parse().unwrap();
    let shelves = Tool::native(shelves, |_, arguments| async move { Ok(arguments) });
    let composition = Composition::of_all([name.clone()]);
    let skill = Tool::composed(skill, composition, |context, arguments| async move {
        let output = context.call("list-depot-shelves", arguments).await?;
        let run = SkillRun {
            skill_digest: "ab12".to_owned(),
            standing: Standing::Deprecated,
            calls: 1,
            failed: true,
            step: Some("shelves".to_owned()),
            error: Some("service_error".to_owned()),
            warning: Some("use another one".to_owned()),
        };
        context.record_skill_run(run).unwrap();
        let moved = SkillMoved {
            skill: context.tool.clone(),
            skill_digest: "ab12".to_owned(),
            from: Some(Standing::Reviewed),
            to: Standing::Active,
            person: Some("ann".to_owned()),
            os_user: "ann".to_owned(),
            why: "it was read".to_owned(),
        };
        context.record_skill_move(moved).unwrap();
        Ok(output.value)
    });
    let registry = Registry::builder()
        .tools([shelves, skill])
        .grant("reader", "list-depot-shelves")
        .credentials(no_credentials())
        .audit(AuditFile::new(audit))
        .audit_value_sources()
        .config(Config::parse(Path::new("toolwright.toml"), "[discovery]\nthreshold = 1").unwrap())
        .discovery(NoSearch)
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let read = json!({"id": "A-4711"});
    for _ in 0..2 {
        let called = view.call_json("recount-depot-shelves", read.clone());
        called.await.unwrap();
    }
    let through = json!({"tool": "list-depot-shelves", "arguments": read});
    let called = view.call_json("call-toolwright-observe-tool", through);
    called.await.unwrap();
}

/// A search that finds nothing.
struct NoSearch;

impl Searcher for NoSearch {
    fn index(&self, _: &[Arc<ToolSpec>]) -> Box<dyn ToolIndex> {
        Box::new(Self)
    }
}

impl ToolIndex for NoSearch {
    fn search(&self, _: &str, _: usize) -> Vec<usize> {
        Vec::new()
    }
}

#[tokio::test]
async fn every_event_fits_the_published_schema() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/audit-event.schema.json");
    let schema = toolwright::audit::json_schema();
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&page, &text).unwrap();
    }
    assert_eq!(
        fs::read_to_string(page).unwrap(),
        text,
        "`UPDATE_EXPECT=1` rewrites it"
    );
    let validator = jsonschema::validator_for(&schema).unwrap();
    for event in events().await {
        let errors: Vec<_> = validator
            .iter_errors(&event)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, [""; 0], "{event}");
    }
    for wrong in [
        json!({}),
        json!({"v": 3, "event": "decision"}),
        json!({"event": "unknown"}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

#[tokio::test]
async fn every_kind_and_every_field_of_events_is_documented() {
    let events = events().await;
    let kinds = events.iter().map(|event| event["event"].as_str().unwrap());
    let kinds: BTreeSet<_> = kinds.map(str::to_owned).collect();
    assert_eq!(kinds, documented_fields("Kinds"));
    let fields = events
        .iter()
        .flat_map(|event| event.as_object().unwrap().keys());
    let fields: BTreeSet<_> = fields.cloned().collect();
    assert_eq!(fields, documented_fields("Fields"));
}

/// Returns the events of a mounted server that belong to no call.
fn definitions(time: Timestamp) -> [AuditEvent; 3] {
    let accepted = DefinitionAccepted {
        service: "files".parse().unwrap(),
        mounted_tool: "read_file".to_owned(),
        definition: Some("sha256:ab12".to_owned()),
        person: "ann".to_owned(),
        os_user: "ann".to_owned(),
        why: "it was read".to_owned(),
    };
    let changed = DefinitionChanged {
        service: "files".parse().unwrap(),
        mounted_tool: "read_file".to_owned(),
        definition: None,
    };
    let asked = ServerAsked {
        server: "files".parse().unwrap(),
        server_request: ServerRequest::Elicitation,
        granted: true,
        answer: ServerAnswer::NoCall,
    };
    [
        AuditEvent::server_asked(time, None, asked),
        AuditEvent::definition_accepted(time, accepted),
        AuditEvent::definition_changed(time, changed),
    ]
}
