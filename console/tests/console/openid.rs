//! Signing in through an OpenID provider that is attacked, or that is hostile itself. The provider is one of
//! the test, since a real one makes none of these faults; `tests/tests/console` has the real one.
#![cfg(test)]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response as Answer},
    routing::{get, post},
};
use reqwest::{Client, Response, redirect::Policy};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use toolwright::jiff::Timestamp;
use url::{Url, form_urlencoded};

use crate::{
    issuer::{Key, encoded, message},
    world::{CONFIG, World},
};

const CLIENT: &str = "toolwright";
const SECRET: &str = "s3cr3t-of-the-console";

/// A provider. It issues what the test tells it to.
#[derive(Clone)]
struct Provider {
    url: String,
    key: Arc<Mutex<Key>>,
    /// The token for each code that was not used.
    tokens: Arc<Mutex<BTreeMap<String, (String, String)>>>,
    /// What the token endpoint received.
    received: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
}

impl Provider {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let provider = Self {
            url,
            key: Arc::new(Mutex::new(Key::new("first"))),
            tokens: Arc::default(),
            received: Arc::default(),
        };
        let (metadata, keys, token) = (provider.clone(), provider.clone(), provider.clone());
        let app = Router::new()
            .route(
                "/.well-known/openid-configuration",
                get(async move || Json(metadata.metadata())),
            )
            .route(
                "/jwks",
                get(async move || Json(json!({"keys": [keys.key.lock().unwrap().public()]}))),
            )
            .route(
                "/token",
                post(async move |headers: HeaderMap, body: String| token.token(&headers, &body)),
            );
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        provider
    }

    fn metadata(&self) -> Value {
        let url = &self.url;
        json!({
            "issuer": url, "authorization_endpoint": format!("{url}/authorize"),
            "token_endpoint": format!("{url}/token"), "jwks_uri": format!("{url}/jwks"),
            "end_session_endpoint": format!("{url}/end"),
        })
    }

    /// The client of the provider, as its credentials are.
    fn client(&self) -> Value {
        json!({"grant": "authorization_code", "token_url": format!("{}/token", self.url),
               "client_id": CLIENT, "client_secret": SECRET})
    }

    /// Answers with the token of a code, once, if the client proves that it asked for it.
    fn token(&self, headers: &HeaderMap, body: &str) -> Answer {
        let fields = form_urlencoded::parse(body.as_bytes()).into_owned();
        let mut fields: BTreeMap<String, String> = fields.collect();
        let taken = self.tokens.lock().unwrap().remove(&fields["code"]);
        let proof = encoded(&Sha256::digest(&fields["code_verifier"]));
        let authorization = headers["authorization"].to_str().unwrap().to_owned();
        fields.insert("authorization".to_owned(), authorization);
        self.received.lock().unwrap().push(fields);
        match taken {
            Some((token, challenge)) if challenge == proof => {
                Json(json!({"access_token": "a", "token_type": "Bearer", "id_token": token}))
                    .into_response()
            }
            _ => (
                StatusCode::BAD_REQUEST,
                Json(json!({"error": "invalid_grant", "error_description": "unknown <b>code</b>"})),
            )
                .into_response(),
        }
    }

    /// Issues a code for a request, and a token with changed claims.
    fn issue(&self, request: &Url, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = self.claims(request);
        change(&mut claims);
        let token = {
            let key = self.key.lock().unwrap();
            let mut header = key.header();
            header["typ"] = "JWT".into();
            key.sign_with(&header, &claims)
        };
        self.issue_token(request, token)
    }

    fn issue_token(&self, request: &Url, token: String) -> String {
        let code = format!("code-{}", parameter(request, "state"));
        let challenge = parameter(request, "code_challenge");
        let mut tokens = self.tokens.lock().unwrap();
        tokens.insert(code.clone(), (token, challenge));
        code
    }

    fn claims(&self, request: &Url) -> Value {
        let now = Timestamp::now().as_second();
        json!({
            "iss": self.url, "sub": "1001", "aud": CLIENT, "iat": now, "exp": now + 60,
            "nonce": parameter(request, "nonce"), "email": "ann@team.example", "email_verified": true,
        })
    }
}

/// A console of a provider, and a browser that keeps its cookies.
struct Desk {
    provider: Provider,
    world: World,
    http: Client,
}

/// Makes a token for a sign-in.
type Forge<'a> = &'a dyn Fn(&Begun) -> String;

/// A sign-in that a browser has begun.
struct Begun {
    request: Url,
    cookie: String,
}

