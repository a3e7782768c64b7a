//! Authentication: the form that a call uses, and the explanation of a refusal.

use axum::response::Response;
use serde_json::{Value, json};
use toolwright::{
    Credentials, ToolError, ToolSpec,
    binding::{Binding, CredentialKey, ServiceCredentials},
};

use crate::support::{
    Seen, Service, answer, at, auth_file, get_item, no_credentials, view_of, with_binding,
};

fn part(scheme: &str, kind: &Value) -> Value {
    json!({"scheme": scheme, "kind": kind})
}

fn key(scheme: &str, location: &str, name: &str) -> Value {
    let kind = json!({"api-key": {"location": location, "name": name}});
    part(scheme, &kind)
}

/// A session cookie, a key in the query, a key in a header, and Basic, in this order.
fn four_ways() -> Value {
    json!([
        [key("session", "cookie", "sessionid")],
        [key("link", "query", "key")],
        [key("token", "header", "Authorization")],
        [part("login", &json!("basic"))],
    ])
}

fn with_security(url: &str, security: &Value) -> ToolSpec {
    let security = serde_json::from_value(security.clone()).unwrap();
    with_binding(at(get_item(), url), |binding| binding.security = security)
}

/// A service that accepts nothing but the key in the header, like one that takes cookies from
/// browsers only.
async fn service() -> Service {
    Service::start(|seen: Seen| async move { judge(&seen) }).await
}

