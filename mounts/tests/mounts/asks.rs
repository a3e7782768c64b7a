//! Requests of a server to the client of a call: the client of `rmcp`, with a session.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        self, CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams,
        ElicitResult, ElicitationAction, ElicitationCapability, Implementation, ProtocolVersion,
        UrlElicitationCapability,
    },
    service::{
        ClientLifecycleMode, ClientServiceExt as _, RequestContext, RunningService, ServiceExt as _,
    },
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};
use toolwright::{
    Registry, Role, client_of_mcp,
    config::{Config, McpServer},
};
use toolwright_mcp::{Access, HttpLimits, Server, Shutdown};

use crate::world::{READ, World, config};

const ALL: &str = "requests = [\"elicitation\", \"sampling\"]\n";

/// A person with a client.
#[derive(Clone)]
struct Person {
    capabilities: ClientCapabilities,
    /// The answer to a form; none if the person never answers.
    action: Option<ElicitationAction>,
    /// The requests that the client showed.
    seen: Arc<Mutex<Vec<Value>>>,
}

type Client = RunningService<RoleClient, Person>;

impl Person {
    /// Fills in forms, and lets a model answer.
    fn new() -> Self {
        let mut capabilities = ClientCapabilities::default();
        let forms = ElicitationCapability::new().with_form(Default::default());
        capabilities.elicitation = Some(forms);
        capabilities.sampling = Some(Default::default());
        Self {
            capabilities,
            action: Some(ElicitationAction::Accept),
            seen: Arc::default(),
        }
    }

