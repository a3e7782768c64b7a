//! Workspaces of a service: the choice of one, what follows it, and what never reaches another one.

mod kept;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, RegistryBuilder, ScopedToolView, ServiceName, Tool, ToolError, ToolSpec,
    WorkspaceName,
    approval::{Decision, MemoryApprovals, Verdict},
    audit::{ClientContext, MemoryAudit, Reason, What},
    config::Config,
    credentials::{CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials},
    eab::RunContext,
    policy::Variables,
};

use crate::support::{
    Seen, Service, answer, builder, call_of, create_item, get_item, last_reason, role, with_binding,
};

const GET: &str = "get-depot-item";
const ARGUMENT: &str = "source_workspace_id";

/// Two instances of a service, each with a token and data of its own.
struct Two {
    north: Service,
    south: Service,
    folder: TempDir,
    audit: Arc<MemoryAudit>,
}

/// A server that takes one token, and names itself in each answer.
async fn instance(name: &'static str) -> Service {
    Service::start(move |seen: Seen| async move {
        let expected = format!("Bearer {name}-t0ken");
        if seen.header("authorization") != Some(&expected) {
            return answer(401, "application/json", json!({"at": name}).to_string());
        }
        let body = json!({"at": name, "target": seen.target}).to_string();
        let status = if seen.method == "POST" { 201 } else { 200 };
        let mut response = answer(status, "application/json", body);
        let cookie = format!("session={name}").parse().unwrap();
        response.headers_mut().insert("set-cookie", cookie);
        response
    })
    .await
}

fn bearer(spec: ToolSpec) -> ToolSpec {
    let security = json!([[{"scheme": "token", "kind": "bearer"}]]);
    with_binding(spec, |binding| {
        binding.security = serde_json::from_value(security).unwrap();
    })
}

fn service() -> ServiceName {
    "depot".parse().unwrap()
}

fn workspace(name: &str) -> WorkspaceName {
    name.parse().unwrap()
}

impl Two {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["north", "south"] {
            let file = format!(".local/depot/workspaces/{name}/api-token.txt");
            let token = format!("{name}-t0ken");
            toolwright::private::write(&folder.path().join(file), token).unwrap();
        }
        Self {
            north: instance("north").await,
            south: instance("south").await,
            folder,
            audit: Arc::new(MemoryAudit::new()),
        }
    }

    fn config(&self, service: &str, rest: &str) -> Config {
        let (north, south) = (&self.north.url, &self.south.url);
        let text = format!(
            "[services.depot]\n{service}\n\
             [services.depot.workspaces.north]\nbase_url = \"{north}\"\n\
             [services.depot.workspaces.south]\nbase_url = \"{south}\"\n{rest}"
        );
        Config::parse(&self.folder.path().join("toolwright.toml"), &text).unwrap()
    }

    fn builder(&self, service: &str, rest: &str) -> RegistryBuilder {
        let config = self.config(service, rest);
        builder(&self.audit)
            .credentials(Credentials::from_config(&config).with_variables(|_| None))
            .config(config)
            .specs([bearer(get_item()), bearer(create_item())])
            .enable("*")
    }

    fn registry(&self, service: &str, rest: &str) -> Registry {
        let built = self.builder(service, rest).build();
        built.unwrap()
    }

    /// The view of a role that may do everything.
    fn view(&self, service: &str) -> ScopedToolView {
        let registry = self.registry(service, "[roles.reader]\ngrant = [\"*\"]\n");
        registry.for_agent(&role("reader"))
    }

    fn requests(&self) -> usize {
        self.north.seen().len() + self.south.seen().len()
    }
}

async fn get(view: &ScopedToolView, arguments: Value) -> Result<Value, ToolError> {
    let mut all = json!({"id": "7"});
    let more = arguments.as_object().unwrap().clone();
    all.as_object_mut().unwrap().extend(more);
    let output = view.call_json(GET, all).await?;
    Ok(output.value["at"].clone())
}

