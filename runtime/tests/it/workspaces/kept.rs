//! What is kept between calls: files, access tokens, approvals in advance, current values.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use serde_json::Map;
use toolwright::{
    approval::{ApproverKey, ApproverKeys, Changes, StandingGrant, StandingTerms},
    files::{FileLimits, FileStore},
};
use toolwright_state::{State, testing::TestPlace};

use super::{
    ARGUMENT, Config, Credentials, Decision, GET, Registry, RunContext, ScopedToolView, Seen,
    Service, Timestamp, ToolError, Two, Value, Verdict, answer, bearer, builder, get_item, json,
    role, workspace,
};
use crate::{
    changes::update_item,
    files::{get_file, upload_bytes},
    support::with_binding,
};

const ALL: &str = "[roles.reader]\ngrant = [\"*\"]\n";

/// A server of files, which takes any of the two tokens.
async fn file_server() -> Service {
    Service::start(|seen: Seen| async move {
        match seen.method.as_str() {
            "GET" => answer(200, "application/octet-stream", vec![7; 300]),
            _ => answer(201, "application/json", "{}"),
        }
    })
    .await
}

fn stage(two: &Two, files: &Service) -> Registry {
    let url = &files.url;
    let text = format!(
        "{ALL}[services.depot]\nbase_url = \"{url}\"\n\
         [services.depot.workspaces.north]\n[services.depot.workspaces.south]\n"
    );
    let config = Config::parse(&two.folder.path().join("toolwright.toml"), &text).unwrap();
    let store = FileStore::new(two.folder.path().join("files"), FileLimits::default());
    let credentials = Credentials::from_config(&config).with_variables(|_| None);
    builder(&two.audit)
        .credentials(credentials)
        .config(config)
        .specs([get_file(), upload_bytes()])
        .files(store)
        .enable("*")
        .build()
        .unwrap()
}

async fn download(view: &ScopedToolView, arguments: Value) -> Value {
    let output = view.call_json("get-depot-file", arguments).await.unwrap();
    output.value["file"].clone()
}

#[tokio::test]
async fn a_file_of_one_workspace_is_sent_to_no_other_one() {
    let (two, files) = (Two::start().await, file_server().await);
    let view = stage(&two, &files).for_agent(&role("reader"));
    let handle = download(&view, json!({"id": "1", ARGUMENT: "north"})).await;
    let upload = |at: &str, handle: &Value| {
        let arguments = json!({"body": handle, ARGUMENT: at});
        let view = view.clone();
        async move { view.call_json("add-depot-file", arguments).await }
    };
    let refused = upload("south", &handle).await.unwrap_err();
    // It looks like a file that does not exist.
    let unknown = upload("south", &json!("file-0123456789abcdef0123456789abcdef")).await;
    assert_eq!(refused.to_string(), unknown.unwrap_err().to_string());
    upload("north", &handle).await.unwrap();
    // A file that the operator added belongs to no workspace.
    let added = view
        .add_file(&mut &b"plan"[..], "text/plain", "plan.txt")
        .unwrap();
    upload("south", &json!(added.handle)).await.unwrap();
    let bodies: Vec<_> = files
        .seen()
        .into_iter()
        .filter(|seen| seen.method == "POST")
        .map(|seen| seen.body)
        .collect();
    assert_eq!(bodies, [vec![7; 300], b"plan".to_vec()]);
}

#[tokio::test]
async fn callers_of_two_workspaces_share_no_file() {
    let (two, files) = (Two::start().await, file_server().await);
    let registry = stage(&two, &files);
    let of = |workspace: &str| {
        registry.for_agent(&role("reader")).in_run(RunContext {
            workspace: Some(workspace.to_owned()),
            ..RunContext::default()
        })
    };
    let handle = download(&of("north"), json!({"id": "1"})).await;
    let handle = handle.as_str().unwrap().parse().unwrap();
    assert_eq!(of("north").files().unwrap().len(), 1);
    of("north").open_file(&handle).unwrap();
    assert!(of("south").files().unwrap().is_empty());
    assert!(of("south").open_file(&handle).is_err());
    assert!(of("south").remove_file(&handle).is_err());
    assert!(
        registry
            .for_agent(&role("reader"))
            .open_file(&handle)
            .is_err()
    );
}

#[tokio::test]
async fn an_access_token_of_one_workspace_is_not_sent_to_the_other() {
    let two = Two::start().await;
    let issued = std::sync::Arc::new(AtomicUsize::new(0));
    let server = Service::start(move |_| {
        let number = issued.fetch_add(1, Ordering::SeqCst);
        let body = json!({"access_token": format!("issued-{number}"), "token_type": "Bearer", "expires_in": 3600});
        async move { answer(200, "application/json", body.to_string()) }
    })
    .await;
    // The same client of the same server, so only the workspace tells the tokens apart.
    let auth = json!({"oauth": {
        "grant": "client_credentials", "token_url": format!("{}/token", server.url), "client_id": "toolwright",
        "client_secret": "s3cr3t-of-the-client",
    }});
    for name in ["north", "south"] {
        let folder = two.folder.path().join(".local/depot/workspaces").join(name);
        std::fs::remove_dir_all(&folder).unwrap();
        toolwright::private::write(&folder.join("admin-auth.json"), auth.to_string()).unwrap();
    }
    let security = json!([[{"scheme": "o", "kind": "o-auth2"}]]);
    let spec = with_binding(get_item(), |binding| {
        binding.security = serde_json::from_value(security).unwrap();
    });
    let config = two.config("", ALL);
    let registry = builder(&two.audit)
        .credentials(Credentials::from_config(&config).with_variables(|_| None))
        .config(config)
        .specs([spec])
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    for at in ["north", "south", "north", "south"] {
        let arguments = json!({"id": "1", ARGUMENT: at});
        let refused = view.call_json(GET, arguments).await.unwrap_err();
        assert_eq!(
            refused.status(),
            Some(401),
            "the server knows another token"
        );
    }
    let tokens = |service: &Service| {
        let seen = service.seen().into_iter();
        let tokens = seen.map(|seen| seen.header("authorization").unwrap().to_owned());
        tokens.collect::<std::collections::BTreeSet<_>>()
    };
    assert!(tokens(&two.north).is_disjoint(&tokens(&two.south)));
}

