//! Access tokens of an authorization server, real and forged. The issuer is a server of the test that
//! publishes its keys.
#![cfg(test)]

mod issuer;

use std::{
    sync::{Arc, Mutex, atomic::Ordering},
    time::Duration,
};

use axum::{
    Json, Router,
    http::HeaderMap,
    routing::{get, post},
};
use issuer::{Key, Login, encoded, message};
use reqwest::Response;
use ring::{
    hmac,
    signature::{ECDSA_P384_SHA384_FIXED_SIGNING, KeyPair as _},
};
use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, ToolSpec,
    audit::MemoryAudit,
    config::OauthConfig,
    credentials::{CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials},
    jiff::Timestamp,
};
use toolwright_mcp::{Access, Holders, HttpLimits, Issuer, Server, Shutdown};

/// The issuer that tokens name. Its keys are at another URL.
const ISSUER: &str = "https://login.example";

/// A server that accepts the tokens of an issuer.
struct Desk {
    login: Login,
    key: Key,
    url: String,
    audit: Arc<MemoryAudit>,
}

impl Desk {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(configure: impl FnOnce(&mut OauthConfig)) -> Self {
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .role("reader")
            .role("writer")
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        let desk = Self::of(registry, configure).await;
        Self { audit, ..desk }
    }

    async fn of(registry: Registry, configure: impl FnOnce(&mut OauthConfig)) -> Self {
        let (login, key) = (Login::default(), Key::new("first"));
        login.publish(&[&key]);
        let mut config = OauthConfig::new(ISSUER, login.start().await);
        let role = |name: &str| name.parse().unwrap();
        config.roles = vec![
            ("tools:write".to_owned(), role("writer")),
            ("tools:read".to_owned(), role("reader")),
            ("tools:old".to_owned(), role("retired")),
        ];
        config.workspace_claim = Some("team".to_owned());
        configure(&mut config);
        let access = Access::Holders(Holders::default().with_issuer(Issuer::new(&config)));
        let server = Server::of_each_role(&registry);
        let server = server
            .bind_http(0, access, HttpLimits::default())
            .await
            .unwrap();
        let url = server.url();
        let (_, shutdown) = Shutdown::on_request();
        tokio::spawn(server.serve(shutdown));
        Self {
            login,
            key,
            url,
            audit: Arc::default(),
        }
    }

    /// The claims of a token for this server.
    fn claims(&self) -> Value {
        let now = Timestamp::now().as_second();
        json!({"iss": ISSUER, "aud": self.url, "exp": now + 600, "iat": now, "nbf": now,
               "sub": "ann", "client_id": "desk", "scope": "openid tools:read"})
    }

    fn claims_with(&self, claim: &str, value: Value) -> Value {
        let mut claims = self.claims();
        claims[claim] = value;
        claims
    }

    async fn ask(&self, token: &str) -> Response {
        ask(&self.url, Some(token), None, "tools/list").await
    }

    async fn status(&self, token: &str) -> u16 {
        self.ask(token).await.status().as_u16()
    }
}

/// Makes one request of a client, with a session or without.
async fn ask(url: &str, token: Option<&str>, session: Option<&str>, method: &str) -> Response {
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A connection for each request: the tests move the clock.
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(0)
        .build()
        .unwrap();
    let (method, name) = method.split_once(' ').unwrap_or((method, ""));
    let mut params = json!({});
    if !name.is_empty() {
        params["name"] = name.into();
    }
    let is_modern = session.is_none() && method != "initialize";
    if is_modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    if method == "initialize" {
        params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                        "clientInfo": {"name": "test", "version": "1"}});
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut request = client
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(body.to_string());
    if is_modern {
        request = request
            .header("mcp-method", method)
            .header("mcp-protocol-version", "2026-07-28");
    }
    if is_modern && !name.is_empty() {
        request = request.header("mcp-name", name);
    }
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    request.send().await.unwrap()
}

