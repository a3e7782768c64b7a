//! Tests of the service as a whole: the token, unknown paths, start, restart and end.

use reqwest::{StatusCode, multipart::Form};
use serde_json::json;
use toolwright_depot::{Depot, DepotConfig, DepotError, InitialStock, OPENAPI, Token, routes};

use crate::running::{Answered, Running};

#[tokio::test]
async fn every_operation_requires_the_token() {
    let depot = Running::with_samples().await;
    let other = Token::random();
    for route in routes() {
        let id = "0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10";
        let path = route.path.replace("{item_id}", id).replace("{file_id}", id);
        let method = reqwest::Method::from_bytes(route.method.as_bytes()).unwrap();
        let request = || depot.client.request(method.clone(), depot.url(&path));
        let without = request().send().await.unwrap();
        assert_eq!(without.headers()["WWW-Authenticate"], "Bearer", "{route:?}");
        for request in [
            request(),
            request().bearer_auth(other.expose()),
            request().basic_auth("depot", Some(depot.token.expose())),
        ] {
            Answered::send(request)
                .await
                .assert_error(401, "unauthorized", None);
        }
    }
    assert_eq!(
        depot
            .get(&format!(
                "/items/{}",
                "0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10"
            ))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn the_document_needs_no_token() {
    let depot = Running::empty().await;
    let response = depot.client.get(depot.document_url()).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["Content-Type"], "application/yaml");
    assert_eq!(response.text().await.unwrap(), OPENAPI);
}

#[tokio::test]
async fn unknown_paths_and_methods_get_the_same_error_shape() {
    let depot = Running::empty().await;
    depot
        .get("/nothing")
        .await
        .assert_error(404, "not_found", None);
    depot
        .get("/items/")
        .await
        .assert_error(404, "not_found", None);
    let put = depot.request("PUT", "/items").json(&json!({}));
    Answered::send(put)
        .await
        .assert_error(405, "method_not_allowed", None);
    let outside = depot
        .client
        .get(depot.document_url().replace("openapi", "nothing"));
    Answered::send(outside)
        .await
        .assert_error(404, "not_found", None);
}

#[tokio::test]
async fn a_restart_keeps_all_data() {
    let depot = Running::with_samples().await;
    let item = depot.item("LAMP-001").await;
    depot.transition(&item, &["reserved"]).await;
    depot
        .post(&format!("{item}/comments"), &json!({"text": "kept"}))
        .await
        .expect(StatusCode::CREATED);
    let form = Form::new()
        .text("label", "x")
        .part("file", reqwest::multipart::Part::bytes(vec![7]));
    let upload = depot
        .request("POST", &format!("{item}/files"))
        .multipart(form);
    Answered::send(upload).await.expect(StatusCode::CREATED);
    let new = json!({"sku": "LAMP-002", "name": "Lamp", "quantity": 1});
    let create = |depot: &Running| {
        depot
            .request("POST", "/items")
            .header("Idempotency-Key", "key-00001")
            .json(&new)
    };
    let created = Answered::send(create(&depot))
        .await
        .expect(StatusCode::CREATED);
    let paths = [
        "/items".to_owned(),
        format!("{item}/comments"),
        format!("{item}/files"),
    ];
    let mut before = Vec::new();
    for path in &paths {
        before.push(depot.get(path).await.expect(StatusCode::OK));
    }

    let depot = depot.restart(InitialStock::Samples).await;
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(
            depot.get(path).await.expect(StatusCode::OK),
            before,
            "{path}"
        );
    }
    assert_eq!(
        Answered::send(create(&depot))
            .await
            .expect(StatusCode::CREATED),
        created
    );
}

#[tokio::test]
async fn a_stopped_service_does_not_answer() {
    let depot = Running::empty().await;
    let client = depot.client.clone();
    depot.get("/items").await.expect(StatusCode::OK);
    let url = depot.end().await;
    assert!(client.get(url).send().await.unwrap_err().is_connect());
}

#[tokio::test]
async fn failed_starts_report_the_reason() {
    let depot = Running::empty().await;
    let port = depot
        .url("")
        .split(':')
        .nth(2)
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let config = |folder: std::path::PathBuf, port| DepotConfig {
        folder,
        token: Token::random(),
        port,
        initial_stock: InitialStock::Empty,
    };
    let taken = Depot::start(config(depot.folder.path().join("other"), port)).await;
    assert!(matches!(taken, Err(DepotError::Port(..))), "{taken:?}");

    let file = depot.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let folder = Depot::start(config(file, 0)).await;
    assert!(matches!(folder, Err(DepotError::Folder(..))), "{folder:?}");

    let spoilt = depot.folder.path().join("spoilt");
    std::fs::create_dir(&spoilt).unwrap();
    std::fs::write(spoilt.join("depot.sqlite3"), "not a database".repeat(100)).unwrap();
    let database = Depot::start(config(spoilt, 0)).await;
    assert!(
        matches!(database, Err(DepotError::Database(..))),
        "{database:?}"
    );
}

#[tokio::test]
async fn concurrent_requests_lose_no_data() {
    let depot = Running::empty().await;
    let new = |n: usize| json!({"sku": format!("LAMP-{:03}", n % 20), "name": "x", "quantity": 1});
    let requests: Vec<_> = (0..40)
        .map(|n| {
            tokio::spawn(Answered::send(
                depot.request("POST", "/items").json(&new(n)),
            ))
        })
        .collect();
    let mut created = 0;
    for request in requests {
        let answered = request.await.unwrap();
        if answered.status == StatusCode::CREATED {
            created += 1;
        } else {
            answered.assert_error(409, "duplicate_sku", Some("sku"));
        }
    }
    assert_eq!(created, 20);
    let list = depot.get("/items?limit=100").await.json;
    assert_eq!(list["items"].as_array().unwrap().len(), 20);
}
