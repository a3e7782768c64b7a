//! Calls that wait for a person or take long: the operator's page, and tasks.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, ClientCapabilities,
        ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
        GetTaskParams, Implementation, ProtocolVersion, TaskPayload, UrlElicitationCapability,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, RequestContext, RunningService},
};
use serde_json::{Value, json};
use tokio::time::sleep;
use toolwright::{
    Registry, Role, Tool, ToolSpec,
    approval::{Decision, Verdict},
    audit::MemoryAudit,
};
use toolwright_mcp::{Server, Shutdown};

const CONSOLE: &str = "https://console.example/team";

/// A person with a client that opens pages, or a client that knows tasks.
#[derive(Clone)]
struct Person {
    registry: Registry,
    config: ClientConfig,
    /// What the person answers to the client.
    action: ElicitationAction,
    /// What the person decides on the page.
    verdict: Option<Verdict>,
    opened: Arc<Mutex<Vec<String>>>,
}

type Client = RunningService<RoleClient, Person>;

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::UrlElicitationParams { url, .. } = request else {
            panic!("a form");
        };
        self.opened.lock().unwrap().push(url);
        if let Some(verdict) = self.verdict {
            let registry = self.registry.clone();
            tokio::spawn(async move {
                sleep(Duration::from_millis(300)).await;
                decide(&registry, verdict).await;
            });
        }
        Ok(ElicitResult::new(self.action.clone()))
    }
}

/// Decides about the only call that waits.
async fn decide(registry: &Registry, verdict: Verdict) {
    let now = jiff::Timestamp::now();
    let pending = registry.approvals().pending(now).await.unwrap();
    let [request] = pending.as_slice() else {
        panic!("{pending:?}");
    };
    let decision = Decision::new(verdict, "ann", now).unwrap();
    registry
        .decide(request.handle.clone(), decision)
        .await
        .unwrap();
}

