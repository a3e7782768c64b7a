//! A console over a real service: Depot, a registry of its tools, the state and the audit in files.
#![cfg(test)]

use std::{path::PathBuf, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle, time::sleep};
use toolwright::{
    Credentials, Registry, Tool, ToolError, ToolOutput, ToolSpec,
    approval::{ApprovalRequest, ApprovalStore, ApproverKey, ApproverKeys},
    availability::Availability,
    config::Config,
    eab::RunContext,
    jiff::Timestamp,
};
use toolwright_console::{Address, Console, serve};
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};
use toolwright_state::State;

/// All pages that show something of the program, besides that of a request.
pub(crate) const PAGES: [&str; 16] = [
    "/",
    "/tools",
    "/tools/switch",
    "/tools/update-depot-item",
    "/access",
    "/matrix",
    "/access/clerk",
    "/access/clerk/update-depot-item",
    "/preview",
    "/record",
    "/record/use",
    "/record/verify",
    "/skills",
    "/skills?propose=1",
    "/skills/report-depot-shortages",
    "/sessions",
];

/// The configuration of the project.
pub(crate) const CONFIG: &str = r#"
[roles.clerk]
grant = ["service:depot", "service:mill"]

[roles.reader]
grant = ["category:observe"]

[tools]
enable = ["create-depot-item", "update-depot-item", "delete-depot-item"]

[console.people.ann]
role = "operator"
identity = "ann@team.example"

[console.people.bob]
role = "approver"

[console.people.vic]
role = "viewer"
"#;

/// The items of the samples that the tests name.
pub(crate) const ITEMS: [&str; 3] = [
    "0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10",
    "2f1d6c58-94ab-4f6d-9f0e-0c7b8a1de202",
    "37c9e1aa-1d5b-4a53-8a7b-6f2f4b9c0303",
];

/// A skill of the project.
const SKILL: &str = include_str!("../../../cli/skills/report-depot-shortages/skill.toml");

/// A console with everything below it.
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) registry: Registry,
    pub(crate) state: State,
    pub(crate) config: Config,
    number: usize,
    port: u16,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
    console: Console,
    _depot: Depot,
}

impl World {
    /// Starts a console, with a number of further tools.
    pub(crate) async fn with_tools(number: usize) -> Self {
        Self::with(number, CONFIG, &[]).await
    }

    /// Starts a console that signs people in through a provider by their e-mail address, with a client of
    /// the provider.
    pub(crate) async fn with_provider(issuer: &str, client: &Value) -> Self {
        let provider = format!(
            "[console.openid]\nissuer = \"{issuer}\"\nclaim = \"email\"\nscopes = [\"email\"]\n"
        );
        let client = json!({"oauth": client}).to_string();
        let files = [(".local/console/admin-auth.json", client.as_str())];
        Self::with(3, &format!("{CONFIG}\n{provider}"), &files).await
    }

    /// Starts a console with a configuration, and with further private files.
    async fn with(number: usize, config: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let token = Token::random();
        let depot = Depot::start(DepotConfig {
            folder: root.join("depot"),
            token: token.clone(),
            port: 0,
            initial_stock: InitialStock::Samples,
        })
        .await
        .unwrap();
        write(root.join("skills/report-depot-shortages/skill.toml"), SKILL);
        let credentials = json!({"base_url": depot.base_url(), "api_token": token.expose()});
        write(
            root.join(".local/depot/admin-auth.json"),
            &credentials.to_string(),
        );
        for (path, text) in files {
            write(root.join(path), text);
        }
        let config = Config::parse(&root.join("toolwright.toml"), config).unwrap();
        let key = ApproverKey::in_folder(root).unwrap();
        let state = State::from_config(&config).unwrap();
        let state = state.keys(ApproverKeys::Listed(vec![key.public()]));
        state.open().await.unwrap();
        let registry = following(&config, &state, number).await;
        let (console, port, running) = start(&registry, &state, &config, root, 0).await;
        Self {
            folder,
            registry,
            state,
            config,
            number,
            port,
            running: Some(running),
            console,
            _depot: depot,
        }
    }

    pub(crate) async fn new() -> Self {
        Self::with_tools(3).await
    }

    /// Ends the server of the console and starts another one at the same port, with the same state.
    pub(crate) async fn restart(&mut self) {
        let (end, served) = self.running.take().unwrap();
        end.send(()).unwrap();
        served.await.unwrap();
        let (root, port) = (self.folder.path(), self.port);
        let (console, _, running) =
            start(&self.registry, &self.state, &self.config, root, port).await;
        self.console = console;
        self.running = Some(running);
    }

