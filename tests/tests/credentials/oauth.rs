//! A real authorization server: each grant, both forms of the secret, revocation and refusal. Token
//! exchange is a grant of the test's own on that server, which has none.

use std::{fs, time::Duration};

use serde_json::{Value, json};
use toolwright_tests::real::RealService;

use crate::{Lease, Shared, desk::Desk};

pub(crate) const OIDC: RealService = RealService {
    name: "oidc",
    port: 18712,
    path: "/ready",
    patience: Duration::from_secs(60),
};

pub(crate) const SECRET: &str = "s3cr3t-of-the-client/+";

static SHARED: Shared = Shared::new();

pub(crate) fn start() -> Option<Lease> {
    SHARED.start(OIDC)
}

/// A project whose auth file obtains tokens.
fn desk(client: &str, more: Value, files: &[(&str, &str)]) -> Desk {
    let mut oauth = json!({
        "grant": "client_credentials", "token_url": format!("{}/token", OIDC.url()),
        "client_id": client, "client_secret": SECRET,
    });
    for (key, value) in more.as_object().unwrap() {
        oauth[key] = value.clone();
    }
    let auth = json!({"base_url": format!("{}/api", OIDC.url()), "oauth": oauth}).to_string();
    let auth = (".local/depot/admin-auth.json", auth.as_str());
    Desk::new("", &[&[auth], files].concat())
}

/// The token that the service received.
async fn token(desk: &Desk, limit: Option<u64>) -> String {
    let answer = desk.call("reader", limit).await.unwrap();
    // The token itself does not leave the call.
    assert_eq!(answer["token"], "[redacted]");
    answer["client"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_client_shows_its_secret_in_both_forms() {
    let Some(_started) = start() else {
        return;
    };
    let scope = json!({"scope": "items:read"});
    assert_eq!(token(&desk("basic", scope, &[]), None).await, "basic");
    let post = json!({"client_authentication": "post"});
    assert_eq!(token(&desk("post", post, &[]), None).await, "post");
    let wrong = json!({"client_secret": "wrong-secret-of-the-client"});
    let desk = desk("basic", wrong, &[]);
    let refused = desk
        .refusal("reader", &["wrong-secret-of-the-client"])
        .await;
    assert!(refused.starts_with("token_unavailable"), "{refused}");
    assert!(refused.contains("invalid_client"), "{refused}");
}

#[tokio::test]
async fn a_revoked_token_is_replaced_within_the_call() {
    let Some(_started) = start() else {
        return;
    };
    let desk = desk("basic", json!({}), &[]);
    for _ in 0..3 {
        // The service forgets the token after its answer.
        assert_eq!(token(&desk, Some(1)).await, "basic");
    }
}

#[tokio::test]
async fn the_refresh_token_is_rotated_in_its_file() {
    let Some(_started) = start() else {
        return;
    };
    // The client needs a TLS provider, although the server uses plain HTTP.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let issued = reqwest::get(format!("{}/refresh-token", OIDC.url())).await;
    let issued: Value = serde_json::from_str(&issued.unwrap().text().await.unwrap()).unwrap();
    let issued = issued.as_str().unwrap();
    let more = json!({"grant": "refresh_token", "refresh_token_file": "refresh.txt"});
    let desk = desk("refresh", more, &[("refresh.txt", issued)]);
    let mut seen = vec![issued.to_owned()];
    for _ in 0..3 {
        assert_eq!(token(&desk, Some(1)).await, "refresh");
        let now = fs::read_to_string(desk.path("refresh.txt")).unwrap();
        assert!(!seen.contains(&now), "{seen:?}");
        seen.push(now);
    }
    // The server refuses a token that it has replaced, and revokes what followed from it.
    toolwright::private::write(&desk.path("refresh.txt"), issued).unwrap();
    let refused = desk.refusal("reader", &[issued]).await;
    assert!(refused.contains("invalid_grant"), "{refused}");
}

#[tokio::test]
async fn the_token_of_a_subject_is_exchanged() {
    let Some(_started) = start() else {
        return;
    };
    let more = json!({
        "grant": "token_exchange", "subject_token_file": "subject.txt",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
    });
    let desk = desk("exchange", more, &[("subject.txt", "subject-of-ann")]);
    assert_eq!(token(&desk, None).await, "exchange");
    toolwright::private::write(&desk.path("subject.txt"), "stranger-of-ann").unwrap();
    let refused = desk.refusal("reader", &["stranger-of-ann"]).await;
    assert!(
        refused.contains("invalid_request: unknown [redacted]"),
        "{refused}"
    );
}