/// Moves the clock of the runtime, not that of the tokens.
async fn advance(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

/// Credentials that exchange the token of the caller.
struct Exchanging(String);

impl CredentialSource for Exchanging {
    fn read(&self, _: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let auth = json!({"base_url": self.0, "oauth": {
            "grant": "token_exchange", "subject": "caller", "client_id": "toolwright",
            "token_url": format!("{}/token", self.0)}});
        let found = SourcedCredentials::auth_file("the test", auth.to_string());
        Ok(Sourced::found(found))
    }
}

/// A server that exchanges tokens, and is also the service that accepts them. It keeps what it receives.
async fn exchange() -> (String, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (asked, called) = (Arc::clone(&seen), Arc::clone(&seen));
    let token = move |body: String| async move {
        asked.lock().unwrap().push(body);
        let issued = json!({"access_token": "issued", "token_type": "Bearer", "expires_in": 600});
        Json(issued)
    };
    let item = move |headers: HeaderMap| async move {
        let token = headers["authorization"].to_str().unwrap().to_owned();
        called.lock().unwrap().push(token);
        Json(json!({}))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new()
        .route("/token", post(token))
        .route("/item", get(item));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, seen)
}

fn get_item() -> ToolSpec {
    let spec = json!({
        "name": "get-depot-item", "service": "depot", "title": "t", "short": "t", "description": "t",
        "section": "t", "category": "observe", "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": true},
        "enabled_by_default": true, "input_schema": {"type": "object"},
        "binding": {"http": {"method": "GET", "path": "/item",
            "security": [[{"scheme": "o", "kind": "o-auth2"}]],
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}]}},
        "origin": {"document": "t", "pointer": "/"}, "evidence": [],
    });
    serde_json::from_value(spec).unwrap()
}

#[tokio::test]
async fn the_access_token_of_the_caller_is_exchanged_and_never_passed_on() {
    let (service, seen) = exchange().await;
    let depot = "depot".parse().unwrap();
    let registry = Registry::builder()
        .specs([get_item()])
        .credentials(Credentials::none().with_source(depot, Exchanging(service)))
        .grant("reader", "*")
        .audit(MemoryAudit::new());
    let desk = Desk::of(registry.role("writer").build().unwrap(), |_| {}).await;
    let token = desk.key.sign(&desk.claims());
    let answer = ask(&desk.url, Some(&token), None, "tools/call get-depot-item").await;
    let answer = answer.text().await.unwrap();
    assert!(answer.contains("\"isError\":false"), "{answer}");
    let seen = seen.lock().unwrap();
    let [asked, called] = seen.as_slice() else {
        panic!("{seen:?}");
    };
    assert!(asked.contains(&format!("subject_token={token}")), "{asked}");
    assert_eq!(called, "Bearer issued");
}

#[tokio::test]
async fn a_token_for_this_server_has_the_role_of_its_scope() {
    let desk = Desk::new().await;
    for (scope, status) in [
        ("tools:read", 200),
        ("openid tools:write tools:read", 200),
        ("openid", 403),
        ("tools:readx", 403),
        ("", 403),
        // The role is not declared.
        ("tools:old", 403),
    ] {
        let token = desk.key.sign(&desk.claims_with("scope", json!(scope)));
        assert_eq!(desk.status(&token).await, status, "{scope}");
    }
    let aud = json!(["https://other.example", desk.url]);
    let several = desk.key.sign(&desk.claims_with("aud", aud));
    assert_eq!(desk.status(&several).await, 200);
    for typ in [json!("JWT"), json!("application/at+jwt"), Value::Null] {
        let mut header = desk.key.header();
        header["typ"] = typ;
        let token = desk.key.sign_with(&header, &desk.claims());
        assert_eq!(desk.status(&token).await, 200, "{header}");
    }
}