fn spec(name: &str, approval_required: bool) -> ToolSpec {
    serde_json::from_value(json!({
        "name": name, "service": "text", "title": "Write", "short": "Writes.", "description": "Writes.",
        "section": "Pages", "category": "execute", "effect": "create", "approval_required": approval_required,
        "hints": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false},
        "enabled_by_default": true, "input_schema": {"type": "object", "properties": {}}, "binding": "native",
        "origin": {"document": "text", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

/// A tool that a person must approve, one that takes ten seconds, and one that never ends.
fn registry() -> (Registry, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let done = |after: Duration| {
        move |_, _| async move {
            sleep(after).await;
            Ok(json!("done"))
        }
    };
    let registry = Registry::builder()
        .tool(Tool::native(
            spec("create-text-page", true),
            done(Duration::ZERO),
        ))
        .tool(Tool::native(
            spec("create-text-book", false),
            done(Duration::from_secs(10)),
        ))
        .tool(Tool::native(
            spec("create-text-shelf", false),
            done(Duration::from_secs(3000)),
        ))
        .grant("writer", "*")
        .audit(Arc::clone(&audit))
        .build()
        .unwrap();
    (registry, audit)
}

fn opens_pages() -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    let pages = ElicitationCapability::new().with_url(UrlElicitationCapability::default());
    capabilities.elicitation = Some(pages);
    capabilities
}

fn person(registry: &Registry, capabilities: ClientCapabilities) -> Person {
    Person {
        registry: registry.clone(),
        config: ClientConfig::new(capabilities, Implementation::new("test", "1")),
        action: ElicitationAction::Accept,
        verdict: None,
        opened: Arc::default(),
    }
}

fn lifecycles() -> [ClientLifecycleMode; 2] {
    [ClientLifecycleMode::Initialize, modern()]
}

fn modern() -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    ClientLifecycleMode::Discover { preferred_versions }
}

async fn connect(person: Person, console: bool, lifecycle: ClientLifecycleMode) -> Client {
    let writer = Role::new("writer").unwrap();
    let mut server = Server::new(&person.registry, &writer);
    if console {
        server = server.approval_page(CONSOLE.parse().unwrap());
    }
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (_, shutdown) = Shutdown::on_request();
    tokio::spawn(server.serve(theirs, shutdown));
    person.serve_with_lifecycle(ours, lifecycle).await.unwrap()
}

async fn call(client: &Client, name: &'static str) -> Value {
    let result = client.call_tool(CallToolRequestParams::new(name)).await;
    serde_json::to_value(result.unwrap()).unwrap()
}

#[tokio::test]
async fn a_client_shows_the_page_and_the_person_decides_there() {
    use ElicitationAction::{Accept, Cancel, Decline};
    for lifecycle in lifecycles() {
        for (action, verdict, code) in [
            (Accept, Some(Verdict::Approved), None),
            (Accept, Some(Verdict::Rejected), Some("approval_rejected")),
            (Decline, None, Some("approval_required")),
            (Cancel, None, Some("approval_required")),
        ] {
            let (registry, _) = registry();
            let mut person = person(&registry, opens_pages());
            (person.action, person.verdict) = (action.clone(), verdict);
            let opened = Arc::clone(&person.opened);
            let client = connect(person, true, lifecycle.clone()).await;
            let result = call(&client, "create-text-page").await;
            let seen = result["structuredContent"]["error"]["code"].as_str();
            assert_eq!(seen, code, "{lifecycle:?} {action:?} {result}");
            let opened = opened.lock().unwrap().clone();
            let [page] = opened.as_slice() else {
                panic!("{opened:?}");
            };
            let id = page
                .strip_prefix("https://console.example/team/waiting/")
                .unwrap();
            assert!(id.starts_with("wait-"), "{page}");
        }
    }
}

#[tokio::test]
async fn no_page_is_shown_that_does_not_exist_or_that_the_client_cannot_open() {
    for lifecycle in lifecycles() {
        for (capabilities, console) in [
            (opens_pages(), false),
            (ClientCapabilities::default(), true),
            (
                ClientCapabilities::builder().enable_elicitation().build(),
                true,
            ),
        ] {
            let (registry, _) = registry();
            let person = person(&registry, capabilities);
            let opened = Arc::clone(&person.opened);
            let client = connect(person, console, lifecycle.clone()).await;
            let error = call(&client, "create-text-page").await;
            let error = &error["structuredContent"]["error"];
            assert_eq!(error["code"], "approval_required");
            assert_eq!(error["page"].is_string(), console, "{error}");
            assert!(
                error["approval"].as_str().unwrap().starts_with("wait-"),
                "{error}"
            );
            assert!(opened.lock().unwrap().is_empty());
        }
    }
}

/// The answer of a client decides nothing, whatever it contains.
#[tokio::test]
async fn no_answer_of_a_client_approves() {
    let (registry, _) = registry();
    let client = connect(person(&registry, opens_pages()), true, modern()).await;
    let first = client.call_tool_once(CallToolRequestParams::new("create-text-page"));
    let CallToolResponse::InputRequired(asked) = first.await.unwrap() else {
        panic!("no question");
    };
    let state = asked.request_state.unwrap();
    for (state, action) in [
        (state.as_str(), "decline"),
        (state.as_str(), "approve"),
        ("wait-000000000000", "accept"),
        ("", "accept"),
    ] {
        let answer = json!({"action": action, "content": {"approved": true}});
        let mut again = CallToolRequestParams::new("create-text-page");
        again.input_responses = Some([("approval".to_owned(), answer)].into());
        again.request_state = Some(state.to_owned());
        match client.call_tool_once(again).await.unwrap() {
            CallToolResponse::Complete(result) => {
                let error = result.structured_content.unwrap();
                assert_eq!(error["error"]["code"], "approval_required", "{action}");
            }
            CallToolResponse::InputRequired(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

fn knows_tasks() -> ClientCapabilities {
    ClientCapabilities::builder().enable_tasks().build()
}

/// Calls a tool that becomes a task. Returns its id.
async fn begin(client: &Client, name: &'static str) -> String {
    let called = client
        .call_tool_once(CallToolRequestParams::new(name))
        .await;
    let CallToolResponse::Task(created) = called.unwrap() else {
        panic!("no task");
    };
    created.task.task_id
}

async fn state(client: &Client, id: &str) -> TaskPayload {
    let task = client.get_task(GetTaskParams::new(id)).await.unwrap();
    task.task.payload
}

/// Waits until a task has ended.
async fn end(client: &Client, id: &str) -> TaskPayload {
    loop {
        match state(client, id).await {
            TaskPayload::Working | TaskPayload::InputRequired { .. } => {
                sleep(Duration::from_millis(100)).await;
            }
            ended => return ended,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_call_becomes_a_task() {
    let (registry, _) = registry();
    let client = connect(person(&registry, knows_tasks()), false, modern()).await;
    let id = begin(&client, "create-text-book").await;
    assert_eq!(state(&client, &id).await, TaskPayload::Working);
    let TaskPayload::Completed { result } = end(&client, &id).await else {
        panic!("not completed");
    };
    assert_eq!(result["content"][0]["text"], "done");
    // A client that does not know tasks waits.
    let plain = person(&registry, ClientCapabilities::default());
    for lifecycle in lifecycles() {
        let client = connect(plain.clone(), false, lifecycle).await;
        let result = call(&client, "create-text-book").await;
        assert_eq!(result["content"][0]["text"], "done");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_is_abandoned_and_recorded() {
    let (registry, audit) = registry();
    let client = connect(person(&registry, knows_tasks()), false, modern()).await;
    let id = begin(&client, "create-text-shelf").await;
    client
        .cancel_task(CancelTaskParams::new(id.clone()))
        .await
        .unwrap();
    assert_eq!(end(&client, &id).await, TaskPayload::Cancelled);
    let events = serde_json::to_string(&audit.events()).unwrap();
    assert!(events.contains("cancelled"), "{events}");
    let unknown = client.get_task(GetTaskParams::new("no-such-task")).await;
    assert!(unknown.unwrap_err().to_string().contains("unknown task"));
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_becomes_a_task() {
    for (verdict, code) in [
        (Verdict::Approved, None),
        (Verdict::Rejected, Some("approval_rejected")),
    ] {
        let (registry, _) = registry();
        let client = connect(person(&registry, knows_tasks()), true, modern()).await;
        let id = begin(&client, "create-text-page").await;
        assert_eq!(state(&client, &id).await, TaskPayload::Working);
        decide(&registry, verdict).await;
        let TaskPayload::Completed { result } = end(&client, &id).await else {
            panic!("not completed");
        };
        let seen = result.get("structuredContent");
        let seen = seen.and_then(|content| content["error"]["code"].as_str());
        assert_eq!(seen, code, "{result:?}");
    }
}

/// With both, the page is a question of the task.
#[tokio::test]
async fn a_task_asks_its_client_to_show_the_page() {
    let (registry, _) = registry();
    let mut capabilities = knows_tasks();
    capabilities.elicitation = opens_pages().elicitation;
    let client = connect(person(&registry, capabilities), true, modern()).await;
    let id = begin(&client, "create-text-page").await;
    let questions = loop {
        match state(&client, &id).await {
            TaskPayload::InputRequired { input_requests } => break input_requests,
            TaskPayload::Working => sleep(Duration::from_millis(20)).await,
            ended => panic!("{ended:?}"),
        }
    };
    let question = serde_json::to_value(&questions["approval"]).unwrap();
    assert_eq!(question["params"]["mode"], "url", "{question}");
    decide(&registry, Verdict::Approved).await;
    let ended = end(&client, &id).await;
    assert!(matches!(ended, TaskPayload::Completed { .. }), "{ended:?}");
}
