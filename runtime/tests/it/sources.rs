//! Sources of credentials other than files, and rotation.

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tokio::sync::Notify;
use toolwright::{
    Credentials, ScopedToolView, ServiceName, ToolError,
    audit::{MemoryAudit, Reason},
    config::{Config, ServiceConfig},
    credentials::{
        CredentialRequest, CredentialSource, CredentialsError, SourceError, Sourced,
        SourcedCredentials,
    },
    private,
};

use crate::support::{
    Seen, Service, answer, at, auth_file, builder, get_item, last_reason, role, variables, view_of,
};

fn depot() -> ServiceName {
    "depot".parse().unwrap()
}

async fn call(view: &ScopedToolView) -> Result<Value, ToolError> {
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

async fn refusal(view: &ScopedToolView) -> CredentialsError {
    match call(view).await {
        Err(ToolError::Credentials(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn tokens(service: &Service) -> Vec<String> {
    let seen = service.seen();
    let tokens = seen.iter().map(|seen| seen.header("authorization"));
    tokens.map(|token| token.unwrap().to_owned()).collect()
}

/// The view of `reader` on a service at a stated address.
fn view_at(service: &Service, credentials: Credentials) -> (ScopedToolView, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let base_url = Some(service.url.clone());
    let config = ServiceConfig {
        base_url,
        ..ServiceConfig::default()
    };
    let registry = builder(&audit)
        .credentials(credentials)
        .specs([get_item()])
        .service(depot(), config)
        .grant("reader", "*")
        .build()
        .unwrap();
    (registry.for_agent(&role("reader")), audit)
}

/// A source whose content a test replaces.
#[derive(Clone, Default)]
struct Store(Arc<Mutex<Option<Result<String, String>>>>);

impl Store {
    fn put(&self, content: Result<&str, &str>) {
        let content = content.map(str::to_owned).map_err(str::to_owned);
        *self.0.lock().unwrap() = Some(content);
    }
}

impl CredentialSource for Store {
    fn read(&self, request: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let place = match request.account {
            Some(account) => format!("store/{}/{account}", request.service),
            None => format!("store/{}", request.service),
        };
        match self.0.lock().unwrap().clone() {
            Some(Ok(json)) => Ok(Sourced::found(SourcedCredentials::auth_file(place, json))),
            Some(Err(problem)) => Err(SourceError::new(place, problem)),
            None => Ok(Sourced::absent(vec![place])),
        }
    }
}

#[tokio::test]
async fn the_environment_itself_holds_an_auth_file_or_a_token() {
    let service = Service::json(200, json!({})).await;
    let auth = json!({"api_token": "of-the-json"}).to_string();
    let all = [
        ("TOOLWRIGHT_DEPOT_AUTH", auth),
        ("TOOLWRIGHT_DEPOT_API_TOKEN", " of-the-token ".to_owned()),
    ];
    for (given, expected) in [
        (&all[..], "Bearer of-the-json"),
        (&all[1..], "Bearer of-the-token"),
    ] {
        let credentials = Credentials::new("/nowhere")
            .with_environment(depot())
            .with_variables(variables(given));
        let (view, _) = view_at(&service, credentials);
        call(&view).await.unwrap();
        assert_eq!(tokens(&service).last().unwrap(), expected);
    }
}

#[tokio::test]
async fn only_the_source_of_the_configuration_is_read() {
    let service = Service::json(200, json!({})).await;
    let (folder, _) = auth_file(&json!({"api_token": "of-a-file"}));
    let text = format!(
        "[services.depot]\nbase_url = \"{}\"\ncredentials = \"environment\"\n\
         [roles.reader]\ngrant = [\"*\"]\n[roles.clerk]\ngrant = [\"*\"]\ncredentials = \"the-clerk\"\n",
        service.url
    );
    let config = Config::parse(&folder.path().join("toolwright.toml"), &text).unwrap();
    let given = [(
        "TOOLWRIGHT_DEPOT_THE_CLERK_API_TOKEN",
        "of-clerk".to_owned(),
    )];
    let credentials = Credentials::from_config(&config).with_variables(variables(&given));
    let registry = builder(&Arc::default())
        .credentials(credentials)
        .specs([at(get_item(), &service.url)])
        .config(config)
        .build()
        .unwrap();
    call(&registry.for_agent(&role("clerk"))).await.unwrap();
    call(&registry.for_agent(&role("reader"))).await.unwrap();
    let seen = service.seen();
    assert_eq!(seen[0].header("authorization"), Some("Bearer of-clerk"));
    // The operation needs no credentials. The file is not read in place of the variables.
    assert_eq!(seen[1].header("authorization"), None);
}

#[tokio::test]
async fn a_source_is_asked_at_each_call() {
    let (service, store) = (Service::json(200, json!({})).await, Store::default());
    let credentials = Credentials::new("").with_source(depot(), store.clone());
    let (view, audit) = view_at(&service, credentials);
    for token in ["first", "second"] {
        let json = json!({"api_token": token, "limit": 5}).to_string();
        store.put(Ok(&json));
        call(&view).await.unwrap();
    }
    assert_eq!(tokens(&service), ["Bearer first", "Bearer second"]);
    assert_eq!(service.seen()[0].target, "/items/1?limit=5");
    let shown = view.specs()[0].input_schema.to_value();
    assert!(shown["properties"].get("limit").is_none(), "{shown}");

    store.put(Err("it is sealed"));
    let error = refusal(&view).await;
    assert_eq!(error.detail(), "`store/depot`: it is sealed");
    assert_eq!(last_reason(&audit), Reason::CredentialsInvalid);
    store.put(Ok(r#"{"api_token": "a\nhunter2"}"#));
    let error = format!("{:?}", refusal(&view).await);
    assert!(error.contains("store/depot"), "{error}");
    assert!(!error.contains("hunter2"), "{error}");
}

#[tokio::test]
async fn credentials_of_a_source_need_a_stated_origin() {
    let (service, store) = (Service::json(200, json!({})).await, Store::default());
    store.put(Ok(r#"{"api_token": "hunter2"}"#));
    let credentials = Credentials::new("").with_source(depot(), store.clone());
    let (view, audit) = view_of(at(get_item(), &service.url), credentials);
    let error = refusal(&view).await;
    assert_eq!(error.code(), "origin_refused");
    assert!(error.detail().contains("`store/depot` is not bound"));
    assert_eq!(last_reason(&audit), Reason::OriginRefused);
    let json = json!({"api_token": "hunter2", "origins": [service.url]});
    store.put(Ok(&json.to_string()));
    call(&view).await.unwrap();
}

#[tokio::test]
async fn a_call_ends_with_the_token_that_it_began_with() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (entered, released) = (Arc::clone(&begun), Arc::clone(&go_on));
    let service = Service::start(move |_: Seen| {
        let (entered, released) = (Arc::clone(&entered), Arc::clone(&released));
        async move {
            entered.notify_one();
            released.notified().await;
            answer(200, "application/json", r#""old-token and new-token""#)
        }
    })
    .await;
    let (folder, credentials) = auth_file(&json!({"api_token": "old-token"}));
    let (view, _) = view_of(at(get_item(), &service.url), credentials);
    let first = tokio::spawn({
        let view = view.clone();
        async move { call(&view).await.unwrap() }
    });
    begun.notified().await;
    let file = folder.path().join(".local/depot/admin-auth.json");
    private::write(&file, r#"{"api_token": "new-token"}"#).unwrap();
    let second = tokio::spawn(async move { call(&view).await.unwrap() });
    begun.notified().await;
    go_on.notify_waiters();
    go_on.notify_one();
    // Each answer is cleaned of the secrets of its own call.
    assert_eq!(first.await.unwrap(), "[redacted] and new-token");
    assert_eq!(second.await.unwrap(), "old-token and [redacted]");
    assert_eq!(tokens(&service), ["Bearer old-token", "Bearer new-token"]);
}

#[test]
fn credentials_are_never_printable() {
    let json = r#"{"api_token": "hunter2"}"#.to_owned();
    let found = SourcedCredentials::auth_file("store/depot", json);
    let token = SourcedCredentials::token("store/depot", "hunter2".to_owned());
    let credentials = Credentials::new("/root").with_source(depot(), Store::default());
    let shown = format!("{:?} {token:?} {credentials:?}", Sourced::found(found));
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("store/depot"), "{shown}");
}

#[test]
fn a_source_that_the_program_lacks_is_an_error_of_its_service() {
    let text =
        "[services.depot]\ncredentials = \"vault\"\n[services.plane]\ncredentials = \"keychain\"\n";
    let error = Config::parse(Path::new("toolwright.toml"), text).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("there is no table `[vault]`"), "{error}");
    assert!(error.contains("`keyring`"), "{error}");
}

#[test]
fn a_secret_store_has_one_login() {
    for (text, problem) in [
        (
            "address = \"https://v.example\"",
            "does not declare one login",
        ),
        (
            "address = \"https://v.example\"\ntoken_file = \"t\"\nrole_id = \"r\"",
            "does not declare one login",
        ),
        ("token_file = \"t\"", "has no `address`"),
        (
            "address = \"http://v.example\"\ntoken_file = \"t\"",
            "over plain HTTP",
        ),
        (
            "address = \"https://ann@v.example\"\ntoken_file = \"t\"",
            "is not the URL of a secret store",
        ),
        (
            "address = \"https://v.example\"\ntoken_file = \"t\"\nmount = \"../sys\"",
            "`mount` is not a path",
        ),
    ] {
        let text = format!("[vault]\n{text}\n");
        let error = Config::parse(Path::new("toolwright.toml"), &text).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
    let text = "[vault]\naddress = \"https://v.example\"\nrole_id = \"r\"\nsecret_id_file = \"s\"";
    let config = Config::parse(Path::new("/a/toolwright.toml"), text).unwrap();
    let shown = format!("{:?}", config.vault.unwrap());
    assert!(shown.contains("/a/s"), "{shown}");
    assert!(fs::metadata("/a/s").is_err());
}
