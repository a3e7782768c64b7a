//! Signing in through a real provider in a real browser: `oidc-provider` from npm, with its pages.
#![cfg(test)]

use serde_json::json;
use toolwright_tests::real::{Real, RealService};

use crate::{chromium::Chromium, installed, world::World};

const OIDC: RealService = RealService {
    name: "oidc",
    port: 18712,
    path: "/ready",
    patience: std::time::Duration::from_secs(60),
};

/// Signs a person in at the pages of the provider, from a page of the console.
async fn sign_in(browser: &Chromium, login: &str) {
    browser.go("/tools?q=update").await;
    browser.shows("main", "Sign in with 127.0.0.1:18712").await;
    browser.press("main a.button").await;
    browser.shows("body", "Sign-in").await;
    browser.write("input[name=login]", login).await;
    browser.write("input[name=password]", "any").await;
    browser.press("button[type=submit]").await;
    browser.shows("body", "Continue").await;
    browser.press("button[type=submit]").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_sign_in_through_a_real_provider() {
    if installed().is_none() {
        return;
    }
    let Some(real) = Real::if_enabled_with("credentials") else {
        return;
    };
    let _provider = real.start(OIDC).unwrap();
    let client = json!({
        "grant": "authorization_code", "token_url": format!("{}/token", OIDC.url()),
        "client_id": "console", "client_secret": "s3cr3t-of-the-client/+",
    });
    let mut world = World::with_provider(&OIDC.url(), &client).await;
    let ann = Chromium::open(&world).await;
    sign_in(&ann, "ann@team.example").await;
    // The page of before, without another press.
    ann.shows("h1", "Tools").await;
    ann.shows("#results", "update-depot-item").await;
    ann.shows(".who", "operator").await;
    world.restart().await;
    ann.go("/").await;
    ann.shows("h1", "Waiting").await;
    ann.press(".who button").await;
    ann.shows("main", "Sign out there").await;
    ann.go("/tools").await;
    ann.shows("h1", "Sign in").await;
    ann.close().await;

    for (login, shown) in [
        ("mallory@team.example", "nobody with this identity"),
        (
            "unverified-ann@team.example",
            "has not verified the e-mail address",
        ),
    ] {
        let stranger = Chromium::open(&world).await;
        sign_in(&stranger, login).await;
        stranger.shows("main", shown).await;
        stranger.go("/tools").await;
        stranger.shows("h1", "Sign in").await;
        stranger.close().await;
    }
    let events = world.events();
    let signed_in: Vec<_> = events
        .iter()
        .filter(|event| event["action"] == "signed_in")
        .map(|event| event["person"].clone())
        .collect();
    assert_eq!(signed_in, ["ann"]);
    let refused: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "login_refused")
        .map(|event| event["reason"].clone())
        .collect();
    assert_eq!(refused, ["unknown_person", "unverified_email"]);
}