#[tokio::test]
async fn a_list_of_another_claim_decides_the_role() {
    let desk = Desk::with(|config| config.claim = "groups".to_owned()).await;
    let token = |groups: Value| desk.key.sign(&desk.claims_with("groups", groups));
    assert_eq!(desk.status(&token(json!(["x", "tools:read"]))).await, 200);
    assert_eq!(desk.status(&token(json!("tools:read"))).await, 200);
    for none in [
        json!({"tools:read": true}),
        json!([["tools:read"]]),
        json!(7),
    ] {
        assert_eq!(desk.status(&token(none)).await, 403);
    }
    assert_eq!(desk.status(&desk.key.sign(&desk.claims())).await, 403);
}

#[tokio::test]
async fn a_forged_or_misdirected_token_is_refused() {
    let desk = Desk::new().await;
    let claims = desk.claims();
    assert_eq!(desk.status(&desk.key.sign(&claims)).await, 200);
    let now = Timestamp::now().as_second();
    for (claim, value) in [
        ("iss", json!("https://evil.example")),
        ("iss", json!(format!("{ISSUER}/"))),
        ("iss", Value::Null),
        ("aud", json!("https://other.example/mcp")),
        ("aud", json!(["https://other.example/mcp"])),
        ("aud", json!([])),
        ("aud", json!({})),
        ("aud", Value::Null),
        ("exp", json!(now - 60)),
        ("exp", json!(0)),
        ("exp", json!("9999999999")),
        ("exp", json!(-1)),
        ("exp", Value::Null),
        ("nbf", json!(now + 120)),
        ("nbf", json!("soon")),
    ] {
        let token = desk.key.sign(&desk.claims_with(claim, value.clone()));
        assert_eq!(desk.status(&token).await, 401, "{claim}: {value}");
    }

    let other = Key::new("first");
    let unknown = Key::new("second");
    let (header, signed) = (desk.key.header(), desk.key.sign(&claims));
    let (unsigned, signature) = signed.rsplit_once('.').unwrap();
    let header_with = |key: &str, value: Value| {
        let mut header = header.clone();
        header[key] = value;
        header
    };
    let more = message(&header, &desk.claims_with("scope", json!("tools:write")));
    let hs256 = message(&header_with("alg", json!("HS256")), &claims);
    let public = desk.key.public();
    let secrets = [
        desk.key.pair.public_key().as_ref().to_vec(),
        public["x"].as_str().unwrap().into(),
        public.to_string().into_bytes(),
        Vec::new(),
    ];
    let mut forged = secrets
        .map(|secret| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, &secret);
            format!(
                "{hs256}.{}",
                encoded(hmac::sign(&key, hs256.as_bytes()).as_ref())
            )
        })
        .to_vec();
    for none in ["none", "None", "nOnE", ""] {
        let message = message(&header_with("alg", json!(none)), &claims);
        forged.extend([format!("{message}."), format!("{message}.{signature}")]);
    }
    forged.extend([
        other.sign(&claims),
        unknown.sign(&claims),
        format!("{more}.{signature}"),
        format!("{unsigned}."),
        format!("{unsigned}.{}", encoded(&[0; 64])),
        unsigned.to_owned(),
        format!("{signed}.{signature}"),
        format!("{signed}A"),
        desk.key
            .sign_with(&header_with("crit", json!(["exp"])), &claims),
        desk.key
            .sign_with(&header_with("typ", json!("dpop+jwt")), &claims),
        desk.key
            .sign_with(&header_with("typ", json!("logout+jwt")), &claims),
        desk.key
            .sign_with(&header_with("kid", json!("other")), &claims),
        // The key in the token, or where the token says, is none of the issuer's.
        other.sign_with(&header_with("jwk", other.public()), &claims),
        other.sign_with(
            &header_with("jku", json!("http://127.0.0.1:9/jwks")),
            &claims,
        ),
        desk.key
            .sign(&desk.claims_with("pad", json!("x".repeat(20_000)))),
        "a.b.c".to_owned(),
        "..".to_owned(),
    ]);
    for token in forged {
        assert_eq!(desk.status(&token).await, 401, "{token}");
    }
}