fn choices(view: &ScopedToolView) -> Option<Value> {
    let spec = view.spec(GET).unwrap();
    let schema = spec.input_schema.whole();
    schema["properties"]
        .get(ARGUMENT)
        .map(|argument| argument["enum"].clone())
}

#[tokio::test]
async fn an_explicit_choice_wins_over_the_last_one_and_that_over_the_default() {
    let two = Two::start().await;
    let view = two.view("default_workspace = \"south\"");
    assert_eq!(choices(&view), Some(json!(["north", "south"])));
    assert_eq!(get(&view, json!({})).await.unwrap(), "south");
    let north = json!({ARGUMENT: "north"});
    assert_eq!(get(&view, north.clone()).await.unwrap(), "north");
    assert_eq!(get(&view, json!({})).await.unwrap(), "north");
    let south = json!({ARGUMENT: "south"});
    assert_eq!(get(&view, south).await.unwrap(), "south");
    assert_eq!(get(&view, json!({})).await.unwrap(), "south");
    for event in two.audit.events() {
        let call = call_of(&event);
        let at = call.source_workspace.as_ref().unwrap();
        let url = match at.as_str() {
            "north" => &two.north.url,
            _ => &two.south.url,
        };
        assert_eq!(call.target.as_ref(), Some(url));
        assert!(
            !call
                .arguments
                .as_ref()
                .unwrap()
                .names
                .contains(&ARGUMENT.to_owned())
        );
    }
    let seen = two.north.seen();
    assert!(seen.iter().all(|seen| !seen.target.contains(ARGUMENT)));
}

#[tokio::test]
async fn the_last_choice_of_a_caller_decides_for_no_other_one() {
    let two = Two::start().await;
    let registry = two.registry("", "[roles.reader]\ngrant = [\"*\"]\n");
    let view = || registry.for_agent(&role("reader"));
    let in_run = |run: &str| {
        view().in_run(RunContext {
            run: Some(run.to_owned()),
            ..RunContext::default()
        })
    };
    let of_client = |session: Option<&str>| ClientContext {
        session: session.map(str::to_owned),
        peer: Some("127.0.0.1:9".to_owned()),
        ..ClientContext::default()
    };
    let shared = view();
    let in_session = |session| shared.clone().for_client(of_client(session));
    let north = json!({ARGUMENT: "north"});
    for chooser in [in_run("one"), in_session(Some("a")), view()] {
        get(&chooser, north.clone()).await.unwrap();
    }
    assert_eq!(get(&in_run("one"), json!({})).await.unwrap(), "north");
    assert_eq!(
        get(&in_session(Some("a")), json!({})).await.unwrap(),
        "north"
    );
    // Requests over the network that belong to no session are not told apart.
    get(&in_session(None), north).await.unwrap();
    for other in [
        in_run("two"),
        in_session(Some("b")),
        in_session(None),
        view(),
        shared.clone(),
    ] {
        let refused = get(&other, json!({})).await.unwrap_err();
        assert_eq!(refused.code(), "invalid_arguments");
    }
    assert_eq!(two.south.seen().len(), 0);
}