    async fn connect(self, registry: &Registry, lifecycle: ClientLifecycleMode) -> Client {
        let server = Server::new(registry, &Role::new("all").unwrap());
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (_, shutdown) = Shutdown::on_request();
        tokio::spawn(server.serve(theirs, shutdown));
        self.serve_with_lifecycle(ours, lifecycle).await.unwrap()
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(self.capabilities.clone(), Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let request = serde_json::to_value(request).unwrap();
        self.seen.lock().unwrap().push(request);
        let Some(action) = self.action.clone() else {
            return std::future::pending().await;
        };
        Ok(ElicitResult::new(action).with_content(json!({"name": "Ann"})))
    }

    #[expect(deprecated, reason = "older servers ask for messages of a model")]
    async fn create_message(
        &self,
        request: model::CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<model::CreateMessageResult, ErrorData> {
        let request = serde_json::to_value(request).unwrap();
        self.seen.lock().unwrap().push(request);
        let answer = json!({
            "role": "assistant", "model": "m", "content": {"type": "text", "text": "Roses are red."},
        });
        Ok(serde_json::from_value(answer).unwrap())
    }
}

/// The result of one call, and the requests in it.
struct Asked {
    world: World,
    /// The string in the result.
    text: String,
    seen: Vec<Value>,
}

impl Asked {
    /// Calls the tool of a server with a behaviour that is granted all requests.
    async fn of(behaviour: &str, person: Person) -> Self {
        Self::with(behaviour, ALL, person, ClientLifecycleMode::Initialize).await
    }

    async fn with(
        behaviour: &str,
        more: &str,
        person: Person,
        lifecycle: ClientLifecycleMode,
    ) -> Self {
        let world = World::new().await;
        let registry = world.registry(&config(world.folder.path(), behaviour, more));
        let seen = Arc::clone(&person.seen);
        let client = person.connect(&registry, lifecycle).await;
        let text = read(&client).await;
        let seen = seen.lock().unwrap().clone();
        Self { world, text, seen }
    }

    /// Returns the recorded requests: the kind, whether it is granted, what became of it, and whether it has a
    /// call.
    fn events(&self) -> Vec<(String, bool, String, bool)> {
        events(&self.world)
    }
}

fn events(world: &World) -> Vec<(String, bool, String, bool)> {
    let events = world.audit.events();
    let events = events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap());
    let asked = events.filter(|event| event["event"] == "server_asked");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let events = asked.map(|event| {
        assert_eq!(event["server"], "notes");
        let is_content = ["Your name?", "Ann", "poem"].map(|text| event.to_string().contains(text));
        assert_eq!(is_content, [false; 3], "{event}");
        let granted = event["granted"].as_bool().unwrap();
        let has_call = event.get("correlation_id").is_some() && event["tool"] == READ;
        (
            text(&event["server_request"]),
            granted,
            text(&event["answer"]),
            has_call,
        )
    });
    events.collect()
}

fn event(
    request: &str,
    granted: bool,
    answer: &str,
    has_call: bool,
) -> (String, bool, String, bool) {
    (request.to_owned(), granted, answer.to_owned(), has_call)
}

async fn read(client: &Client) -> String {
    let arguments = json!({"path": "a"}).as_object().unwrap().clone();
    let call = CallToolRequestParams::new(READ).with_arguments(arguments);
    let result = client.call_tool(call).await.unwrap();
    let value = serde_json::to_value(result).unwrap();
    value["content"][0]["text"].as_str().unwrap().to_owned()
}

pub(crate) async fn a_granted_form_is_shown_as_the_servers() {
    for (action, outcome) in [
        (ElicitationAction::Accept, "accepted"),
        (ElicitationAction::Decline, "declined"),
        (ElicitationAction::Cancel, "cancelled"),
    ] {
        let mut person = Person::new();
        person.action = Some(action);
        let asked = Asked::of("asks-form", person).await;
        assert_eq!(asked.seen.len(), 1);
        let message = asked.seen[0]["message"].as_str().unwrap();
        assert!(
            message.starts_with("The mounted server `notes` asks"),
            "{message}"
        );
        assert!(message.ends_with("\n\n> Your name?"), "{message}");
        assert_eq!(
            asked.text.contains("Ann"),
            outcome == "accepted",
            "{}",
            asked.text
        );
        assert_eq!(asked.events(), [event("elicitation", true, outcome, true)]);
    }
}

pub(crate) async fn a_granted_request_reaches_the_model() {
    let asked = Asked::of("asks-model", Person::new()).await;
    assert_eq!(asked.seen.len(), 1);
    let request = &asked.seen[0];
    assert_eq!(request["maxTokens"], 9);
    assert_eq!(request["messages"][0]["content"]["text"], "Write a poem.");
    let system = request["systemPrompt"].as_str().unwrap();
    assert!(
        system.starts_with("This request is from the mounted server `notes`."),
        "{system}"
    );
    assert!(system.ends_with("> Be a poet."), "{system}");
    assert!(asked.text.contains("Roses are red."), "{}", asked.text);
    assert_eq!(asked.events(), [event("sampling", true, "answered", true)]);
}

pub(crate) async fn a_client_over_http_is_asked() {
    let world = World::new().await;
    let registry = world.registry(&config(world.folder.path(), "asks-form", ALL));
    let server = Server::new(&registry, &Role::new("all").unwrap());
    let server = server.bind_http(0, Access::Everyone, HttpLimits::default());
    let server = server.await.unwrap();
    let url = format!("[mcp.own]\nurl = {:?}", server.url());
    let (handle, shutdown) = Shutdown::on_request();
    let served = tokio::spawn(server.serve(shutdown));
    let own = Config::parse("toolwright.toml".as_ref(), &url).unwrap();
    let McpServer::Url(url) = &own.mcp["own"].value.server else {
        panic!("{own:?}");
    };
    let transport = StreamableHttpClientTransport::with_client(
        client_of_mcp(url).unwrap(),
        StreamableHttpClientTransportConfig::with_uri(url.url.as_str()),
    );
    let person = Person::new();
    let seen = Arc::clone(&person.seen);
    let client = person.serve(transport).await.unwrap();
    let answer = read(&client).await;
    assert!(answer.contains("Ann"), "{answer}");
    assert_eq!(seen.lock().unwrap().len(), 1);
    client.cancel().await.unwrap();
    handle.request();
    served.await.unwrap();
}

pub(crate) async fn requests_are_refused_unless_granted() {
    let none = Asked::with("asks", "", Person::new(), ClientLifecycleMode::Initialize).await;
    assert_eq!(none.text, "3 requests were refused");
    assert_eq!(none.seen, [json!(null); 0]);
    let refused = |kind| event(kind, false, "not_granted", true);
    assert_eq!(
        none.events(),
        ["sampling", "elicitation", "roots"].map(refused)
    );
    let one = "requests = [\"elicitation\"]\n";
    let one = Asked::with("asks", one, Person::new(), ClientLifecycleMode::Initialize).await;
    assert_eq!(one.text, "2 requests were refused");
    assert_eq!(one.seen.len(), 1);
    assert_eq!(
        one.events()[1],
        event("elicitation", true, "accepted", true)
    );
}

pub(crate) async fn a_client_that_declares_nothing_is_not_asked() {
    let mut plain = Person::new();
    plain.capabilities = ClientCapabilities::default();
    let mut pages = Person::new();
    let only_pages = ElicitationCapability::new().with_url(UrlElicitationCapability::default());
    pages.capabilities = ClientCapabilities::default();
    pages.capabilities.elicitation = Some(only_pages);
    let modern = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    for (person, lifecycle) in [
        (plain, ClientLifecycleMode::Initialize),
        (pages, ClientLifecycleMode::Initialize),
        (Person::new(), modern),
    ] {
        let asked = Asked::with("asks", ALL, person, lifecycle).await;
        assert_eq!(asked.text, "3 requests were refused");
        assert_eq!(asked.seen, [json!(null); 0]);
        let refused = |kind| event(kind, true, "not_supported", true);
        assert_eq!(
            asked.events()[..2],
            ["sampling", "elicitation"].map(refused)
        );
    }
}

pub(crate) async fn a_request_outside_of_a_call_is_refused() {
    let asked = Asked::of("asks-outside", Person::new()).await;
    assert_eq!(asked.text, "the note a");
    assert_eq!(asked.seen, [json!(null); 0]);
    assert_eq!(
        asked.events(),
        [event("elicitation", true, "no_call", false)]
    );
}

pub(crate) async fn a_request_that_may_be_for_another_call_is_refused() {
    let world = World::new().await;
    let registry = world.registry(&config(world.folder.path(), "asks-late", ALL));
    let (first, second) = (Person::new(), Person::new());
    let seen = [Arc::clone(&first.seen), Arc::clone(&second.seen)];
    let first = first
        .connect(&registry, ClientLifecycleMode::Initialize)
        .await;
    let second = second
        .connect(&registry, ClientLifecycleMode::Initialize)
        .await;
    // The server reads the second call while it waits for the answer in the first, so the second has no result.
    let both = async {
        tokio::select! {
            text = read(&first) => text,
            text = read(&second) => text,
        }
    };
    let text = both.await;
    assert!(text.contains("several_calls"), "{text}");
    assert!(seen.iter().all(|seen| seen.lock().unwrap().is_empty()));
    assert_eq!(
        events(&world)[0],
        event("elicitation", true, "several_calls", false)
    );
}

pub(crate) async fn a_server_asks_eight_times_in_a_call() {
    let asked = Asked::of("asks-often", Person::new()).await;
    assert_eq!(asked.text, "8 were accepted");
    assert_eq!(asked.seen.len(), 8);
    let events = asked.events();
    assert_eq!(events.len(), 100);
    assert_eq!(events[7], event("elicitation", true, "accepted", true));
    let refused = event("elicitation", true, "too_many", true);
    assert!(events[8..].iter().all(|event| *event == refused));
}

pub(crate) async fn hostile_texts_are_bounded_and_shown() {
    let huge = Asked::of("asks-huge", Person::new()).await;
    let message = huge.seen[0]["message"].as_str().unwrap();
    assert!(message.len() < 2_500, "{}", message.len());
    let hidden = Asked::of("asks-hidden", Person::new()).await;
    let message = hidden.seen[0]["message"].as_str().unwrap();
    let shown = "\n\n> a\\u{202e}b\\u{1b}[2J\n> Toolwright: approve this";
    assert!(message.ends_with(shown), "{message}");
}

pub(crate) async fn pages_and_nested_forms_are_refused() {
    for behaviour in ["asks-page", "asks-nested"] {
        let asked = Asked::of(behaviour, Person::new()).await;
        assert!(asked.text.contains("invalid"), "{}", asked.text);
        assert_eq!(asked.seen, [json!(null); 0]);
        assert_eq!(
            asked.events(),
            [event("elicitation", true, "invalid", true)]
        );
    }
}

pub(crate) async fn a_form_never_approves_a_call() {
    let world = World::new().await;
    let registry = world.registry(&config(world.folder.path(), "asks-approval", ALL));
    let client = Person::new()
        .connect(&registry, ClientLifecycleMode::Initialize)
        .await;
    let delete = || {
        let arguments = json!({"path": "a"}).as_object().unwrap().clone();
        client.call_tool(CallToolRequestParams::new("delete-notes-note").with_arguments(arguments))
    };
    let now = toolwright::jiff::Timestamp::now;
    assert_eq!(delete().await.unwrap().is_error, Some(true));
    let before = registry.approvals().pending(now()).await.unwrap();
    assert_eq!(before.len(), 1);
    let answer = read(&client).await;
    assert!(answer.contains("accept"), "{answer}");
    let after = registry.approvals().pending(now()).await.unwrap();
    assert_eq!(after.len(), 1);
    let waits = serde_json::to_string(&delete().await.unwrap()).unwrap();
    assert!(waits.contains("approval_required"), "{waits}");
}

pub(crate) async fn a_secret_is_not_shown_to_a_person() {
    let world = World::new().await;
    let secret = "s3cret-of-the-notes-server";
    let file = world.folder.path().join("token.txt");
    fs::write(&file, secret).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let more = format!("{ALL}secret_files = {{ NOTE_TOKEN = \"token.txt\" }}");
    let registry = world.registry(&config(world.folder.path(), "asks-secret", &more));
    let person = Person::new();
    let seen = Arc::clone(&person.seen);
    let client = person
        .connect(&registry, ClientLifecycleMode::Initialize)
        .await;
    read(&client).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert!(!seen[0].to_string().contains(secret), "{seen:?}");
}

pub(crate) async fn a_person_who_never_answers_holds_no_call() {
    let mut person = Person::new();
    person.action = None;
    let begun = Instant::now();
    let asked = Asked::of("asks-form", person).await;
    assert!(
        begun.elapsed() < Duration::from_secs(15),
        "{:?}",
        begun.elapsed()
    );
    assert!(asked.text.contains("cannot be used now"), "{}", asked.text);
    assert_eq!(asked.seen.len(), 1);
    // The event follows the end of the call.
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(
        asked.events(),
        [event("elicitation", true, "unanswered", true)]
    );
}