impl Desk {
    async fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let provider = Provider::start().await;
        let world = World::with_provider(&provider.url, &provider.client()).await;
        let http = Client::builder().redirect(Policy::none()).build().unwrap();
        Self {
            provider,
            world,
            http,
        }
    }

    async fn get(&self, path: &str, cookie: &str, referer: &str) -> Response {
        let url = format!("{}{path}", self.world.origin());
        let request = self.http.get(url).header("cookie", cookie);
        request.header("referer", referer).send().await.unwrap()
    }

    async fn begin(&self, referer: &str) -> Begun {
        let answer = self.get("/sign-in/openid", "", referer).await;
        assert_eq!(answer.status(), 303);
        let request = answer.headers()["location"].to_str().unwrap();
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        Begun {
            request: request.parse().unwrap(),
            cookie: cookie.split(';').next().unwrap().to_owned(),
        }
    }

    async fn back(&self, begun: &Begun, code: &str) -> Response {
        let state = parameter(&begun.request, "state");
        let path = format!("/sign-in/openid/back?code={code}&state={state}");
        self.get(&path, &begun.cookie, "").await
    }

    /// Begins a sign-in, and comes back with a token whose claims were changed. Returns the page, and the
    /// last reason of a refusal in the audit.
    async fn with_claims(&self, change: impl FnOnce(&mut Value)) -> (u16, String) {
        let begun = self.begin("").await;
        let code = self.provider.issue(&begun.request, change);
        self.refused(self.back(&begun, &code).await).await
    }

    async fn with_token(&self, token: impl FnOnce(&Begun) -> String) -> (u16, String) {
        let begun = self.begin("").await;
        let token = token(&begun);
        let code = self.provider.issue_token(&begun.request, token);
        self.refused(self.back(&begun, &code).await).await
    }

    async fn refused(&self, answer: Response) -> (u16, String) {
        let status = answer.status().as_u16();
        assert_eq!(session_of(&answer), None);
        let text = answer.text().await.unwrap();
        assert!(!text.contains(SECRET) && !text.contains("<b>"), "{text}");
        (status, text)
    }

    async fn status_of(&self, cookie: &str) -> u16 {
        self.get("/", cookie, "").await.status().as_u16()
    }

    /// The reasons of refused sign-ins in the audit.
    fn reasons(&self) -> Vec<Value> {
        let events = self.world.events().into_iter();
        events
            .filter(|event| event["event"] == "login_refused")
            .map(|event| event["reason"].clone())
            .collect()
    }
}

fn parameter(url: &Url, name: &str) -> String {
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(found, _)| found == name);
    found.unwrap_or_else(|| panic!("{url}")).1.into_owned()
}

/// Returns the cookie of the session that an answer sets.
fn session_of(answer: &Response) -> Option<String> {
    let cookies = answer.headers().get_all("set-cookie").iter();
    let mut cookies = cookies.map(|cookie| cookie.to_str().unwrap());
    let found = cookies.find(|cookie| cookie.starts_with("toolwright_console_"));
    found.map(|cookie| cookie.split(';').next().unwrap().to_owned())
}

#[tokio::test]
async fn a_person_of_the_policy_signs_in_and_returns_to_the_page_of_before() {
    let desk = Desk::new().await;
    let page = format!("{}/waiting/0123456789ab?x=1", desk.world.origin());
    let begun = desk.begin(&page).await;
    assert_eq!(parameter(&begun.request, "response_type"), "code");
    assert_eq!(parameter(&begun.request, "scope"), "openid email");
    assert_eq!(parameter(&begun.request, "code_challenge_method"), "S256");
    let code = desk.provider.issue(&begun.request, |_| {});
    let answer = desk.back(&begun, &code).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(
        answer.headers()["refresh"],
        "0; url=/waiting/0123456789ab?x=1"
    );
    let session = session_of(&answer).unwrap();
    assert_eq!(desk.status_of(&session).await, 200);
    let received = desk.provider.received.lock().unwrap()[0].clone();
    assert_eq!(received["grant_type"], "authorization_code");
    assert!(received["authorization"].starts_with("Basic "));
    assert_eq!(
        received["redirect_uri"],
        parameter(&begun.request, "redirect_uri")
    );
    let events = desk.world.events();
    let signed_in = events.iter().find(|event| event["action"] == "signed_in");
    let signed_in = signed_in.unwrap();
    assert_eq!(signed_in["person"], "ann");
    assert!(
        signed_in["why"]
            .as_str()
            .unwrap()
            .ends_with("where the person is 1001")
    );
    let audit = serde_json::to_string(&events).unwrap();
    for secret in [SECRET, &code, &received["code_verifier"]] {
        assert!(!audit.contains(secret));
    }
}