#[tokio::test]
async fn an_approval_in_advance_is_of_one_workspace() {
    for place in TestPlace::all().await {
        let two = Two::start().await;
        let key = ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap();
        let state = State::at(place.location.clone()).unwrap();
        let state = state.keys(ApproverKeys::Listed(vec![key.public()]));
        state.open().await.unwrap();
        let now = Timestamp::now();
        for (at, uses) in [(Some("north"), 1), (None, 9)] {
            let terms = StandingTerms {
                role: role("reader"),
                tool: "create-depot-item".parse().unwrap(),
                workspace: at.map(workspace),
                arguments: Map::new(),
                uses,
                until: now + SignedDuration::from_mins(5),
                why: "imports".to_owned(),
            };
            let grant = StandingGrant::new(terms, "ann", now, &key).unwrap();
            let recorded = grant.beginning().source_workspace;
            assert_eq!(recorded, at.map(workspace), "the audit has the workspace");
            state.grant(&grant).await.unwrap();
        }
        let registry = two
            .builder("", ALL)
            .approvals(std::sync::Arc::new(state.clone()))
            .build()
            .unwrap();
        let view = registry.for_agent(&role("reader"));
        let create = |at: &str| {
            let arguments = json!({"name": "crate", ARGUMENT: at});
            let view = view.clone();
            async move { view.call_json("create-depot-item", arguments).await }
        };
        // Neither the grant of the other workspace nor one without a workspace lets the call pass.
        let waits = create("south").await;
        assert!(
            matches!(waits, Err(ToolError::ApprovalRequired { .. })),
            "{waits:?}"
        );
        create("north").await.unwrap();
        assert!(create("north").await.is_err(), "it is used up");
        assert_eq!((two.north.seen().len(), two.south.seen().len()), (1, 0));
    }
}

#[tokio::test]
async fn the_current_values_are_those_of_the_workspace_that_is_changed() {
    let two = Two::start().await;
    let registry = {
        // The role reads in both workspaces, and `south` is the default.
        let policy = "[roles.reader]\ngrant = [\"*\"]\n";
        let mut update = bearer(update_item());
        update = with_binding(update, |binding| {
            let body = binding.body.as_mut().unwrap();
            body.shape = serde_json::from_value(json!({"fields": [
                {"name": "at", "value": {"argument": "name"}}]}))
            .unwrap();
        });
        let config = two.config("default_workspace = \"south\"", policy);
        builder(&two.audit)
            .credentials(Credentials::from_config(&config).with_variables(|_| None))
            .config(config)
            .specs([update, bearer(get_item())])
            .enable("*")
            .build()
            .unwrap()
    };
    let view = registry.for_agent(&role("reader"));
    let arguments = json!({"item": "7", "name": "east", ARGUMENT: "north"});
    let waits = view.call_json("update-depot-item", arguments.clone()).await;
    assert!(
        matches!(waits, Err(ToolError::ApprovalRequired { .. })),
        "{waits:?}"
    );
    let store = registry.approvals();
    let request = store.pending(Timestamp::now()).await.unwrap().remove(0);
    let Some(Changes::Read { fields, .. }) = &request.changes else {
        panic!("{:?}", request.changes);
    };
    assert_eq!(serde_json::to_value(fields).unwrap()[0]["before"], "north");
    assert_eq!((two.north.seen().len(), two.south.seen().len()), (1, 0));
    // The read was no choice of the agent.
    let last = view.call_json(GET, json!({"id": "7"})).await.unwrap();
    assert_eq!(last.value["at"], "south");
    let decision = Decision::new(Verdict::Approved, "ann", Timestamp::now()).unwrap();
    store.decide(request.handle, decision).await.unwrap();
    view.call_json("update-depot-item", arguments)
        .await
        .unwrap();
    assert_eq!(two.north.seen().last().unwrap().method, "PATCH");
}

#[tokio::test]
async fn a_call_that_a_tool_makes_is_no_choice_of_its_caller() {
    let two = Two::start().await;
    let mut spec = get_item();
    spec.name = "find-depot-item".parse().unwrap();
    let outer = toolwright::Tool::native(spec, |context, _| async move {
        let arguments = json!({"id": "7", ARGUMENT: "south"});
        let inner = context.call(GET, arguments).await?;
        Ok(inner.value)
    });
    let registry = two.builder("", ALL).tool(outer).build().unwrap();
    let view = registry.for_agent(&role("reader"));
    let arguments = json!({"id": "7", ARGUMENT: "north"});
    let found = view.call_json("find-depot-item", arguments).await.unwrap();
    assert_eq!(found.value["at"], "south");
    let last = view.call_json(GET, json!({"id": "7"})).await.unwrap();
    assert_eq!(last.value["at"], "north");
}
