//! Kinto: its document declares that no operation needs credentials, and the service wants an
//! account for all of them. An overlay corrects it.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;
use toolwright::{ToolError, private};
use toolwright_tests::real::{Real, RealService};

use crate::{
    desk::{Desk, generate},
    plain::Plain,
};

const KINTO: RealService = RealService {
    name: "kinto",
    port: 8888,
    path: "/v1/__lbheartbeat__",
    patience: Duration::from_secs(300),
};

const OVERLAY: &str = include_str!("kinto.overlay.toml");

#[tokio::test]
async fn records_are_managed_with_an_account_that_only_the_overlay_declares() {
    let Some(real) = Real::if_enabled() else {
        return;
    };
    let started = real.start(KINTO).unwrap();
    let begun = Instant::now();
    let plain = Plain::new(KINTO.url());
    let (_, document) = plain.send(Method::GET, "/v1/__api__", None).await;
    let base = format!("{}/v1", KINTO.url());
    let password = format!("azerty-{}", std::process::id());
    let user = format!("ann{}", std::process::id());
    let account = json!({"data": {"password": password}});
    let place = format!("/v1/accounts/{user}");
    let (status, _) = plain.send(Method::PUT, &place, Some(&account)).await;
    assert_eq!(status, 201);
    let auth = json!({"username": user, "password": password}).to_string();

    let desk = Desk::new(
        "kinto",
        &base,
        generate("kinto", &document, None).tool_specs(),
    );
    private::write(&desk.auth_file("kinto"), &auth).unwrap();
    let refused = desk.call("get_buckets", json!({})).await.unwrap_err();
    assert_eq!(refused.status(), Some(401));
    let detail = refused.detail().unwrap();
    assert!(
        detail.contains("declare them with `security` in the overlay"),
        "{detail}"
    );

    let catalog = generate("kinto", &document, Some(OVERLAY));
    let desk = Desk::new("kinto", &base, catalog.tool_specs());
    desk.call("__heartbeat__", json!({})).await.unwrap();
    let missing = desk.call("get_buckets", json!({})).await.unwrap_err();
    assert!(matches!(missing, ToolError::Credentials(_)), "{missing}");

    private::write(&desk.auth_file("kinto"), &auth).unwrap();
    let bucket = format!("first-{}", std::process::id());
    let body = json!({"data": {"id": bucket}});
    let created = desk.call_approved("create_bucket", body).await.unwrap();
    assert_eq!(
        (created.status, &created.value["data"]["id"]),
        (Some(201), &json!(bucket))
    );
    let body = json!({"bucket_id": bucket, "data": {"id": "notes"}});
    desk.call_approved("create_collection", body).await.unwrap();
    let body = json!({"bucket_id": bucket, "collection_id": "notes", "data": {"title": "one"}});
    desk.call_approved("create_record", body).await.unwrap();
    let listed = json!({"bucket_id": bucket, "collection_id": "notes"});
    let listed = desk.call("get_records", listed).await.unwrap();
    assert_eq!(listed.value["data"][0]["title"], "one");
    let (status, _) = plain
        .get(&format!("/v1/buckets/{bucket}/collections/notes/records"))
        .await;
    assert_eq!(status, 401);
    desk.call_approved("delete_bucket", json!({"id": bucket}))
        .await
        .unwrap();
    let gone = desk
        .call("get_bucket", json!({"id": bucket}))
        .await
        .unwrap_err();
    assert!(matches!(gone.status(), Some(403 | 404)), "{gone}");
    let events = serde_json::to_string(&desk.audit.events()).unwrap();
    assert!(!events.contains(&password));
    eprintln!(
        "kinto: ready in {:.1?}, tested in {:.1?}",
        started.took,
        begun.elapsed()
    );
}