#[tokio::test]
async fn a_code_or_a_state_signs_in_once_and_in_one_browser_only() {
    let desk = Desk::new().await;
    let begun = desk.begin("").await;
    let code = desk.provider.issue(&begun.request, |_| {});
    // An attacker who makes the victim open the end of the attacker's own sign-in.
    let victim = Begun {
        request: begun.request.clone(),
        cookie: String::new(),
    };
    let (status, text) = desk.refused(desk.back(&victim, &code).await).await;
    assert_eq!(status, 403, "{text}");
    // The cookie of another sign-in, too.
    let other = desk.begin("").await;
    let mixed = Begun {
        request: begun.request.clone(),
        cookie: other.cookie.clone(),
    };
    assert_eq!(desk.back(&mixed, &code).await.status(), 403);
    assert!(desk.provider.received.lock().unwrap().is_empty());
    let answer = desk.back(&begun, &code).await;
    assert!(session_of(&answer).is_some());
    // All of it once more, with a provider that would take a code twice.
    desk.provider.issue(&begun.request, |_| {});
    let (status, text) = desk.refused(desk.back(&begun, &code).await).await;
    assert_eq!(status, 403);
    assert!(text.contains("was used"), "{text}");
    // The code of another sign-in: the provider compares the proof key.
    let code = desk.provider.issue(&desk.begin("").await.request, |_| {});
    let (status, text) = desk.refused(desk.back(&other, &code).await).await;
    assert_eq!(status, 403, "{text}");
    assert!(text.contains("does not confirm"), "{text}");
    assert_eq!(desk.reasons()[0], "unknown_state");
}

#[tokio::test]
async fn a_token_with_a_wrong_claim_signs_nobody_in() {
    let desk = Desk::new().await;
    let now = Timestamp::now().as_second();
    let changes = [
        ("iss", json!("https://other.example")),
        ("aud", json!("another-client")),
        ("aud", json!(["another-client"])),
        ("aud", json!([CLIENT, "another-client"])),
        ("azp", json!("another-client")),
        ("azp", json!(["toolwright"])),
        ("exp", json!(now - 3_600)),
        ("exp", Value::Null),
        ("nbf", json!(now + 3_600)),
        ("nonce", json!("of-another-sign-in")),
        ("nonce", Value::Null),
        ("sub", Value::Null),
        ("email_verified", json!(false)),
        ("email_verified", json!("true")),
        ("email_verified", Value::Null),
        ("email", Value::Null),
        ("email", json!(["ann@team.example"])),
        ("email", json!("ann@team.example ")),
        ("email", json!("ANN@team.example")),
        ("email", json!("ann")),
    ];
    for (claim, value) in changes {
        let name = format!("{claim} = {value}");
        let (status, text) = desk
            .with_claims(|claims| match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(claim)),
                value => claims[claim] = value,
            })
            .await;
        assert_eq!(status, 403, "{name}: {text}");
    }
    let strangers = desk.reasons();
    let strangers = strangers
        .iter()
        .filter(|reason| *reason == "unknown_person");
    assert_eq!(strangers.count(), 3);
}

#[tokio::test]
async fn a_token_that_the_provider_has_not_signed_signs_nobody_in() {
    let desk = Desk::new().await;
    let claims = |begun: &Begun| desk.provider.claims(&begun.request);
    let foreign = Key::new("first");
    let header = json!({"alg": "ES256", "typ": "JWT", "kid": "first"});
    let public = desk.provider.key.lock().unwrap().public().to_string();
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, public.as_bytes());
    let none = |begun: &Begun| {
        let header = json!({"alg": "none", "typ": "JWT"});
        format!("{}.", message(&header, &claims(begun)))
    };
    let shared = |begun: &Begun| {
        let message = message(&json!({"alg": "HS256", "kid": "first"}), &claims(begun));
        let tag = ring::hmac::sign(&secret, message.as_bytes());
        format!("{message}.{}", encoded(tag.as_ref()))
    };
    let critical = |begun: &Begun| {
        let mut header = header.clone();
        header["crit"] = json!(["exp"]);
        let key = desk.provider.key.lock().unwrap();
        key.sign_with(&header, &claims(begun))
    };
    let access = |begun: &Begun| {
        let key = desk.provider.key.lock().unwrap();
        key.sign_with(&key.header(), &claims(begun))
    };
    let tokens: [(&str, Forge<'_>); 6] = [
        ("none", &none),
        ("a shared secret", &shared),
        ("another key", &|begun| {
            foreign.sign_with(&header, &claims(begun))
        }),
        ("a critical extension", &critical),
        ("an access token", &access),
        ("no token", &|_| "x".to_owned()),
    ];
    for (name, token) in tokens {
        let (status, text) = desk.with_token(token).await;
        assert_eq!(status, 403, "{name}: {text}");
    }
    assert_eq!(desk.reasons()[0], "invalid_token");
}

