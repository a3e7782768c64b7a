//! Who gets in.
#![cfg(test)]

use reqwest::Method;
use serde_json::Value;
use toolwright::config::Config;

use crate::{
    browser::Browser,
    world::{CONFIG, ITEMS, PAGES, World},
};

#[tokio::test]
async fn nobody_sees_a_page_without_a_session() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    for path in PAGES.into_iter().chain(["/live"]) {
        let page = browser.get(path).await;
        assert_eq!(page.status, 401, "{path}");
        assert!(!page.text.contains("depot"), "{path}");
    }
    let forged = [("csrf".to_owned(), "0".repeat(64))];
    for path in ["/tools/switch", "/waiting/0123456789ab", "/record/export"] {
        assert_eq!(browser.post(path, &forged).await.status, 401, "{path}");
    }
}

#[tokio::test]
async fn a_link_signs_in_once_and_the_session_ends_when_the_person_signs_out() {
    let world = World::new().await;
    let link = world.link("ann").await;
    let mut ann = Browser::new(&world);
    assert_eq!(ann.sign_in(&link).await.location, "/");
    let home = ann.get("/").await;
    assert_eq!(home.status, 200);
    assert!(home.text.contains("ann"), "{}", home.text);
    assert_eq!(Browser::new(&world).sign_in(&link).await.status, 410);
    assert_eq!(ann.submit(&home, "/sign-out", &[]).await.status, 200);
    assert_eq!(ann.get("/").await.status, 401);
    let actions: Vec<Value> = world
        .events()
        .into_iter()
        .filter(|event| event["event"] == "console")
        .map(|event| event["action"].clone())
        .collect();
    assert_eq!(actions, ["link_issued", "signed_in", "signed_out"]);
}

#[tokio::test]
async fn who_is_not_in_the_policy_gets_no_link_and_loses_the_session() {
    let world = World::new().await;
    assert!(world.console().invite("mallory").await.is_err());
    let bob = Browser::of(&world, "bob").await;
    assert_eq!(bob.get("/").await.status, 200);
    let without_bob = CONFIG.replace("[console.people.bob]\nrole = \"approver\"", "");
    let path = world.folder.path().join("toolwright.toml");
    world
        .console()
        .reload(&Config::parse(&path, &without_bob).unwrap());
    assert_eq!(bob.get("/").await.status, 401);
}

#[tokio::test]
async fn a_session_survives_a_restart_and_an_operator_ends_it() {
    let mut world = World::new().await;
    let bob = Browser::of(&world, "bob").await;
    world.restart().await;
    assert_eq!(bob.get("/").await.status, 200);
    let ann = Browser::of(&world, "ann").await;
    let sessions = ann.get("/sessions").await;
    let of_bob = world.state.console_sessions(10).await.unwrap();
    let of_bob = of_bob
        .iter()
        .find(|session| session.person == "bob")
        .unwrap();
    let path = format!("/sessions/{}", of_bob.id);
    let refused = ann.submit(&sessions, &path, &[]).await;
    assert_eq!(refused.status, 400, "without a reason");
    let ended = ann
        .submit(&sessions, &path, &[("reason", "a lost laptop")])
        .await;
    assert_eq!(ended.status, 303, "{}", ended.text);
    assert_eq!(bob.get("/").await.status, 401);
}

#[tokio::test]
async fn a_form_needs_the_token_of_its_session_and_the_right_origin() {
    let world = World::new().await;
    let (ann, bob) = (
        Browser::of(&world, "ann").await,
        Browser::of(&world, "bob").await,
    );
    let of_bob = bob.get("/sessions").await;
    let path = "/tools/update-depot-item";
    let fields = [("reason", "a test"), ("change", "off")];
    let refused = ann.submit(&of_bob, path, &fields).await;
    assert_eq!(refused.status, 400, "a token of another session");
    let request = |origin: &'static str| {
        let request = ann.request(Method::POST, path);
        request.header("origin", origin).body("").send()
    };
    assert_eq!(request("https://evil.example").await.unwrap().status(), 403);
    assert_eq!(request("null").await.unwrap().status(), 403);
    assert!(world.registry.switch("update-depot-item").unwrap().is_on());
    let elsewhere = ann.request(Method::GET, "/").header("host", "evil.example");
    assert_eq!(elsewhere.send().await.unwrap().status(), 421);
}

#[tokio::test]
async fn answers_load_nothing_from_elsewhere_and_are_not_kept() {
    let world = World::new().await;
    let ann = Browser::of(&world, "ann").await;
    let answer = ann.request(Method::GET, "/tools").send().await.unwrap();
    let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
    let policy = header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; script-src 'self'"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("x-content-type-options"), "nosniff");
    let page = answer.text().await.unwrap();
    assert!(!page.contains("style="), "no style in a page");
    assert_eq!(page.matches("<script").count(), 1);
    let style = page.split("href=\"/static/").nth(2).unwrap();
    let style = format!("/static/{}", style.split('"').next().unwrap());
    let first = ann.request(Method::GET, &style).send().await.unwrap();
    let tag = first.headers()["etag"].clone();
    let again = ann
        .request(Method::GET, &style)
        .header("if-none-match", tag);
    assert_eq!(again.send().await.unwrap().status(), 304);
}

#[tokio::test]
async fn a_role_does_no_more_than_the_policy_allows() {
    let world = World::new().await;
    let request = world
        .ask(
            "delete-depot-item",
            serde_json::json!({"item_id": ITEMS[0]}),
        )
        .await;
    let waiting = format!("/waiting/{}", request.handle);
    let decision = [("verdict", "approved"), ("reason", "x")];
    let switch = [("change", "off"), ("reason", "x")];
    for (person, path, fields) in [
        ("vic", waiting.as_str(), &decision),
        ("vic", "/tools/update-depot-item", &switch),
        ("bob", "/tools/update-depot-item", &switch),
        ("bob", "/tools/switch", &switch),
        ("bob", "/skills/report-depot-shortages", &switch),
    ] {
        let browser = Browser::of(&world, person).await;
        let page = browser.get(&waiting).await;
        let refused = browser.submit(&page, path, fields).await;
        assert_eq!(refused.status, 403, "{person} {path}");
    }
    assert_eq!(world.pending().await.len(), 1);
    let events = world.events();
    let refused = events.iter().filter(|event| event["action"] == "refused");
    assert_eq!(refused.count(), 5);
    let vic = Browser::of(&world, "vic").await;
    for path in PAGES.iter().filter(|path| **path != "/tools/switch") {
        assert_eq!(vic.get(path).await.status, 200, "{path}");
    }
    assert!(!vic.cookie().is_empty());
}