#[tokio::test]
async fn an_algorithm_or_a_key_for_another_use_is_refused() {
    let desk = Desk::new().await;
    let p384 = Key::with("p384", &ECDSA_P384_SHA384_FIXED_SIGNING, "P-384", "ES384");
    let secret = json!({"kty": "oct", "kid": "secret", "alg": "HS256", "k": encoded(b"secret")});
    let mut encrypting = desk.key.public();
    encrypting["kid"] = json!("encrypting");
    encrypting["use"] = json!("enc");
    let mut wrapping = desk.key.public();
    wrapping["kid"] = json!("wrapping");
    wrapping["key_ops"] = json!(["wrapKey"]);
    let keys = vec![
        desk.key.public(),
        p384.public(),
        secret,
        encrypting,
        wrapping,
        json!(7),
    ];
    *desk.login.keys.lock().unwrap() = keys;
    let claims = desk.claims();
    assert_eq!(desk.status(&desk.key.sign(&claims)).await, 200);
    // It is not among the default algorithms.
    assert_eq!(desk.status(&p384.sign(&claims)).await, 401);
    for id in ["encrypting", "wrapping"] {
        let header = json!({"alg": "ES256", "kid": id});
        let token = desk.key.sign_with(&header, &claims);
        assert_eq!(desk.status(&token).await, 401, "{id}");
    }
    let message = message(&json!({"alg": "HS256", "kid": "secret"}), &claims);
    let mac = hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, b"secret"),
        message.as_bytes(),
    );
    let token = format!("{message}.{}", encoded(mac.as_ref()));
    assert_eq!(desk.status(&token).await, 401);

    let allowed = Desk::with(|config| config.algorithms = vec!["ES384".parse().unwrap()]).await;
    allowed.login.publish(&[&allowed.key, &p384]);
    assert_eq!(allowed.status(&p384.sign(&allowed.claims())).await, 200);
    assert_eq!(
        allowed.status(&allowed.key.sign(&allowed.claims())).await,
        401
    );
}

#[tokio::test]
async fn a_key_without_a_name_is_used_if_it_is_the_only_one() {
    let desk = Desk::new().await;
    let token = desk.key.sign_with(&json!({"alg": "ES256"}), &desk.claims());
    assert_eq!(desk.status(&token).await, 200);
    let second = Key::new("second");
    desk.login.publish(&[&desk.key, &second]);
    advance(301).await;
    assert_eq!(desk.status(&token).await, 401);
}

#[tokio::test]
async fn keys_are_rotated_and_withdrawn_and_a_flood_does_not_reach_the_issuer() {
    let desk = Desk::new().await;
    let (old, second) = (desk.key.sign(&desk.claims()), Key::new("second"));
    let new = second.sign(&desk.claims());
    assert_eq!(desk.status(&old).await, 200);
    desk.login.publish(&[&second]);
    for _ in 0..50 {
        assert_eq!(
            desk.status(&Key::new("third").sign(&desk.claims())).await,
            401
        );
    }
    assert!(desk.login.requests.load(Ordering::SeqCst) <= 12);
    advance(4).await;
    assert_eq!(desk.status(&new).await, 200);
    assert_eq!(desk.status(&old).await, 401, "its key was withdrawn");
    // Withdrawn keys are found also if no token has a new one.
    desk.login.publish(&[]);
    advance(301).await;
    assert_eq!(desk.status(&new).await, 401);
}

