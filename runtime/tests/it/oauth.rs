//! Access tokens of OAuth 2.0. The authorization server here is a stand-in, which issues numbered
//! tokens; `tests/tests/credentials` uses a real one.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::response::Response;
use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, ScopedToolView, ToolError, ToolSpec, audit::MemoryAudit,
    credentials::CredentialsError, private,
};

use crate::support::{
    Seen, Service, answer, at, auth_file, builder, create_item, get_item, redirect, role,
    variables, view_of, with_binding,
};

const SECRET: &str = "s3cr3t-of-the-client/+";

/// A stand-in for an authorization server: issues `token-1`, `token-2`, …
async fn authorization_server(lifetime: u64) -> Service {
    let issued = Arc::new(AtomicUsize::new(0));
    Service::start(move |_| {
        let number = issued.fetch_add(1, Ordering::SeqCst) + 1;
        let body = json!({
            "access_token": format!("token-{number}"), "token_type": "Bearer",
            "expires_in": lifetime, "refresh_token": format!("refresh-{number}"),
        });
        async move { answer(200, "application/json", body.to_string()) }
    })
    .await
}

/// A service that accepts only this token.
async fn guarded(accepted: &Arc<Mutex<String>>) -> Service {
    let accepted = Arc::clone(accepted);
    Service::start(move |seen: Seen| {
        let expected = format!("Bearer {}", accepted.lock().unwrap());
        let is_accepted = seen.header("authorization") == Some(&expected);
        async move {
            match is_accepted {
                true => answer(200, "application/json", "{}"),
                false => answer(401, "application/json", r#"{"message": "expired"}"#),
            }
        }
    })
    .await
}

fn client(server: &Service, more: Value) -> Value {
    let mut oauth = json!({
        "grant": "client_credentials", "token_url": format!("{}/token", server.url),
        "client_id": "toolwright", "client_secret": SECRET,
    });
    for (key, value) in more.as_object().unwrap() {
        oauth[key] = value.clone();
    }
    json!({"oauth": oauth})
}

fn bearer(spec: ToolSpec, url: &str) -> ToolSpec {
    let security = json!([[{"scheme": "o", "kind": "o-auth2"}]]);
    let security = serde_json::from_value(security).unwrap();
    at(
        with_binding(spec, |binding| binding.security = security),
        url,
    )
}

async fn call(view: &ScopedToolView) -> Result<Value, ToolError> {
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

fn tokens(service: &Service) -> Vec<String> {
    let seen = service.seen();
    let tokens = seen.iter().map(|seen| seen.header("authorization"));
    tokens.map(|token| token.unwrap().to_owned()).collect()
}

async fn unavailable(view: &ScopedToolView) -> CredentialsError {
    match call(view).await {
        Err(ToolError::Credentials(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_token_is_obtained_once_and_used_until_it_ends() {
    for (lifetime, expected) in [
        (3600, ["Bearer token-1", "Bearer token-1"]),
        (0, ["Bearer token-1", "Bearer token-2"]),
    ] {
        let (server, service) = (
            authorization_server(lifetime).await,
            Service::json(200, json!({})).await,
        );
        let (_folder, credentials) = auth_file(&client(&server, json!({"scope": "items:read"})));
        let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
        call(&view).await.unwrap();
        call(&view).await.unwrap();
        assert_eq!(tokens(&service), expected);
        let asked = &server.seen()[0];
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.target, "/token");
        assert_eq!(
            asked.text(),
            "grant_type=client_credentials&scope=items%3Aread"
        );
        // The identifier and the secret are encoded before they are joined (RFC 6749, 2.3.1).
        assert_eq!(
            asked.header("authorization"),
            Some("Basic dG9vbHdyaWdodDpzM2NyM3Qtb2YtdGhlLWNsaWVudCUyRiUyQg==")
        );
    }
}

#[tokio::test]
async fn the_secret_can_be_in_the_body() {
    let (server, service) = (
        authorization_server(60).await,
        Service::json(200, json!({})).await,
    );
    let more = json!({"client_authentication": "post", "audience": "depot", "resource": "urn:d"});
    let (_folder, credentials) = auth_file(&client(&server, more));
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    call(&view).await.unwrap();
    let asked = server.one();
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(
        asked.text(),
        "grant_type=client_credentials&audience=depot&resource=urn%3Ad\
         &client_id=toolwright&client_secret=s3cr3t-of-the-client%2F%2B"
    );
}

#[tokio::test]
async fn calls_that_begin_together_share_one_token() {
    let (server, service) = (
        authorization_server(3600).await,
        Service::json(200, json!({})).await,
    );
    let (_folder, credentials) = auth_file(&client(&server, json!({})));
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let view = view.clone();
            tokio::spawn(async move { call(&view).await })
        })
        .collect();
    for called in calls {
        called.await.unwrap().unwrap();
    }
    assert_eq!(server.seen().len(), 1);
    assert_eq!(tokens(&service), vec!["Bearer token-1"; 50]);
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let accepted = Arc::new(Mutex::new("token-1".to_owned()));
    let (server, service) = (authorization_server(3600).await, guarded(&accepted).await);
    let (_folder, credentials) = auth_file(&client(&server, json!({})));
    let registry = builder(&Arc::default())
        .credentials(credentials)
        .specs([get_item(), create_item()].map(|spec| bearer(spec, &service.url)))
        .enable("*")
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    call(&view).await.unwrap();
    "token-2".clone_into(&mut accepted.lock().unwrap());
    call(&view).await.unwrap();
    let last = ["Bearer token-1", "Bearer token-1", "Bearer token-2"];
    assert_eq!(tokens(&service), last);
    // A token that was obtained for the call is not replaced, and no third request is made.
    "token-0".clone_into(&mut accepted.lock().unwrap());
    let error = call(&view).await.unwrap_err();
    assert_eq!(error.status(), Some(401));
    assert_eq!(tokens(&service)[3..], ["Bearer token-2", "Bearer token-3"]);
    let detail = error.detail().unwrap();
    assert!(
        detail.contains("the call was authenticated with"),
        "{detail}"
    );
    assert!(detail.contains(&format!("the token was issued by `{}/token`", server.url)));
    assert!(detail.contains("admin-auth.json"), "{detail}");
}

#[tokio::test]
async fn a_changing_request_that_was_redirected_is_not_repeated() {
    let (server, requests) = (
        authorization_server(3600).await,
        Arc::new(AtomicUsize::new(0)),
    );
    let counted = Arc::clone(&requests);
    let service = Service::start(move |seen: Seen| {
        let is_post = seen.method == "POST";
        let first = is_post && counted.fetch_add(1, Ordering::SeqCst) == 0;
        let answered: Response = match (first, is_post) {
            (true, _) => answer(201, "application/json", "{}"),
            (false, true) => redirect(303, "/items/1"),
            (false, false) => answer(401, "application/json", "{}"),
        };
        async move { answered }
    })
    .await;
    let (_folder, credentials) = auth_file(&client(&server, json!({})));
    let mut spec = bearer(create_item(), &service.url);
    spec.approval_required = false;
    let (view, _) = view_of(spec, credentials);
    let create = || view.call_json("create-depot-item", json!({"name": "bolt"}));
    create().await.unwrap();
    assert_eq!(create().await.unwrap_err().status(), Some(401));
    assert_eq!(requests.load(Ordering::SeqCst), 2, "one POST for each call");
}

#[tokio::test]
async fn a_new_refresh_token_replaces_the_old_one_in_its_private_file() {
    let (server, service) = (
        authorization_server(0).await,
        Service::json(200, json!({})).await,
    );
    let more = json!({"grant": "refresh_token", "refresh_token_file": "refresh.txt"});
    let (folder, credentials) = auth_file(&client(&server, more));
    let file = folder.path().join("refresh.txt");
    private::write(&file, "refresh-0\n").unwrap();
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    call(&view).await.unwrap();
    call(&view).await.unwrap();
    let asked: Vec<_> = server.seen().iter().map(Seen::text).collect();
    assert_eq!(
        asked,
        [
            "grant_type=refresh_token&refresh_token=refresh-0",
            "grant_type=refresh_token&refresh_token=refresh-1"
        ]
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "refresh-2");
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let error = unavailable(&view).await;
    assert_eq!(error.code(), "token_unavailable");
    assert!(error.detail().contains("refresh.txt"), "{}", error.detail());
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn the_token_of_a_subject_is_exchanged_and_its_rotation_is_noticed() {
    let (server, service) = (
        authorization_server(3600).await,
        Service::json(200, json!({})).await,
    );
    let more = json!({"grant": "token_exchange", "subject_token_file": "subject.txt",
                      "subject_token_type": "urn:ietf:params:oauth:token-type:jwt"});
    let (folder, credentials) = auth_file(&client(&server, more));
    let file = folder.path().join("subject.txt");
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    for subject in ["subject-a", "subject-a", "subject-b"] {
        private::write(&file, subject).unwrap();
        call(&view).await.unwrap();
    }
    let asked: Vec<_> = server.seen().iter().map(Seen::text).collect();
    let body = |subject: &str| {
        format!(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange\
             &subject_token={subject}\
             &subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt"
        )
    };
    assert_eq!(asked, [body("subject-a"), body("subject-b")]);
}

#[tokio::test]
async fn a_refusal_of_the_server_shows_no_secret() {
    let server = Service::start(|seen: Seen| {
        let echo = format!("{} {SECRET}", seen.header("authorization").unwrap());
        let body = json!({"error": "invalid_client", "error_description": echo});
        async move { answer(400, "application/json", body.to_string()) }
    })
    .await;
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&client(&server, json!({})));
    let (view, audit) = view_of(bearer(get_item(), &service.url), credentials);
    let error = unavailable(&view).await;
    assert_eq!(
        error.to_string(),
        "no access token for the service `depot` could be obtained"
    );
    let detail = error.detail();
    assert!(
        detail.contains("it answered 400: invalid_client"),
        "{detail}"
    );
    let everything = format!("{error:?} {detail} {:?}", audit.events());
    for secret in [SECRET, "dG9vbHdyaWdodDpz"] {
        assert!(!everything.contains(secret), "{everything}");
    }
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn unusable_answers_of_the_server_are_faults() {
    for (status, body, problem) in [
        (200, "hello", "it answered 200 without JSON"),
        (500, "{}", "it answered 500: no reason"),
        (200, "{}", "its answer has no `access_token`"),
        (
            200,
            r#"{"access_token": "t", "token_type": "DPoP"}"#,
            "the token that it issued is not a bearer token",
        ),
        (
            200,
            "{\"access_token\": \"t\\n\", \"token_type\": \"bearer\"}",
            "its `access_token` contains a character that tokens cannot contain",
        ),
    ] {
        let server =
            Service::start(move |_| async move { answer(status, "application/json", body) }).await;
        let service = Service::json(200, json!({})).await;
        let (_folder, credentials) = auth_file(&client(&server, json!({})));
        let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
        let detail = unavailable(&view).await.detail();
        assert!(detail.ends_with(problem), "{detail}");
    }
}

#[tokio::test]
async fn the_secret_is_sent_only_to_permitted_targets() {
    let service = Service::json(200, json!({})).await;
    let mut auth = json!({"oauth": {
        "grant": "client_credentials", "token_url": "http://login.example/token",
        "client_id": "toolwright", "client_secret": SECRET,
    }});
    auth["base_url"] = json!(service.url);
    let (_folder, credentials) = auth_file(&auth);
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    assert_eq!(unavailable(&view).await.code(), "target_refused");
}

#[tokio::test]
async fn an_auth_file_of_a_project_cannot_send_a_file_from_elsewhere() {
    let (server, service) = (
        authorization_server(3600).await,
        Service::json(200, json!({})).await,
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("id_ed25519");
    private::write(&secret, "hunter2").unwrap();
    let more = json!({"grant": "token_exchange", "subject_token_file": secret});
    let auth = client(&server, more);
    let (folder, credentials) = auth_file(&auth);
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    let detail = unavailable(&view).await.detail();
    assert!(
        detail.contains("leads out of the project's folder"),
        "{detail}"
    );
    std::os::unix::fs::symlink(&secret, folder.path().join("link")).unwrap();
    let linked = client(
        &server,
        json!({"grant": "token_exchange", "subject_token_file": "link"}),
    );
    let file = folder.path().join(".local/depot/admin-auth.json");
    private::write(&file, linked.to_string()).unwrap();
    let detail = unavailable(&view).await.detail();
    assert!(
        detail.contains("leads out of the project's folder"),
        "{detail}"
    );
    assert!(server.seen().is_empty());

    // The user may name both.
    private::write(&file, auth.to_string()).unwrap();
    let named = [("TOOLWRIGHT_DEPOT_AUTH_FILE", file.display().to_string())];
    let credentials = Credentials::new(folder.path()).with_variables(variables(&named));
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    call(&view).await.unwrap();
}

#[tokio::test]
async fn all_faults_of_the_settings_are_reported_without_values() {
    let service = Service::json(200, json!({})).await;
    let (_folder, credentials) = auth_file(&json!({"oauth": {
        "grant": "password", "token_url": "ftp://hunter2", "client_secert": "hunter3", "scope": 3,
        "client_authentication": "jwt",
    }}));
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    let detail = unavailable(&view).await.detail();
    for problem in [
        "`oauth` has the unknown key `client_secert`; did you mean `client_secret`?",
        "`oauth` at `scope` is not a string",
        "`oauth` has no `grant` out of `client_credentials`, `refresh_token`, `token_exchange`, `authorization_code`",
        "`oauth` at `token_url` is not the URL of a token endpoint",
        "`oauth` at `client_authentication` is neither `basic` nor `post`",
        "`oauth` has no `client_id`",
    ] {
        assert!(detail.contains(problem), "{detail}");
    }
    assert!(!detail.contains("hunter"), "{detail}");
}

#[tokio::test]
async fn a_plan_and_a_check_obtain_no_token() {
    let (server, service) = (
        authorization_server(3600).await,
        Service::json(200, json!({})).await,
    );
    let (_folder, credentials) = auth_file(&client(&server, json!({})));
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    let plan = view.plan("get-depot-item", json!({"id": "1"})).await;
    let headers = plan.unwrap().request.unwrap().headers;
    let expected = ("Authorization".to_owned(), "Bearer [redacted]".to_owned());
    assert!(headers.contains(&expected), "{headers:?}");
    let name = "get-depot-item".parse().unwrap();
    let access = view.check_access(&name).unwrap().unwrap();
    assert_eq!(access.token_endpoint, Some(format!("{}/token", server.url)));
    assert!(access.file.unwrap().ends_with("admin-auth.json"));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn accounts_do_not_share_tokens() {
    let (server, service) = (
        authorization_server(3600).await,
        Service::json(200, json!({})).await,
    );
    let (folder, credentials) = auth_file(&client(&server, json!({})));
    let own = folder.path().join(".local/depot/clerk-auth.json");
    private::write(&own, client(&server, json!({})).to_string()).unwrap();
    let registry = registry_of_two(credentials, bearer(get_item(), &service.url));
    for name in ["reader", "clerk", "reader"] {
        call(&registry.for_agent(&role(name))).await.unwrap();
    }
    assert_eq!(
        tokens(&service),
        ["Bearer token-1", "Bearer token-2", "Bearer token-1"]
    );
}

/// A registry in which the role `clerk` has an account of its own.
fn registry_of_two(credentials: Credentials, spec: ToolSpec) -> Registry {
    let config = r#"
        [roles.reader]
        grant = ["*"]
        [roles.clerk]
        grant = ["*"]
        credentials = "clerk"
    "#;
    let path = std::path::Path::new("toolwright.toml");
    let config = toolwright::config::Config::parse(path, config).unwrap();
    builder(&Arc::new(MemoryAudit::new()))
        .credentials(credentials)
        .specs([spec])
        .config(config)
        .build()
        .unwrap()
}

/// A server that issues a token which names the subject, and a service that answers with its token.
async fn exchange() -> (Service, Service) {
    let server = Service::start(|seen: Seen| async move {
        let text = seen.text();
        let subject = text.split("subject_token=").nth(1).unwrap().split('&').next().unwrap();
        let body = json!({"access_token": format!("for-{subject}"), "token_type": "Bearer", "expires_in": 3600});
        answer(200, "application/json", body.to_string())
    })
    .await;
    let service = Service::start(|seen: Seen| async move {
        let token = seen.header("authorization").unwrap().len();
        answer(200, "application/json", token.to_string())
    })
    .await;
    (server, service)
}

#[tokio::test]
async fn the_token_of_each_caller_is_exchanged_and_reaches_no_other_one() {
    let (server, service) = exchange().await;
    let more = json!({"grant": "token_exchange", "subject": "caller"});
    let (_folder, credentials) = auth_file(&client(&server, more));
    let (view, audit) = view_of(bearer(get_item(), &service.url), credentials);
    let calls = (0..60).map(|number| {
        let view = view.clone().on_behalf_of(format!("caller-{}", number % 3));
        tokio::spawn(async move { call(&view).await })
    });
    for called in calls.collect::<Vec<_>>() {
        called.await.unwrap().unwrap();
    }
    let mut sent = tokens(&service);
    sent.sort();
    let expected: Vec<_> = (0..3)
        .flat_map(|caller| vec![format!("Bearer for-caller-{caller}"); 20])
        .collect();
    assert_eq!(sent, expected);
    assert_eq!(server.seen().len(), 3, "one exchange for each caller");
    assert!(!format!("{:?}", audit.events()).contains("caller-"));
    // Without a token, nothing is asked and nothing is sent.
    let error = unavailable(&view).await;
    assert_eq!(error.code(), "credentials_missing");
    assert_eq!((server.seen().len(), service.seen().len()), (3, 60));
    // A tool that calls others does so for the same caller.
    assert!(!format!("{:?}", view.on_behalf_of("caller-9")).contains("caller-9"));
}

#[tokio::test]
async fn the_token_of_a_caller_is_removed_from_what_leaves_the_call() {
    let server = Service::start(|seen: Seen| async move {
        answer(
            400,
            "application/json",
            json!({"error": "invalid_request", "error_description": seen.text()}).to_string(),
        )
    })
    .await;
    let service = Service::json(200, json!({})).await;
    let more = json!({"grant": "token_exchange", "subject": "caller"});
    let (_folder, credentials) = auth_file(&client(&server, more));
    let (view, audit) = view_of(bearer(get_item(), &service.url), credentials);
    let error = unavailable(&view.on_behalf_of("t0ken-of-the-caller")).await;
    let shown = format!("{error:?} {} {:?}", error.detail(), audit.events());
    assert!(!shown.contains("t0ken-of-the-caller"), "{shown}");
    assert!(shown.contains("invalid_request"), "{shown}");
}

#[test]
fn a_subject_is_the_caller_or_a_file() {
    for more in [
        json!({"grant": "client_credentials", "subject": "caller"}),
        json!({"grant": "token_exchange", "subject": "agent"}),
        json!({"grant": "token_exchange", "subject": "caller", "subject_token_file": "x"}),
        json!({"grant": "refresh_token", "subject": "caller", "refresh_token_file": "x"}),
    ] {
        let mut oauth = json!({"token_url": "https://login.example/t", "client_id": "c"});
        oauth
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let (_folder, credentials) = auth_file(&json!({"oauth": oauth}));
        let service = "depot".parse().unwrap();
        let needs = toolwright_model::ServiceCredentials::default();
        let report = credentials.report(&service, None, &needs);
        assert!(report.unwrap_err().to_string().contains("depot"), "{more}");
    }
}

#[tokio::test]
async fn a_client_that_signs_people_in_obtains_no_token_for_calls() {
    let server = Service::json(200, json!({})).await;
    let service = Service::json(200, json!({})).await;
    let more = json!({"grant": "authorization_code"});
    let (_folder, credentials) = auth_file(&client(&server, more));
    let (view, _) = view_of(bearer(get_item(), &service.url), credentials);
    let error = unavailable(&view).await;
    assert!(
        error.detail().contains("signs people in"),
        "{}",
        error.detail()
    );
    assert!(server.seen().is_empty() && service.seen().is_empty());
}
