//! Credentials: their sources, their pinned arguments, and their placement in requests.

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value, json};
use toolwright::{
    Credentials, ScopedToolView, ToolError, ToolSpec,
    audit::{MemoryAudit, Reason},
    config::ServiceConfig,
    credentials::CredentialsError,
    private,
};

use crate::support::{
    Service, argument_names, at, auth_file, builder, get_item, last_reason, no_credentials, role,
    variables, view_of, with_binding,
};

const BEARER: &str = r#"[[{"scheme": "b", "kind": "bearer"}]]"#;

/// The tool with this `security`.
fn with_security(spec: ToolSpec, security: &str) -> ToolSpec {
    let security = serde_json::from_str(security).unwrap();
    with_binding(spec, |binding| binding.security = security)
}

async fn call(view: &ScopedToolView) -> Result<Value, ToolError> {
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

/// The error of a call that lacks usable credentials.
async fn refusal(view: &ScopedToolView) -> CredentialsError {
    match call(view).await {
        Err(ToolError::Credentials(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn put(root: &Path, file: &str, content: &str) -> String {
    let path = root.join(file);
    private::write(&path, content).unwrap();
    path.display().to_string()
}

#[tokio::test]
async fn the_first_file_in_the_order_is_used() {
    let service = Service::json(200, json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let base = json!(service.url);
    let named_auth = put(
        root,
        "a.json",
        &json!({"base_url": base, "api_token": "one"}).to_string(),
    );
    let named_token = put(root, "b.txt", "two\n");
    let local_auth = json!({"base_url": base, "api_token": "three"}).to_string();
    let local_auth = put(root, ".local/depot/admin-auth.json", &local_auth);
    put(root, ".local/depot/api-token.txt", "  four  \n");
    let spec = || with_security(at(get_item(), &service.url), BEARER);

    let both = [
        ("TOOLWRIGHT_DEPOT_AUTH_FILE", named_auth),
        ("TOOLWRIGHT_DEPOT_API_TOKEN_FILE", named_token),
    ];
    let empty = [("TOOLWRIGHT_DEPOT_AUTH_FILE", String::new())];
    for (given, remove, token) in [
        (&both[..], None, "one"),
        (&both[1..], None, "two"),
        (&empty[..], None, "three"),
        (&[], Some(local_auth), "four"),
    ] {
        if let Some(file) = remove {
            fs::remove_file(file).unwrap();
        }
        let credentials = Credentials::new(root).with_variables(variables(given));
        let (view, _) = view_of(spec(), credentials);
        call(&view).await.unwrap();
        let seen = service.seen();
        let sent = seen
            .last()
            .unwrap()
            .header("authorization")
            .unwrap()
            .to_owned();
        assert_eq!(sent, format!("Bearer {token}"));
    }
}

#[tokio::test]
async fn a_token_is_read_at_each_call() {
    let service = Service::json(200, json!({})).await;
    let (folder, credentials) = auth_file(&json!({"api_token": "old"}));
    let (view, _) = view_of(
        with_security(at(get_item(), &service.url), BEARER),
        credentials,
    );
    call(&view).await.unwrap();
    put(
        folder.path(),
        ".local/depot/admin-auth.json",
        r#"{"api_token": "new"}"#,
    );
    call(&view).await.unwrap();
    let sent: Vec<_> = service
        .seen()
        .iter()
        .map(|seen| seen.header("authorization").unwrap().to_owned())
        .collect();
    assert_eq!(sent, ["Bearer old", "Bearer new"]);
}

#[tokio::test]
async fn only_the_operator_sees_the_searched_places() {
    let service = Service::json(200, json!({})).await;
    let (view, audit) = view_of(
        with_security(at(get_item(), &service.url), BEARER),
        no_credentials(),
    );
    let error = refusal(&view).await;
    assert_eq!(error.code(), "credentials_missing");
    assert_eq!(
        error.to_string(),
        "the service `depot` needs `api_token` (bearer token), which the operator has not provided"
    );
    assert_eq!(
        error.detail(),
        "no credentials were found in \
         `TOOLWRIGHT_DEPOT_AUTH_FILE`, `TOOLWRIGHT_DEPOT_API_TOKEN_FILE`, \
         `/nowhere/.local/depot/admin-auth.json`, `/nowhere/.local/depot/api-token.txt`"
    );
    assert_eq!(last_reason(&audit), Reason::CredentialsMissing);
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn an_incomplete_file_is_named_in_the_error() {
    let service = Service::json(200, json!({})).await;
    let (folder, credentials) = auth_file(&json!({"username": "ann"}));
    let (view, _) = view_of(
        with_security(at(get_item(), &service.url), BEARER),
        credentials,
    );
    let file = folder.path().join(".local/depot/admin-auth.json");
    assert_eq!(
        refusal(&view).await.detail(),
        format!("`{}` does not contain it", file.display())
    );
}

#[tokio::test]
async fn an_unusable_file_is_reported_with_all_its_problems_and_no_value() {
    let (folder, credentials) = auth_file(&json!({
        "base_url": 4711, "api_token": "a\nhunter2", "verify_ssl": "hunter3", "x": null, "api_keys": {"k": 815},
    }));
    let (view, audit) = view_of(get_item(), credentials);
    let error = refusal(&view).await;
    let file = folder.path().join(".local/depot/admin-auth.json");
    assert_eq!(
        error.to_string(),
        "the credentials of the service `depot` cannot be used"
    );
    assert_eq!(
        error.detail(),
        format!(
            "`{}`: `base_url` is not a string; \
             `api_token` contains a character that tokens cannot contain; \
             `verify_ssl` is not a boolean; \
             `x` is null; remove the key if there is no such constant; \
             `api_keys` at `k` is not a string",
            file.display()
        )
    );
    assert_eq!(error.code(), "credentials_invalid");
    assert_eq!(last_reason(&audit), Reason::CredentialsInvalid);
    for (content, problem) in [
        (
            "{\n \"api_token\": hunter2 }",
            "is not JSON at line 2, column 15",
        ),
        ("[]", "is not a JSON object"),
    ] {
        put(folder.path(), ".local/depot/admin-auth.json", content);
        let text = refusal(&view).await.detail();
        assert!(text.ends_with(problem), "{text}");
    }
}

#[tokio::test]
async fn a_missing_named_file_is_an_error() {
    let given = [(
        "TOOLWRIGHT_DEPOT_AUTH_FILE",
        "/nowhere/at/all.json".to_owned(),
    )];
    let (view, _) = view_of(
        get_item(),
        Credentials::new("").with_variables(variables(&given)),
    );
    let error = refusal(&view).await;
    assert_eq!(error.code(), "credentials_invalid");
    assert!(error.detail().contains("/nowhere/at/all.json"), "{error:?}");
    assert!(!error.to_string().contains("/nowhere"), "{error}");
}

#[tokio::test]
async fn a_secret_is_sent_in_the_declared_place() {
    let everything = json!({
        "api_token": "t0k/en", "username": "ann", "password": "pass word",
        "api_keys": {"first": "k1", "second": "k2"},
    });
    let key = |location: &str, name: &str| {
        format!(
            r#"[[{{"scheme": "s", "kind": {{"api-key": {{"location": "{location}", "name": "{name}"}}}}}}]]"#
        )
    };
    let two = r#"[[{"scheme": "first", "kind": {"api-key": {"location": "header", "name": "X-A"}}},
                   {"scheme": "second", "kind": {"api-key": {"location": "header", "name": "X-B"}}}]]"#;
    let other_first = r#"[[{"scheme": "m", "kind": {"other": "mutualTLS"}}], [{"scheme": "b", "kind": "bearer"}]]"#;
    for (security, header, value, target) in [
        (
            BEARER.to_owned(),
            "authorization",
            "Bearer t0k/en",
            "/items/1",
        ),
        (
            BEARER.replace("bearer", "o-auth2"),
            "authorization",
            "Bearer t0k/en",
            "/items/1",
        ),
        (
            BEARER.replace("bearer", "open-id-connect"),
            "authorization",
            "Bearer t0k/en",
            "/items/1",
        ),
        (
            BEARER.replace("bearer", "basic"),
            "authorization",
            "Basic YW5uOnBhc3Mgd29yZA==",
            "/items/1",
        ),
        (
            key("header", "X-Api-Key"),
            "x-api-key",
            "t0k/en",
            "/items/1",
        ),
        (
            key("cookie", "session"),
            "cookie",
            "session=t0k/en",
            "/items/1",
        ),
        (
            key("query", "api key"),
            "accept",
            "application/json",
            "/items/1?api%20key=t0k%2Fen",
        ),
        (two.to_owned(), "x-b", "k2", "/items/1"),
        (
            "[]".to_owned(),
            "authorization",
            "Bearer t0k/en",
            "/items/1",
        ),
        (
            other_first.to_owned(),
            "authorization",
            "Bearer t0k/en",
            "/items/1",
        ),
        (
            format!(
                "[[], {}",
                BEARER.trim_start_matches('[').replacen("{", "[{", 1)
            ),
            "authorization",
            "Bearer t0k/en",
            "/items/1",
        ),
    ] {
        let service = Service::json(200, json!({})).await;
        let (_folder, credentials) = auth_file(&everything);
        let (view, _) = view_of(
            with_security(at(get_item(), &service.url), &security),
            credentials,
        );
        call(&view).await.unwrap();
        let seen = service.one();
        assert_eq!(seen.header(header), Some(value), "{security}");
        assert_eq!(seen.target, target, "{security}");
    }
}

#[tokio::test]
async fn one_token_is_not_sent_as_two_keys() {
    let two = r#"[[{"scheme": "first", "kind": {"api-key": {"location": "header", "name": "X-A"}}},
                   {"scheme": "second", "kind": {"api-key": {"location": "header", "name": "X-B"}}}]]"#;
    let (_folder, credentials) =
        auth_file(&json!({"base_url": "http://127.0.0.1:1", "api_token": "t"}));
    let (view, _) = view_of(with_security(get_item(), two), credentials);
    let text = call(&view).await.unwrap_err().to_string();
    assert!(
        text.contains(
            "needs `first` in `api_keys` (API key in the header `X-A`) and \
             `second` in `api_keys` (API key in the header `X-B`)"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_token_is_not_sent_twice_as_a_key() {
    let both = r#"[[{"scheme": "key", "kind": {"api-key": {"location": "header", "name": "X-Key"}}},
                    {"scheme": "login", "kind": "o-auth2", "scopes": ["items:read"]}]]"#;
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&json!({"api_token": "t"}));
    let (view, _) = view_of(
        with_security(at(get_item(), &service.url), both),
        credentials,
    );
    let text = call(&view).await.unwrap_err().to_string();
    assert!(
        text.contains(
            "needs `key` in `api_keys` (API key in the header `X-Key`) and \
             `api_token` (OAuth 2 access token with the scope `items:read`)"
        ),
        "{text}"
    );
    let (_folder, credentials) = auth_file(&json!({"api_token": "t", "api_keys": {"key": "k"}}));
    let (view, _) = view_of(
        with_security(at(get_item(), &service.url), both),
        credentials,
    );
    call(&view).await.unwrap();
    let seen = service.one();
    assert_eq!(seen.header("x-key"), Some("k"));
    assert_eq!(seen.header("authorization"), Some("Bearer t"));
}

#[tokio::test]
async fn calls_that_need_no_credentials_are_sent_without() {
    for security in ["[]", "[[]]", r#"[[{"scheme": "b", "kind": "bearer"}], []]"#] {
        let service = Service::json(200, json!({})).await;
        let (view, _) = view_of(
            with_security(at(get_item(), &service.url), security),
            no_credentials(),
        );
        call(&view).await.unwrap();
        assert_eq!(service.one().header("authorization"), None, "{security}");
    }
}

#[tokio::test]
async fn the_base_url_of_the_auth_file_wins_over_the_configuration_over_the_binding() {
    let (auth, config, binding) = (
        Service::json(200, json!("auth")).await,
        Service::json(200, json!("config")).await,
        Service::json(200, json!("binding")).await,
    );
    let content = json!({"base_url": auth.url.clone()});
    for (with_auth, with_config, expected) in [
        (true, true, "auth"),
        (false, true, "config"),
        (false, false, "binding"),
    ] {
        let (_folder, credentials) = auth_file(&content);
        let mut builder = builder(&Arc::new(MemoryAudit::new()))
            .specs([at(get_item(), &binding.url)])
            .grant("reader", "*");
        if with_auth {
            builder = builder.credentials(credentials);
        }
        if with_config {
            let base_url = Some(config.url.clone());
            let config = ServiceConfig {
                base_url,
                ..ServiceConfig::default()
            };
            builder = builder.service("depot".parse().unwrap(), config);
        }
        let registry = builder.build().unwrap();
        let view = registry.for_agent(&role("reader"));
        assert_eq!(call(&view).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_service_without_a_base_url_is_not_called() {
    let (view, audit) = view_of(get_item(), no_credentials());
    let error = call(&view).await.unwrap_err();
    assert_eq!(error.code(), "credentials_missing");
    assert!(error.to_string().contains("needs a base URL"), "{error}");
    assert_eq!(last_reason(&audit), Reason::CredentialsMissing);
    for base in [
        "ftp://x",
        "http://ann:pw@x",
        "http://x?y=1",
        "http://x/#y",
        "http://",
    ] {
        let (_folder, credentials) = auth_file(&json!({"base_url": base}));
        let (view, _) = view_of(get_item(), credentials);
        assert_eq!(
            call(&view).await.unwrap_err().code(),
            "credentials_invalid",
            "{base}"
        );
    }
}

/// `GET /{workspace}/items/{id}` with a constant and an argument that may be pinned.
fn pinnable() -> ToolSpec {
    let parameters = [
        ("workspace", json!({"constant": "workspace_slug"})),
        ("project", json!({"argument": "project_id"})),
    ];
    let parameters = parameters.map(|(name, value)| {
        let parameter = json!({"name": name, "location": "path", "value": value, "required": true,
                               "style": "simple", "explode": false});
        serde_json::from_value(parameter).unwrap()
    });
    let mut spec = with_binding(get_item(), |binding| {
        binding.path = "/{workspace}/{project}/items/{id}".to_owned();
        binding.parameters.extend(parameters);
    });
    spec.input_schema.edit(|schema| {
        schema["properties"]["project_id"] = json!({"type": "string"});
        schema["required"] = json!(["id", "project_id"]);
    });
    spec
}

#[tokio::test]
async fn constants_are_filled_in_and_pin_arguments() {
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&json!({"workspace_slug": "acme", "project_id": "p1"}));
    let (view, audit) = view_of(at(pinnable(), &service.url), credentials);

    let shown = view.specs()[0].input_schema.to_value();
    assert!(shown["properties"].get("project_id").is_none(), "{shown}");
    assert_eq!(shown["required"], json!(["id"]));

    call(&view).await.unwrap();
    assert_eq!(service.one().target, "/acme/p1/items/1");
    assert_eq!(argument_names(&audit.events()[0]), ["id", "project_id"]);

    let same = json!({"id": "1", "project_id": "p1"});
    view.call_json("get-depot-item", same).await.unwrap();
    let other = json!({"id": "1", "project_id": "hunter2"});
    let error = view.call_json("get-depot-item", other).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid arguments for `get-depot-item`: at `/project_id`: is set by the operator; remove it"
    );
    assert_eq!(last_reason(&audit), Reason::InvalidArguments);
    assert_eq!(service.seen().len(), 2);
}

#[tokio::test]
async fn a_missing_constant_is_reported_if_it_is_needed() {
    let service = Service::json(200, json!({})).await;
    let (folder, credentials) = auth_file(&json!({"api_token": "t"}));
    let (view, _) = view_of(at(pinnable(), &service.url), credentials);
    assert!(
        view.specs()[0].input_schema.whole()["properties"]
            .get("project_id")
            .is_some()
    );
    let arguments = json!({"id": "1", "project_id": "p"});
    let error = view
        .call_json("get-depot-item", arguments)
        .await
        .unwrap_err();
    let file = folder.path().join(".local/depot/admin-auth.json");
    assert_eq!(
        error.to_string(),
        "the service `depot` needs the service constant `workspace_slug`, which the operator has not provided"
    );
    assert!(format!("{error:?}").contains(file.to_str().unwrap()));
    assert_eq!(error.code(), "credentials_missing");
}

#[tokio::test]
async fn a_caller_cannot_set_a_constant() {
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&json!({"workspace_slug": "acme", "project_id": "p1"}));
    let (view, _) = view_of(at(pinnable(), &service.url), credentials);
    for name in ["workspace_slug", "workspace", "base_url", "api_token"] {
        let error = view
            .call_json("get-depot-item", json!({"id": "1", name: "evil"}))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "invalid_arguments", "{name}");
    }
    assert!(service.seen().is_empty());
}
