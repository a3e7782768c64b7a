//! Credentials belong to origins: no document, redirect or link takes them elsewhere.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    sync::Arc,
};

use serde_json::{Value, json};
use toolwright::{
    Credentials, ScopedToolView, ToolError, ToolSpec,
    audit::{MemoryAudit, Reason},
    config::ServiceConfig,
    credentials::CredentialsError,
    private,
};

use crate::support::{
    Service, at, auth_file, builder, get_item, last_reason, redirect, role, variables, view_of,
    with_binding,
};

/// The view of a role that may call a tool, with the settings of its service.
fn view_with(
    spec: ToolSpec,
    credentials: Credentials,
    service: ServiceConfig,
) -> (ScopedToolView, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .credentials(credentials)
        .specs([spec])
        .service("depot".parse().unwrap(), service)
        .grant("reader", "*")
        .build()
        .unwrap();
    (registry.for_agent(&role("reader")), audit)
}

/// Calls the tool of a document that declares the service at this address.
async fn call_at(url: &str, credentials: &Credentials) -> Result<Value, ToolError> {
    call(at(get_item(), url), credentials, ServiceConfig::default()).await
}

async fn call(
    spec: ToolSpec,
    credentials: &Credentials,
    service: ServiceConfig,
) -> Result<Value, ToolError> {
    let (view, _) = view_with(spec, credentials.clone(), service);
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

fn code(result: &Result<Value, ToolError>) -> &str {
    match result {
        Ok(_) => "ok",
        Err(error) => error.code(),
    }
}

/// Credentials in each place below the folder that can hold a token without an origin.
fn bare_tokens(root: &Path) -> Vec<(&'static str, Credentials)> {
    let below = |folder: &str, file: &str, content: &str| {
        let root = root.join(folder);
        private::write(&root.join(".local/depot").join(file), content).unwrap();
        Credentials::new(root).with_variables(|_| None)
    };
    let named = |variable: &str, file: &str, content: &str| {
        let file = root.join(file);
        private::write(&file, content).unwrap();
        let given = [(variable, file.display().to_string())];
        Credentials::new("/nowhere").with_variables(variables(&given))
    };
    let auth = r#"{"api_token": "t0ken"}"#;
    vec![
        ("api-token.txt", below("a", "api-token.txt", "t0ken\n")),
        ("admin-auth.json", below("b", "admin-auth.json", auth)),
        (
            "API_TOKEN_FILE",
            named("TOOLWRIGHT_DEPOT_API_TOKEN_FILE", "token", "t0ken"),
        ),
        (
            "AUTH_FILE",
            named("TOOLWRIGHT_DEPOT_AUTH_FILE", "auth", auth),
        ),
    ]
}

#[tokio::test]
async fn a_token_never_follows_a_changed_server() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let folder = tempfile::tempdir().unwrap();
    for (place, credentials) in bare_tokens(folder.path()) {
        let seen = first.seen().len();
        call_at(&first.url, &credentials).await.unwrap();
        let error = call_at(&other.url, &credentials).await.unwrap_err();
        assert_eq!(error.code(), "origin_refused", "{place}");
        let ToolError::Credentials(error) = error else {
            panic!("{place}: {error}");
        };
        assert!(!error.to_string().contains("http"), "{place}: {error}");
        for origin in [&first.url, &other.url] {
            assert!(
                error.detail().contains(origin.as_str()),
                "{place}: {error:?}"
            );
        }
        assert!(error.help().unwrap().contains("[services.depot]"));
        call_at(&first.url, &credentials).await.unwrap();
        assert_eq!(first.seen().len(), seen + 2);
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn the_binding_of_a_token_outlives_its_rotation_and_its_project() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let folder = tempfile::tempdir().unwrap();
    let (_, credentials) = bare_tokens(folder.path()).remove(2);
    call_at(&first.url, &credentials).await.unwrap();
    let (_, elsewhere) = bare_tokens(folder.path()).remove(2);
    assert_eq!(
        code(&call_at(&other.url, &elsewhere).await),
        "origin_refused"
    );
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn a_redirect_takes_no_token_to_another_origin() {
    let other = Service::json(200, json!({})).await;
    let target = format!("{}/items/1", other.url);
    let first = Service::start(move |_| {
        let response = redirect(307, &target);
        async move { response }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    for (place, credentials) in bare_tokens(folder.path()) {
        let result = call_at(&first.url, &credentials).await;
        assert_eq!(code(&result), "redirect_refused", "{place}");
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn an_operations_own_server_gets_the_token_only_if_the_operator_states_its_origin() {
    let (api, files) = (
        Service::json(200, json!("api")).await,
        Service::json(200, json!("files")).await,
    );
    let in_file = json!({"api_token": "t0ken", "origins": [api.url.as_str(), files.url.as_str()]});
    let in_config = ServiceConfig {
        origins: vec![api.url.parse().unwrap(), files.url.parse().unwrap()],
        ..ServiceConfig::default()
    };
    let bare = json!({"api_token": "t0ken"});
    for (auth, config, expected) in [
        (&bare, ServiceConfig::default(), "origin_refused"),
        (&bare, in_config, "ok"),
        (&in_file, ServiceConfig::default(), "ok"),
    ] {
        let (_folder, credentials) = auth_file(auth);
        let result = call(at(get_item(), &api.url), &credentials, config.clone()).await;
        assert_eq!(result.unwrap(), "api");
        let result = call(at(get_item(), &files.url), &credentials, config).await;
        assert_eq!(code(&result), expected);
    }
    assert_eq!(files.seen().len(), 2);
}

#[tokio::test]
async fn the_base_url_next_to_a_token_is_its_only_origin() {
    let (own, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let (folder, credentials) = auth_file(&json!({"base_url": own.url, "api_token": "t0ken"}));
    let config = ServiceConfig {
        base_url: Some(other.url.clone()),
        ..ServiceConfig::default()
    };
    call(at(get_item(), &other.url), &credentials, config)
        .await
        .unwrap();
    assert_eq!((own.seen().len(), other.seen().len()), (1, 0));
    let files = fs::read_dir(folder.path().join(".local/depot")).unwrap();
    assert_eq!(files.count(), 1, "what is stated is not recorded");
}

#[tokio::test]
async fn the_configurations_address_is_the_origin_of_a_bare_token() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let (_folder, credentials) = auth_file(&json!({"api_token": "t0ken"}));
    for service in [&first, &other] {
        let config = ServiceConfig {
            base_url: Some(service.url.clone()),
            ..ServiceConfig::default()
        };
        call(get_item(), &credentials, config).await.unwrap();
        assert_eq!(service.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_token_of_the_environment_needs_a_stated_origin_outside_of_a_trusted_project() {
    let service = Service::json(200, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    for (place, credentials) in bare_tokens(folder.path()) {
        let credentials = credentials.with_stated_origins();
        let is_named = place.ends_with("_FILE");
        let expected = if is_named { "origin_refused" } else { "ok" };
        let result = call_at(&service.url, &credentials).await;
        assert_eq!(code(&result), expected, "{place}");
        let config = ServiceConfig {
            origins: vec![service.url.parse().unwrap()],
            ..ServiceConfig::default()
        };
        let stated = call(at(get_item(), &service.url), &credentials, config).await;
        assert_eq!(code(&stated), "ok", "{place}");
    }
}

#[tokio::test]
async fn parallel_first_calls_send_the_token_to_only_one_origin() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let folder = tempfile::tempdir().unwrap();
    let (_, credentials) = bare_tokens(folder.path()).remove(0);
    let calls = (0..20).map(|number| {
        let url = if number % 2 == 0 {
            &first.url
        } else {
            &other.url
        };
        let (url, credentials) = (url.clone(), credentials.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            code(&runtime.block_on(call_at(&url, &credentials))).to_owned()
        })
    });
    let calls: Vec<_> = calls.collect();
    let codes = tokio::task::spawn_blocking(|| {
        let codes = calls.into_iter().map(|call| call.join().unwrap());
        codes.collect::<Vec<_>>()
    });
    let codes = codes.await.unwrap();
    assert_eq!(
        codes.iter().filter(|code| *code == "ok").count(),
        10,
        "{codes:?}"
    );
    let seen = [first.seen().len(), other.seen().len()];
    assert!(seen.contains(&0) && seen.contains(&10), "{seen:?}");
}

#[tokio::test]
async fn calls_without_credentials_go_to_any_origin_and_bind_nothing() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let (_folder, credentials) = auth_file(&json!({"api_token": "t0ken"}));
    let open = |url: &str| {
        with_binding(at(get_item(), url), |binding| {
            binding.security = serde_json::from_str("[[]]").unwrap();
        })
    };
    for service in [&other, &first] {
        call(open(&service.url), &credentials, ServiceConfig::default())
            .await
            .unwrap();
        assert_eq!(service.one().header("authorization"), None);
    }
    call_at(&first.url, &credentials).await.unwrap();
}

#[tokio::test]
async fn service_constants_are_bound_like_tokens() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let (_folder, credentials) = auth_file(&json!({"limit": 7}));
    call_at(&first.url, &credentials).await.unwrap();
    assert_eq!(first.one().target, "/items/1?limit=7");
    assert_eq!(
        code(&call_at(&other.url, &credentials).await),
        "origin_refused"
    );
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn the_audit_records_a_refused_origin() {
    let (first, other) = (
        Service::json(200, json!({})).await,
        Service::json(200, json!({})).await,
    );
    let (_folder, credentials) = auth_file(&json!({"base_url": first.url, "api_token": "t"}));
    call_at(&first.url, &credentials).await.unwrap();
    let (_folder, bare) = auth_file(&json!({"api_token": "t"}));
    call_at(&first.url, &bare).await.unwrap();
    let (view, audit) = view_of(at(get_item(), &other.url), bare);
    let called = view.call_json("get-depot-item", json!({"id": "1"})).await;
    called.unwrap_err();
    assert_eq!(last_reason(&audit), Reason::OriginRefused);
}

#[tokio::test]
async fn a_record_that_cannot_be_used_stops_the_token() {
    let service = Service::json(200, json!({})).await;
    let (folder, credentials) = auth_file(&json!({"api_token": "t0ken"}));
    let record = folder
        .path()
        .join(".local/depot/admin-auth.json.depot.origin");
    for content in ["", "nonsense", "https://a.example/path"] {
        private::write(&record, content).unwrap();
        let result = call_at(&service.url, &credentials).await;
        assert_eq!(code(&result), "credentials_invalid", "{content}");
    }
    private::write(&record, service.url.as_bytes()).unwrap();
    fs::set_permissions(&record, fs::Permissions::from_mode(0o666)).unwrap();
    let result = call_at(&service.url, &credentials).await;
    assert_eq!(code(&result), "credentials_invalid");
    assert!(service.seen().is_empty());
    private::write(&record, service.url.as_bytes()).unwrap();
    call_at(&service.url, &credentials).await.unwrap();
}

#[tokio::test]
async fn a_folder_cannot_borrow_a_token_by_a_link() {
    let service = Service::json(200, json!({})).await;
    let secrets = tempfile::tempdir().unwrap();
    private::write(&secrets.path().join("vault-token"), "t0ken").unwrap();
    private::write(&secrets.path().join("depot/api-token.txt"), "t0ken").unwrap();
    let link = |at: &str, target: &str| {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(secrets.path().join(target), at).unwrap();
        folder
    };
    for folder in [
        link(".local/depot/api-token.txt", "vault-token"),
        link(".local/depot", "depot"),
        link(".local", "."),
        link(".local/depot/admin-auth.json", "absent"),
    ] {
        let credentials = Credentials::new(folder.path()).with_variables(|_| None);
        let result = call_at(&service.url, &credentials).await;
        assert_eq!(code(&result), "credentials_invalid");
    }
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn a_link_within_the_folder_is_followed() {
    let service = Service::json(200, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let local = folder.path().join(".local/depot");
    private::write(&local.join("..data/token"), "t0ken").unwrap();
    symlink("..data/token", local.join("api-token.txt")).unwrap();
    let credentials = Credentials::new(folder.path()).with_variables(|_| None);
    call_at(&service.url, &credentials).await.unwrap();
    assert_eq!(service.one().header("authorization"), Some("Bearer t0ken"));
}

#[tokio::test]
async fn a_credential_file_that_others_can_read_or_change_is_refused() {
    let service = Service::json(200, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    for (place, credentials) in bare_tokens(folder.path()) {
        let file = [
            "a/.local/depot/api-token.txt",
            "b/.local/depot/admin-auth.json",
            "token",
            "auth",
        ]
        .into_iter()
        .zip([
            "api-token.txt",
            "admin-auth.json",
            "API_TOKEN_FILE",
            "AUTH_FILE",
        ])
        .find_map(|(file, name)| (name == place).then(|| folder.path().join(file)))
        .unwrap();
        for mode in [0o644, 0o640, 0o620, 0o602, 0o666] {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let error = call_at(&service.url, &credentials).await.unwrap_err();
            let ToolError::Credentials(CredentialsError::Invalid { problems, .. }) = &error else {
                panic!("{place} {mode:o}: {error}");
            };
            assert!(problems[0].contains("set it to 0600"), "{problems:?}");
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
        call_at(&service.url, &credentials).await.unwrap();
    }
}

#[tokio::test]
async fn a_misspelt_key_of_an_auth_file_is_not_a_constant() {
    for key in [
        "api_tokn",
        "API_TOKEN",
        "api-token",
        "base_ur",
        "verify_tls",
        "pasword",
        "api_key",
    ] {
        let (_folder, credentials) = auth_file(&json!({key: "x"}));
        let result = call_at("http://127.0.0.1:1", &credentials).await;
        let Err(ToolError::Credentials(error)) = result else {
            panic!("{key}: {result:?}");
        };
        assert!(error.detail().contains("too similar"), "{key}: {error:?}");
    }
}