    /// Returns the registry of another program with the same state, which follows its switches.
    pub(crate) async fn another_program(&self) -> Registry {
        let state = State::from_config(&self.config).unwrap();
        state.open().await.unwrap();
        following(&self.config, &state, self.number).await
    }

    /// Returns the origin of the console.
    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns a link that signs a person in.
    pub(crate) async fn link(&self, person: &str) -> String {
        self.console.invite(person).await.unwrap()
    }

    pub(crate) fn console(&self) -> &Console {
        &self.console
    }

    /// Makes a call by the role `clerk`, and returns the request that waits for it.
    pub(crate) async fn ask(&self, tool: &str, arguments: Value) -> ApprovalRequest {
        let refused = self.call(tool, arguments).await;
        assert!(
            matches!(refused, Err(ToolError::ApprovalRequired { .. })),
            "{refused:?}"
        );
        self.pending().await.pop().unwrap()
    }

    /// Makes a call by the role `clerk`, in a run.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        let run = RunContext {
            run: Some("run-7".to_owned()),
            agent: Some("stock-agent".to_owned()),
            started_by: Some("cleo".to_owned()),
            ..RunContext::default()
        };
        let view = self.registry.for_agent(&"clerk".parse().unwrap());
        view.in_run(run).call_json(tool, arguments).await
    }

    pub(crate) async fn pending(&self) -> Vec<ApprovalRequest> {
        self.state.pending(Timestamp::now()).await.unwrap()
    }

    /// Returns the events of the audit.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.config.audit.file).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// Returns the registry of a program that follows the switches of the state.
async fn following(config: &Config, state: &State, number: usize) -> Registry {
    let availability = state.availability(config.state.grace).await.unwrap();
    let followed = Arc::clone(&availability);
    tokio::spawn(state.clone().follow(followed, |_| {}));
    registry(config, state, availability, number)
}

fn registry(
    config: &Config,
    state: &State,
    availability: Arc<Availability>,
    number: usize,
) -> Registry {
    let credentials = Credentials::new(&config.root).with_variables(|_| None);
    Registry::builder()
        .specs(depot_tools())
        .tools((0..number.max(1)).map(mill_tool))
        .config(config.clone())
        .approvals(Arc::new(state.clone()))
        .availability(availability)
        .credentials(credentials)
        .build()
        .unwrap()
}

/// Returns Depot's tools. A person approves each update too: an update has values before it.
fn depot_tools() -> Vec<ToolSpec> {
    let text = include_str!("../../../generated/src/depot/tools.json");
    let mut specs = ToolSpec::list_from_json(text).unwrap();
    for spec in &mut specs {
        spec.approval_required |= spec.name.as_str() == "update-depot-item";
    }
    specs
}

/// A tool of the program whose calls a person approves.
fn mill_tool(number: usize) -> Tool {
    let name = match number {
        0 => "grind-mill-grain".to_owned(),
        _ => format!("list-mill-sacks-{number}"),
    };
    let is_first = number == 0;
    let spec = json!({
        "name": name,
        "service": "mill",
        "title": name,
        "short": format!("Works on sacks, number {number}."),
        "description": "Grinds <b>grain</b>.",
        "section": "mill",
        "category": if is_first { "execute" } else { "observe" },
        "effect": if is_first { "create" } else { "read" },
        "approval_required": is_first,
        "hints": {
            "readOnlyHint": !is_first,
            "destructiveHint": false,
            "idempotentHint": !is_first,
            "openWorldHint": false,
        },
        "enabled_by_default": true,
        "input_schema": {"type": "object", "additionalProperties": true},
        "binding": "native",
        "origin": {"document": "mill", "pointer": name},
        "evidence": [],
    });
    let spec = ToolSpec::from_json(&spec.to_string()).unwrap();
    Tool::native(spec, |_, arguments| async move { Ok(arguments) })
}

async fn start(
    registry: &Registry,
    state: &State,
    config: &Config,
    root: &std::path::Path,
    port: u16,
) -> (Console, u16, (oneshot::Sender<()>, JoinHandle<()>)) {
    let listener = loop {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Ok(listener) => break listener,
            // The connections of the server before it are still closing.
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    };
    let port = listener.local_addr().unwrap().port();
    let address = Address::new(&format!("http://127.0.0.1:{port}")).unwrap();
    let key = ApproverKey::in_folder(root).unwrap();
    let console = Console::new(registry.clone(), state.clone(), config, address).key(key);
    let (end, ended) = oneshot::channel();
    let served = console.clone();
    let served = tokio::spawn(async move {
        let ended = async {
            let _ = ended.await;
        };
        serve(served, listener, ended).await.unwrap();
    });
    (console, port, (end, served))
}

fn write(path: PathBuf, text: &str) {
    toolwright::private::write(&path, text).unwrap();
}