#[tokio::test]
async fn keys_that_cannot_be_read_let_nobody_in_after_a_while() {
    let desk = Desk::new().await;
    let token = desk.key.sign(&desk.claims());
    desk.login.is_down.store(true, Ordering::SeqCst);
    assert_eq!(desk.status(&token).await, 503);
    desk.login.is_down.store(false, Ordering::SeqCst);
    advance(4).await;
    assert_eq!(desk.status(&token).await, 200);
    desk.login.is_down.store(true, Ordering::SeqCst);
    advance(1800).await;
    assert_eq!(desk.status(&token).await, 200, "the keys are known");
    advance(1801).await;
    assert_eq!(desk.status(&token).await, 503);
}

#[tokio::test]
async fn clients_learn_where_to_get_a_token() {
    let desk = Desk::new().await;
    let root = desk.url.strip_suffix("/mcp").unwrap();
    let place = format!("{root}/.well-known/oauth-protected-resource/mcp");
    let refused = ask(&desk.url, None, None, "tools/list").await;
    assert_eq!(refused.status(), 401);
    let challenge = |answer: &Response| {
        let challenge = answer.headers()["www-authenticate"].to_str();
        challenge.unwrap().to_owned()
    };
    let plain = format!("Bearer resource_metadata=\"{place}\"");
    assert_eq!(challenge(&refused), plain);
    let wrong = desk.ask("a.b.c").await;
    assert_eq!(
        challenge(&wrong),
        format!("{plain}, error=\"invalid_token\"")
    );
    let narrow = desk.key.sign(&desk.claims_with("scope", json!("openid")));
    let narrow = desk.ask(&narrow).await;
    assert_eq!(
        challenge(&narrow),
        format!(
            "{plain}, error=\"insufficient_scope\", scope=\"tools:write tools:read tools:old\""
        )
    );
    for place in [
        place,
        format!("{root}/.well-known/oauth-protected-resource"),
    ] {
        let metadata = reqwest::get(place).await.unwrap().text().await.unwrap();
        let metadata: Value = serde_json::from_str(&metadata).unwrap();
        assert_eq!(
            metadata,
            json!({"resource": desk.url, "authorization_servers": [ISSUER],
                   "bearer_methods_supported": ["header"], "resource_name": "Toolwright",
                   "scopes_supported": ["tools:write", "tools:read", "tools:old"]})
        );
    }
}

#[tokio::test]
async fn a_session_goes_on_with_a_new_token_of_its_subject_only() {
    let desk = Desk::new().await;
    let token = desk.key.sign(&desk.claims());
    let begun = ask(&desk.url, Some(&token), None, "initialize").await;
    let session = begun.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let status = async |claims: Value| {
        let token = desk.key.sign(&claims);
        let asked = ask(&desk.url, Some(&token), Some(&session), "tools/list").await;
        asked.status().as_u16()
    };
    let renewed = Timestamp::now().as_second() + 900;
    assert_eq!(status(desk.claims_with("exp", json!(renewed))).await, 200);
    for (claim, value) in [
        ("sub", json!("bo")),
        ("client_id", json!("other")),
        ("scope", json!("tools:write")),
        ("team", json!("north")),
    ] {
        assert_eq!(status(desk.claims_with(claim, value)).await, 404, "{claim}");
    }
}

#[tokio::test]
async fn a_call_is_recorded_with_its_subject_and_workspace() {
    let desk = Desk::new().await;
    let token = desk.key.sign(&desk.claims_with("team", json!("north")));
    let answer = ask(&desk.url, Some(&token), None, "tools/list").await;
    assert_eq!(answer.status(), 200);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "no-such-tool", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}});
    let called = reqwest::Client::new()
        .post(&desk.url)
        .header("authorization", format!("Bearer {token}"))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "no-such-tool")
        .header("mcp-protocol-version", "2026-07-28")
        .body(body.to_string());
    called.send().await.unwrap();
    let events = desk.audit.events();
    let event = json!(events.last().unwrap());
    assert_eq!(event["principal"], "oauth:ann");
    assert_eq!(
        (&event["role"], &event["workspace"]),
        (&json!("reader"), &json!("north"))
    );
    assert!(!json!(events).to_string().contains(&token));
}
