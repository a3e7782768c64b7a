//! Operations on comments.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::running::Running;

#[tokio::test]
async fn comments_keep_their_order() {
    let depot = Running::empty().await;
    let comments = format!("{}/comments", depot.item("LAMP-001").await);
    let other = format!("{}/comments", depot.item("LAMP-002").await);
    for text in ["one", "two", "three"] {
        let new = json!({"text": text, "author": "quality"});
        let added = depot
            .post(&comments, &new)
            .await
            .expect(StatusCode::CREATED);
        assert_eq!(
            (&added["text"], &added["author"]),
            (&json!(text), &json!("quality"))
        );
    }
    let first = depot
        .get(&format!("{comments}?limit=2"))
        .await
        .expect(StatusCode::OK);
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = depot
        .get(&format!("{comments}?limit=2&cursor={cursor}"))
        .await;
    let second = second.expect(StatusCode::OK);
    let texts: Vec<_> = [&first, &second]
        .iter()
        .flat_map(|page| page["comments"].as_array().unwrap())
        .map(|comment| comment["text"].clone())
        .collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert_eq!(second["next_cursor"], Value::Null);
    assert_eq!(depot.get(&other).await.json["comments"], json!([]));
}

#[tokio::test]
async fn the_default_author_is_anonymous() {
    let depot = Running::empty().await;
    let comments = format!("{}/comments", depot.item("LAMP-001").await);
    let added = depot.post(&comments, &json!({"text": "hm"})).await;
    assert_eq!(added.expect(StatusCode::CREATED)["author"], "anonymous");
}

#[tokio::test]
async fn a_comment_does_not_change_its_item() {
    let depot = Running::empty().await;
    let item = depot.item("LAMP-001").await;
    let before = depot.get(&item).await.json;
    depot
        .post(&format!("{item}/comments"), &json!({"text": "hm"}))
        .await;
    assert_eq!(depot.get(&item).await.json, before);
}

#[tokio::test]
async fn invalid_comments_are_rejected() {
    let depot = Running::empty().await;
    let comments = format!("{}/comments", depot.item("LAMP-001").await);
    let blank = depot.post(&comments, &json!({"text": " "})).await;
    blank.assert_error(422, "invalid_value", Some("text"));
    let missing = depot.post(&comments, &json!({})).await;
    missing.assert_error(422, "invalid_value", None);
    let none = "/items/00000000-0000-4000-8000-000000000000/comments";
    depot.get(none).await.assert_error(404, "not_found", None);
    let added = depot.post(none, &json!({"text": "hm"})).await;
    added.assert_error(404, "not_found", None);
    // The cursor of another list is rejected too.
    depot.item("LAMP-002").await;
    let items = depot.get("/items?limit=1").await.json;
    let cursor = items["next_cursor"].as_str().unwrap();
    let page = depot.get(&format!("{comments}?cursor={cursor}")).await;
    page.assert_error(400, "invalid_parameter", Some("cursor"));
}