#[tokio::test]
async fn the_keys_of_the_provider_are_rotated() {
    let desk = Desk::new().await;
    let (status, _) = desk.with_claims(|claims| claims["sub"] = Value::Null).await;
    assert_eq!(status, 403);
    *desk.provider.key.lock().unwrap() = Key::new("second");
    // The keys are read again after a pause.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let begun = desk.begin("").await;
    let code = desk.provider.issue(&begun.request, |_| {});
    assert!(session_of(&desk.back(&begun, &code).await).is_some());
}

#[tokio::test]
async fn an_answer_of_another_provider_or_an_error_signs_nobody_in() {
    let desk = Desk::new().await;
    for more in [
        "&code=x&iss=https://other.example",
        "&error=access_denied&error_description=<b>no</b>",
        "&code=",
        "",
    ] {
        let begun = desk.begin("").await;
        let state = parameter(&begun.request, "state");
        let path = format!("/sign-in/openid/back?state={state}{more}");
        let (status, text) = desk.refused(desk.get(&path, &begun.cookie, "").await).await;
        assert_eq!(status, 403, "{more}: {text}");
    }
    assert!(desk.provider.received.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_sign_in_leads_to_no_other_site() {
    let desk = Desk::new().await;
    let origin = desk.world.origin();
    for referer in [
        "https://evil.example/",
        &format!("{origin}//evil.example/"),
        &format!("{origin}/%5Cevil.example"),
        &format!("{origin}.evil.example/tools"),
        &format!(
            "{}/;url=https://evil.example",
            origin.replace("//", "//user@")
        ),
        "javascript:alert(1)",
    ] {
        let begun = desk.begin(referer).await;
        let code = desk.provider.issue(&begun.request, |_| {});
        let answer = desk.back(&begun, &code).await;
        let refresh = answer.headers()["refresh"].to_str().unwrap();
        let page = refresh.strip_prefix("0; url=").unwrap();
        let target = Url::parse(&origin).unwrap().join(page).unwrap();
        assert_eq!(
            target.origin().ascii_serialization(),
            origin,
            "{referer}: {refresh}"
        );
        assert!(!refresh.contains("evil.example/tools"), "{refresh}");
    }
    // A cookie that another program of this machine has set.
    let begun = desk.begin("").await;
    let (own, _) = begun.cookie.split_once("&page=").unwrap();
    let forged = Begun {
        cookie: format!("{own}&page=%2F%2Fevil.example"),
        ..begun
    };
    let code = desk.provider.issue(&forged.request, |_| {});
    let answer = desk.back(&forged, &code).await;
    assert_eq!(answer.headers()["refresh"], "0; url=/");
}

#[tokio::test]
async fn a_session_begins_anew_and_ends_with_the_person_of_the_policy() {
    let desk = Desk::new().await;
    // A session that an attacker has put into the browser stays what it was.
    let fixed = format!(
        "toolwright_console_{}=fixed",
        Url::parse(&desk.world.origin()).unwrap().port().unwrap()
    );
    let begun = desk.begin("").await;
    let code = desk.provider.issue(&begun.request, |_| {});
    let both = Begun {
        cookie: format!("{fixed}; {}", begun.cookie),
        ..begun
    };
    let answer = desk.back(&both, &code).await;
    let session = session_of(&answer).unwrap();
    assert_ne!(session, fixed);
    assert_eq!(desk.status_of(&fixed).await, 401);
    assert_eq!(desk.status_of(&session).await, 200);
    let path = desk.world.folder.path().join("toolwright.toml");
    let without = CONFIG.replace("identity = \"ann@team.example\"\n", "identity = \"x\"\n");
    let without = without.replace("[console.people.ann]", "[console.people.anne]");
    let config = toolwright::config::Config::parse(&path, &without).unwrap();
    desk.world.console().reload(&config);
    assert_eq!(desk.status_of(&session).await, 401);
    assert_eq!(desk.get("/sign-in/openid", "", "").await.status(), 404);
}