#[tokio::test]
async fn an_unknown_workspace_and_one_of_others_are_refused_alike_before_anything_is_sent() {
    let two = Two::start().await;
    let west = "[services.depot.workspaces.west]\nbase_url = \"http://127.0.0.1:1\"\n";
    let policy = format!(
        "{west}[roles.reader]\nprofiles = [\"two\"]\n[profiles.two]\ntools = [\"*\"]\n\
         [[profiles.two.scopes]]\nallowed_workspaces = [\"north\", \"south\"]\n"
    );
    let registry = two.registry("default_workspace = \"west\"", &policy);
    let mut answers = BTreeSet::new();
    for name in ["west", "east", "North", "north ", "", "../north", "*"] {
        // Each in a run of its own, since violations are counted.
        let view = registry.for_agent(&role("reader"));
        let refused = get(&view, json!({ARGUMENT: name})).await.unwrap_err();
        answers.insert(serde_json::to_string(&refused.to_json()).unwrap());
        assert_eq!(last_reason(&two.audit), Reason::WorkspaceRefused, "{name}");
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    for value in [
        json!(null),
        json!(7),
        json!(["north"]),
        json!({"north": true}),
    ] {
        let view = registry.for_agent(&role("reader"));
        let refused = get(&view, json!({ARGUMENT: value})).await.unwrap_err();
        answers.insert(serde_json::to_string(&refused.to_json()).unwrap());
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(!answers.first().unwrap().contains("west"), "{answers:?}");
    // The default is one of others, so calls must choose.
    let view = registry.for_agent(&role("reader"));
    assert_eq!(choices(&view), Some(json!(["north", "south"])));
    assert!(!format!("{:?}", view.spec(GET)).contains("west"));
    let refused = get(&view, json!({})).await.unwrap_err();
    assert!(!refused.to_string().contains("west"), "{refused}");
    assert_eq!(two.requests(), 0);
    let violations = two.audit.events();
    let violations = violations.iter();
    let violations = violations.filter(|event| matches!(event.what, What::ScopeViolation(_)));
    assert_eq!(violations.count(), 11);
}

#[tokio::test]
async fn a_single_workspace_is_not_a_choice() {
    let two = Two::start().await;
    let policy = "[roles.reader]\nprofiles = [\"one\"]\n[profiles.one]\ntools = [\"*\"]\n\
         [[profiles.one.scopes]]\nallowed_workspaces = [\"{{tenant}}\"]\n";
    let registry = two.registry("default_workspace = \"north\"", policy);
    let of = |tenant: &str| {
        let variables = Variables::new().with("tenant", tenant);
        registry
            .for_agent(&role("reader"))
            .with_variables(variables)
    };
    let view = of("south");
    assert_eq!(choices(&view), None);
    assert_eq!(get(&view, json!({})).await.unwrap(), "south");
    for name in ["south", "north", "east"] {
        let refused = get(&view, json!({ARGUMENT: name})).await.unwrap_err();
        assert_eq!(refused.code(), "invalid_arguments");
    }
    // A tenant without a workspace has no tools of the service.
    for stranger in [of("east"), of("*"), registry.for_agent(&role("reader"))] {
        assert!(stranger.specs().is_empty());
        let refused = get(&stranger, json!({})).await.unwrap_err();
        assert_eq!(refused.code(), "tool_not_permitted");
    }
    assert_eq!(two.requests(), 1);
}

#[tokio::test]
async fn the_workspace_of_the_caller_decides_and_no_argument_does() {
    let two = Two::start().await;
    let role_of_all = "[roles.reader]\ngrant = [\"*\"]\n";
    let of = |registry: &Registry, workspace: Option<&str>| {
        registry.for_agent(&role("reader")).in_run(RunContext {
            workspace: workspace.map(str::to_owned),
            ..RunContext::default()
        })
    };
    for service in [
        "",
        "workspace_from = \"caller\"\ndefault_workspace = \"north\"",
    ] {
        let registry = two.registry(service, role_of_all);
        let view = of(&registry, Some("south"));
        assert_eq!(choices(&view), None);
        assert_eq!(get(&view, json!({})).await.unwrap(), "south");
        let refused = get(&view, json!({ARGUMENT: "north"})).await.unwrap_err();
        assert_eq!(refused.code(), "invalid_arguments");
        for stranger in ["east", "North", "", "../north"] {
            assert!(of(&registry, Some(stranger)).specs().is_empty());
        }
    }
    let bound = two.registry("workspace_from = \"caller\"", role_of_all);
    assert!(of(&bound, None).specs().is_empty());
    let refused = get(&of(&bound, None), json!({})).await.unwrap_err();
    assert_eq!(refused.code(), "tool_not_permitted");
    assert_eq!(last_reason(&two.audit), Reason::NoWorkspace);
    let free = two.registry("workspace_from = \"argument\"", role_of_all);
    let view = of(&free, Some("south"));
    assert_eq!(
        get(&view, json!({ARGUMENT: "north"})).await.unwrap(),
        "north"
    );
}

#[tokio::test]
async fn a_bound_view_has_one_workspace() {
    let two = Two::start().await;
    let view = two.view("");
    let south = view.clone().in_workspace(service(), workspace("south"));
    assert_eq!(choices(&south), None);
    assert_eq!(get(&south, json!({})).await.unwrap(), "south");
    assert!(get(&south, json!({ARGUMENT: "north"})).await.is_err());
    let east = view.in_workspace(service(), workspace("east"));
    assert!(east.specs().is_empty());
    assert!(get(&east, json!({})).await.is_err());
    assert_eq!(two.requests(), 1);
}

#[tokio::test]
async fn constants_of_a_workspace_pin_its_arguments_and_no_others() {
    let two = Two::start().await;
    let (north, south) = (&two.north.url, &two.south.url);
    let text = format!(
        "[roles.reader]\ngrant = [\"*\"]\n\
         [services.depot.workspaces.north]\nbase_url = \"{north}\"\nconstants = {{ limit = 1, id = \"n\" }}\n\
         [services.depot.workspaces.south]\nbase_url = \"{south}\"\nconstants = {{ limit = 2 }}\n"
    );
    let config = Config::parse(&two.folder.path().join("toolwright.toml"), &text).unwrap();
    let registry = builder(&two.audit)
        .credentials(Credentials::from_config(&config).with_variables(|_| None))
        .config(config)
        .specs([bearer(get_item())])
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let spec = view.spec(GET).unwrap();
    let schema = spec.input_schema.whole();
    assert!(schema["properties"].get("limit").is_none(), "both set it");
    assert!(schema["properties"].get("id").is_some(), "only one sets it");
    assert_eq!(schema["required"], json!([]));
    let target = |at: &'static str, arguments: Value| {
        let view = view.clone();
        async move {
            let mut arguments = arguments;
            arguments[ARGUMENT] = at.into();
            let output = view.call_json(GET, arguments).await;
            output.map(|output| output.value["target"].clone())
        }
    };
    assert_eq!(
        target("north", json!({})).await.unwrap(),
        "/items/n?limit=1"
    );
    let south = target("south", json!({"id": "s"})).await.unwrap();
    assert_eq!(south, "/items/s?limit=2");
    assert!(
        target("south", json!({})).await.is_err(),
        "nothing sets it there"
    );
    assert!(target("north", json!({"id": "s"})).await.is_err());
}

#[tokio::test]
async fn an_approval_of_one_workspace_is_none_of_the_other() {
    let two = Two::start().await;
    // One host serves both, so the requests are equal but for their tokens.
    let url = &two.north.url;
    let text = format!(
        "[roles.reader]\ngrant = [\"*\"]\n[services.depot]\nbase_url = \"{url}\"\n\
         [services.depot.workspaces.north]\n[services.depot.workspaces.south]\n"
    );
    let config = Config::parse(&two.folder.path().join("toolwright.toml"), &text).unwrap();
    let approvals = Arc::new(MemoryApprovals::new());
    let registry = builder(&two.audit)
        .credentials(Credentials::from_config(&config).with_variables(|_| None))
        .config(config)
        .specs([bearer(create_item())])
        .enable("*")
        .approvals(approvals)
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let create = |at: &str| {
        let arguments = json!({"name": "crate", ARGUMENT: at});
        let view = view.clone();
        async move { view.call_json("create-depot-item", arguments).await }
    };
    assert!(matches!(
        create("north").await,
        Err(ToolError::ApprovalRequired { .. })
    ));
    let store = registry.approvals();
    let request = store.pending(Timestamp::now()).await.unwrap().remove(0);
    assert_eq!(request.shown.workspace, Some(workspace("north")));
    let decision = Decision::new(Verdict::Approved, "ann", Timestamp::now()).unwrap();
    store.decide(request.handle, decision).await.unwrap();
    assert!(matches!(
        create("south").await,
        Err(ToolError::ApprovalRequired { .. })
    ));
    assert_eq!(two.requests(), 0);
    create("north").await.unwrap();
    assert!(matches!(
        create("north").await,
        Err(ToolError::ApprovalRequired { .. })
    ));
    assert_eq!(two.requests(), 1);
}

#[tokio::test]
async fn workspaces_at_one_host_share_no_connection_and_no_cookie() {
    let two = Two::start().await;
    let text = format!(
        "[roles.reader]\ngrant = [\"*\"]\n[services.depot]\nbase_url = \"{}\"\n\
         [services.depot.workspaces.north]\n[services.depot.workspaces.south]\n",
        two.north.url
    );
    let config = Config::parse(&two.folder.path().join("toolwright.toml"), &text).unwrap();
    let registry = builder(&two.audit)
        .credentials(Credentials::from_config(&config).with_variables(|_| None))
        .config(config)
        .specs([bearer(get_item())])
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    for _ in 0..3 {
        get(&view, json!({ARGUMENT: "north"})).await.unwrap();
        // The server does not take the token of the other workspace.
        let refused = get(&view, json!({ARGUMENT: "south"})).await.unwrap_err();
        assert_eq!(refused.status(), Some(401));
    }
    assert_eq!(two.north.connections(), 2);
    let tokens: Vec<_> = two
        .north
        .seen()
        .iter()
        .map(|seen| seen.header("authorization").unwrap().to_owned())
        .collect();
    assert_eq!(
        tokens,
        ["Bearer north-t0ken", "Bearer south-t0ken"].repeat(3)
    );
    assert!(
        two.north
            .seen()
            .iter()
            .all(|seen| seen.header("cookie").is_none())
    );
}

#[tokio::test]
async fn a_workspace_without_credentials_uses_none_of_others() {
    let two = Two::start().await;
    std::fs::remove_dir_all(two.folder.path().join(".local/depot/workspaces/south")).unwrap();
    let of_service = two.folder.path().join(".local/depot/api-token.txt");
    toolwright::private::write(&of_service, "t0ken-of-the-service").unwrap();
    let view = two.view("");
    let refused = get(&view, json!({ARGUMENT: "south"})).await.unwrap_err();
    assert_eq!(refused.code(), "credentials_missing");
    assert_eq!(two.requests(), 0);
    let detail = refused.detail().unwrap();
    assert!(
        detail.contains("TOOLWRIGHT_DEPOT__SOUTH_AUTH_FILE"),
        "{detail}"
    );
}

/// A source that knows nothing of workspaces.
struct OneToken;

impl CredentialSource for OneToken {
    fn read(&self, _: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let token = SourcedCredentials::token("the test", "north-t0ken".to_owned());
        Ok(Sourced::found(token))
    }
}

#[tokio::test]
async fn a_source_that_does_not_separate_workspaces_is_not_asked_for_one() {
    let two = Two::start().await;
    let registry = two
        .builder("", "[roles.reader]\ngrant = [\"*\"]\n")
        .credentials(Credentials::new(two.folder.path()).with_source(service(), OneToken))
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let refused = get(&view, json!({ARGUMENT: "south"})).await.unwrap_err();
    assert_eq!(refused.code(), "credentials_invalid");
    assert_eq!(two.requests(), 0);
}

#[tokio::test]
async fn variables_of_a_workspace_are_not_those_of_an_account() {
    let two = Two::start().await;
    let config = two.config(
        "",
        "[roles.reader]\ngrant = [\"*\"]\ncredentials = \"north\"\n",
    );
    let of_account = two.folder.path().join("account.txt");
    toolwright::private::write(&of_account, "t0ken-of-the-account").unwrap();
    let path = of_account.display().to_string();
    std::fs::remove_dir_all(two.folder.path().join(".local")).unwrap();
    // The account `north` of a service without workspaces, and the account's file of a workspace.
    let credentials = Credentials::from_config(&config).with_variables(move |name| {
        let names = [
            "TOOLWRIGHT_DEPOT_NORTH_API_TOKEN_FILE",
            "TOOLWRIGHT_DEPOT__NORTH_API_TOKEN_FILE",
        ];
        names.contains(&name).then(|| path.clone())
    });
    let registry = two
        .builder(
            "",
            "[roles.reader]\ngrant = [\"*\"]\ncredentials = \"north\"\n",
        )
        .credentials(credentials)
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    for name in ["north", "south"] {
        let refused = get(&view, json!({ARGUMENT: name})).await.unwrap_err();
        assert_eq!(refused.code(), "credentials_missing", "{name}");
    }
    assert_eq!(two.requests(), 0);
}

#[tokio::test]
async fn a_native_tool_receives_the_workspace_in_place_of_the_argument() {
    let two = Two::start().await;
    let tool = Tool::native(get_item(), |context, arguments| async move {
        Ok(json!({"at": context.workspace.unwrap().as_str(), "arguments": arguments}))
    });
    let config = two.config("", "[roles.reader]\ngrant = [\"*\"]\n");
    let registry = builder(&two.audit)
        .tool(tool)
        .config(config)
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let arguments = json!({"id": "7", ARGUMENT: "south"});
    let output = view.call_json(GET, arguments).await.unwrap();
    assert_eq!(
        output.value,
        json!({"at": "south", "arguments": {"id": "7"}})
    );
}

#[test]
fn a_tool_with_such_an_argument_of_its_own_is_a_problem() {
    let schema = json!({"type": "object", "properties": {ARGUMENT: {"type": "string"}}});
    let mut spec = get_item();
    spec.input_schema = serde_json::from_value(schema).unwrap();
    let text = "[services.depot.workspaces.north]\n[services.depot.workspaces.south]\n";
    let config = Config::parse(Path::new("toolwright.toml"), text).unwrap();
    let audit = Arc::new(MemoryAudit::new());
    let built = builder(&audit).specs([spec]).config(config).build();
    let message = built.unwrap_err().to_string();
    assert_eq!(
        message,
        "toolwright.toml:1:11: the service cannot have workspaces, since `get-depot-item` has an argument `source_workspace_id` of its own"
    );
}

#[tokio::test]
async fn a_reload_that_takes_a_workspace_away_ends_its_use() {
    let two = Two::start().await;
    let all = "[roles.reader]\ngrant = [\"*\"]\n";
    let registry = two.registry("default_workspace = \"north\"", all);
    let view = registry.for_agent(&role("reader"));
    get(&view, json!({ARGUMENT: "south"})).await.unwrap();
    let west = "[services.depot.workspaces.west]\nbase_url = \"http://127.0.0.1:1\"\n";
    let policy = format!(
        "{west}[roles.reader]\nprofiles = [\"two\"]\n[profiles.two]\ntools = [\"*\"]\n\
         [[profiles.two.scopes]]\nallowed_workspaces = [\"north\", \"west\"]\n"
    );
    registry
        .reload(&two.config("default_workspace = \"north\"", &policy))
        .unwrap();
    let refused = get(&view, json!({ARGUMENT: "south"})).await.unwrap_err();
    assert_eq!(refused.code(), "invalid_arguments");
    // The run worked in a workspace that it has no more. It must say where it works now.
    assert!(get(&view, json!({})).await.is_err());
    assert_eq!(two.requests(), 1);
    assert_eq!(
        get(&view, json!({ARGUMENT: "north"})).await.unwrap(),
        "north"
    );
}

#[test]
fn every_fault_of_workspaces_is_reported_with_its_place() {
    let text = "[services.depot]\ndefault_workspace = \"east\"\nworkspace_from = \"model\"\n\
                [services.depot.workspaces.North]\n[services.depot.workspaces.south]\n\
                default_workspace = \"x\"\nconstants = { a = 1.5 }\n";
    let error = Config::parse(Path::new("toolwright.toml"), text).unwrap_err();
    let places: Vec<_> = error
        .problems
        .iter()
        .map(|problem| problem.place.line)
        .collect();
    assert_eq!(places, [2, 3, 4, 6, 7], "{error}");
}
