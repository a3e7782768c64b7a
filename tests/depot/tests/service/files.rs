//! Operations on files.

use reqwest::{
    StatusCode,
    multipart::{Form, Part},
};
use serde_json::{Value, json};

use crate::running::{Answered, Running};

/// The maximum length of a file in bytes.
const MAX_FILE: usize = 1 << 20;

fn form(content: Vec<u8>, label: &str) -> Form {
    let part = Part::bytes(content).file_name("größe.pdf");
    let part = part.mime_str("application/pdf").unwrap();
    Form::new()
        .text("label", label.to_owned())
        .part("file", part)
}

async fn upload(depot: &Running, files: &str, form: Form) -> Answered {
    Answered::send(depot.request("POST", files).multipart(form)).await
}

#[tokio::test]
async fn downloads_equal_uploads() {
    let depot = Running::empty().await;
    let files = format!("{}/files", depot.item("LAMP-001").await);
    let content: Vec<u8> = (0..=255).cycle().take(MAX_FILE).collect();
    let stored = upload(&depot, &files, form(content.clone(), "data sheet")).await;
    let stored = stored.expect(StatusCode::CREATED);
    assert_eq!(stored["label"], "data sheet");
    assert_eq!(stored["filename"], "größe.pdf");
    assert_eq!(stored["media_type"], "application/pdf");
    assert_eq!(stored["size"], MAX_FILE);
    // Computed by another program.
    let sha256 = "fbbab289f7f94b25736c58be46a994c441fd02552cc6022352e3d86d2fab7c83";
    assert_eq!(stored["sha256"], sha256);
    assert_eq!(
        depot.get(&files).await.expect(StatusCode::OK),
        json!({"files": [stored]})
    );

    let path = format!("{files}/{}/content", stored["id"].as_str().unwrap());
    let response = depot.request("GET", &path).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        response.headers()["Content-Type"],
        "application/octet-stream"
    );
    let disposition = &response.headers()["Content-Disposition"];
    assert_eq!(
        disposition,
        "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe%2Epdf"
    );
    assert_eq!(response.bytes().await.unwrap(), content);
}

#[tokio::test]
async fn large_files_are_rejected() {
    let depot = Running::empty().await;
    let files = format!("{}/files", depot.item("LAMP-001").await);
    for size in [MAX_FILE + 1, 2 * MAX_FILE] {
        let response = upload(&depot, &files, form(vec![0; size], "big")).await;
        response.assert_error(413, "too_large", Some("file"));
    }
    assert_eq!(depot.get(&files).await.json, json!({"files": []}));
}

#[tokio::test]
async fn the_parts_of_a_form_are_checked() {
    let depot = Running::empty().await;
    let files = format!("{}/files", depot.item("LAMP-001").await);
    let file = || Part::bytes(vec![1]).file_name("a");
    for (form, place) in [
        (Form::new().text("label", "x"), "file"),
        (Form::new().part("file", file()), "label"),
        (form(vec![1], " "), "label"),
        (form(vec![1], &"x".repeat(81)), "label"),
        (form(vec![1], "x").text("colour", "red"), "colour"),
        (form(vec![1], "x").text("label", "y"), "label"),
    ] {
        let response = upload(&depot, &files, form).await;
        response.assert_error(422, "invalid_value", Some(place));
    }
    let json = depot.post(&files, &json!({})).await;
    json.assert_error(400, "malformed_body", None);
    let broken = depot.request("POST", &files).body("--x\r\nbroken");
    let broken = broken.header("Content-Type", "multipart/form-data; boundary=x");
    Answered::send(broken)
        .await
        .assert_error(400, "malformed_body", None);
}

#[tokio::test]
async fn files_are_deleted_with_their_item() {
    let depot = Running::empty().await;
    let item = depot.item("LAMP-001").await;
    let other = depot.item("LAMP-002").await;
    let stored = upload(&depot, &format!("{item}/files"), form(vec![1], "x")).await;
    let id = stored.expect(StatusCode::CREATED)["id"].clone();
    let id = id.as_str().unwrap();
    let through_other = depot.get(&format!("{other}/files/{id}/content")).await;
    through_other.assert_error(404, "not_found", None);
    depot.delete(&item).await.expect(StatusCode::NO_CONTENT);
    let gone = depot.get(&format!("{item}/files/{id}/content")).await;
    gone.assert_error(404, "not_found", None);
    let malformed = depot.get(&format!("{other}/files/42/content")).await;
    malformed.assert_error(400, "invalid_parameter", Some("file_id"));
    depot
        .get(&format!("{item}/files"))
        .await
        .assert_error(404, "not_found", None);
    let late = upload(&depot, &format!("{item}/files"), form(vec![1], "x")).await;
    late.assert_error(404, "not_found", None);
    assert_eq!(
        depot.get(&format!("{other}/files")).await.json["files"],
        Value::Array(vec![])
    );
}