fn judge(seen: &Seen) -> Response {
    match seen.header("authorization") {
        Some("Token 0123456789") => answer(200, "application/json", "{}"),
        Some(other) => {
            let other = other.strip_prefix("Token ").unwrap_or(other);
            let problem = json!({"detail": format!("`{other}` is not valid here")});
            answer(403, "application/json", problem.to_string())
        }
        None => answer(401, "application/json", r#"{"detail": "log in"}"#),
    }
}

async fn call(security: &Value, credentials: Credentials) -> (Result<Value, ToolError>, Vec<Seen>) {
    let service = service().await;
    let (view, _) = view_of(with_security(&service.url, security), credentials);
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    (output.map(|output| output.value), service.seen())
}

#[tokio::test]
async fn a_header_is_preferred_to_the_query_and_the_query_to_a_cookie() {
    let (_folder, credentials) = auth_file(&json!({"api_token": "Token 0123456789"}));
    let (result, seen) = call(&four_ways(), credentials).await;
    result.unwrap();
    assert_eq!(seen[0].header("authorization"), Some("Token 0123456789"));
    assert_eq!(seen[0].header("cookie"), None);
    assert_eq!(seen[0].target, "/items/1");

    for (auth, header, target) in [
        (
            json!({"api_keys": {"link": "k", "session": "s"}}),
            None,
            "/items/1?key=k",
        ),
        (
            json!({"api_keys": {"session": "s"}}),
            Some("sessionid=s"),
            "/items/1",
        ),
    ] {
        let (_folder, credentials) = auth_file(&auth);
        let (_, seen) = call(&four_ways(), credentials).await;
        assert_eq!(seen[0].header("cookie"), header, "{auth}");
        assert_eq!(seen[0].target, target, "{auth}");
        assert_eq!(seen[0].header("authorization"), None, "{auth}");
    }
}

#[tokio::test]
async fn a_key_is_sent_after_the_word_of_its_scheme() {
    let kind =
        json!({"api-key": {"location": "header", "name": "Authorization", "prefix": "Token"}});
    let security = json!([[part("token", &kind)]]);
    let (_folder, credentials) = auth_file(&json!({"api_token": "0123456789"}));
    let (result, seen) = call(&security, credentials).await;
    result.unwrap();
    assert_eq!(seen[0].header("authorization"), Some("Token 0123456789"));
    let (result, _) = call(&security, no_credentials()).await;
    let message = result.unwrap_err().to_string();
    let words = "`api_token` (API key in the header `Authorization` after `Token`)";
    assert!(message.contains(words), "{message}");
}

#[tokio::test]
async fn alternatives_in_headers_are_tried_in_the_order_of_the_document() {
    let both = json!({"api_token": "t", "username": "ann", "password": "hunter2hunter2"});
    let (bearer, basic) = (part("b", &json!("bearer")), part("l", &json!("basic")));
    for (security, scheme) in [
        (json!([[bearer.clone()], [basic.clone()]]), "Bearer"),
        (json!([[basic.clone()], [bearer.clone()]]), "Basic"),
        // An alternative is as good as its least preferred part.
        (
            json!([[basic, key("c", "cookie", "c")], [bearer]]),
            "Bearer",
        ),
    ] {
        let (_folder, credentials) = auth_file(&both);
        let (_, seen) = call(&security, credentials).await;
        let sent = seen[0].header("authorization").unwrap();
        assert!(sent.starts_with(scheme), "{security}: {sent}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_was_tried_and_what_else_the_auth_file_could_hold() {
    let all_but_basic = "the call was authenticated with `api_token` (API key in the header `Authorization`); \
        to authenticate in another way, the auth file needs `username` and `password` (HTTP Basic); \
        the auth file also satisfies `api_token` (API key in the cookie `sessionid`) and \
        `api_token` (API key in the query `key`)";
    let undeclared = "the call was sent without credentials; to authenticate in another way, the auth file \
        needs `api_token` (bearer token), or `username` and `password` (HTTP Basic)";
    let none_declared = "the call was sent without credentials; the specification declares that the operation \
        needs none: if it needs some, declare them with `security` in the overlay";
    let optional = json!([[part("login", &json!("basic"))], []]);
    let login_or_none = "the call was sent without credentials; to authenticate in another way, the auth file \
        needs `username` and `password` (HTTP Basic)";
    let login = "the call was authenticated with `username` and `password` (HTTP Basic)";
    let token = json!({"api_token": "Token 9876543210"});
    let ann = json!({"username": "ann", "password": "hunter2hunter2"});
    for (security, auth, status, detail) in [
        (four_ways(), &token, 403, all_but_basic),
        (json!([]), &json!({"x": 1}), 401, undeclared),
        (json!([[]]), &token, 401, none_declared),
        (optional.clone(), &token, 401, login_or_none),
        (optional, &ann, 403, login),
    ] {
        let (folder, credentials) = auth_file(auth);
        let (result, _) = call(&security, credentials).await;
        let error = result.unwrap_err();
        assert_eq!(error.status(), Some(status), "{security}");
        let file = folder.path().join(".local/depot/admin-auth.json");
        let detail = match detail.starts_with("the call was authenticated") {
            true => format!(
                "{detail}; the credentials are those in `{}`",
                file.display()
            ),
            false => detail.to_owned(),
        };
        assert_eq!(error.detail().as_deref(), Some(&*detail), "{security}");
        assert!(!error.to_string().contains("auth file"), "{error}");
        let everything = format!("{error} {error:?} {}", error.to_json());
        for secret in ["9876543210", "hunter2hunter2"] {
            assert!(!everything.contains(secret), "{everything}");
        }
    }
}

#[tokio::test]
async fn other_errors_do_not_speak_of_authentication() {
    let service = Service::json(404, json!({"message": "no such item"})).await;
    let (view, _) = view_of(with_security(&service.url, &json!([[]])), no_credentials());
    let error = view.call_json("get-depot-item", json!({"id": "1"})).await;
    assert_eq!(error.unwrap_err().detail(), None);
}

#[test]
fn credentials_are_compared_with_the_needs_of_a_service() {
    let mut spec = with_security("http://127.0.0.1:1", &four_ways());
    if let Binding::Http(binding) = &mut spec.binding {
        binding.base_url = None;
        binding.parameters[1].value = serde_json::from_value(json!({"constant": "limit"})).unwrap();
    }
    let needs = ServiceCredentials::for_tools([&spec]);
    let (folder, credentials) = auth_file(&json!({"api_token": "t"}));
    let report = credentials.report(&spec.service, None, &needs).unwrap();
    let file = folder.path().canonicalize().unwrap();
    let file = file.join(".local/depot/admin-auth.json");
    assert_eq!(report.file.as_deref(), file.to_str());
    assert_eq!(report.missing_constants, ["limit"]);
    assert!(report.lacks_base_url);
    let authentication = &report.authentication[0];
    assert!(authentication.is_declared);
    let used = authentication.used().unwrap();
    assert_eq!(used.requirements[0].scheme, "token");
    let missing = authentication
        .alternatives
        .iter()
        .map(|one| one.missing.as_slice());
    let basic = [CredentialKey::UserAndPassword];
    assert_eq!(missing.collect::<Vec<_>>(), [&[][..], &[], &[], &basic]);

    let report = no_credentials()
        .report(&spec.service, None, &needs)
        .unwrap();
    assert_eq!((report.file, report.looked_for.len()), (None, 4));
    assert!(report.authentication[0].used().is_none());

    let (_folder, broken) = auth_file(&json!({"api_tokn": "hunter2"}));
    let error = broken.report(&spec.service, None, &needs).unwrap_err();
    assert_eq!(error.code(), "credentials_invalid");
}

/// A document can name any header for the credentials. In one of the transfer, a secret of digits would decide
/// where the request ends.
#[tokio::test]
async fn credentials_are_never_in_a_header_of_the_transfer() {
    for header in ["Content-Length", "transfer-encoding", "Connection", "Host"] {
        let security = json!([[key("token", "header", header)]]);
        let (_folder, credentials) = auth_file(&json!({"api_token": "0123456789"}));
        let (result, seen) = call(&security, credentials).await;
        let error = result.unwrap_err();
        assert_eq!(error.code(), "unsendable", "{header}: {error}");
        assert!(seen.is_empty(), "{header}");
    }
}

#[tokio::test]
async fn a_url_that_is_too_long_is_not_sent() {
    let service = service().await;
    let spec = at(get_item(), &service.url);
    let (view, _) = view_of(spec, no_credentials());
    let id = "x".repeat(70_000);
    let error = view.call_json("get-depot-item", json!({"id": id})).await;
    let error = error.unwrap_err();
    assert_eq!(error.code(), "unsendable", "{error}");
    assert!(service.seen().is_empty());
}
