//! Operations on items.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::running::{Answered, Running};

/// The SKUs of the items in a response.
fn skus(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["sku"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn an_item_is_created_and_read_back() {
    let depot = Running::empty().await;
    let new = json!({
        "sku": "LAMP-0042", "name": "Lamp", "description": "Brass.", "quantity": 12,
        "unit_price": 79.5, "weight_kg": 0.1, "received_on": "2026-03-14",
        "tags": ["lighting", "fragile"],
        "location": {"kind": "shelf", "name": "S2", "within": {"kind": "site", "name": "A"}},
        "attributes": {"colour": "brass"},
    });
    let created = depot.post("/items", &new).await.expect(StatusCode::CREATED);
    for (field, value) in new.as_object().unwrap() {
        assert_eq!(&created[field], value, "{field}");
    }
    assert_eq!(created["status"], "in_stock");
    let path = format!("/items/{}", created["id"].as_str().unwrap());
    assert_eq!(depot.get(&path).await.expect(StatusCode::OK), created);
}

#[tokio::test]
async fn omitted_fields_are_null_or_empty() {
    let depot = Running::empty().await;
    let path = depot.item("LAMP-001").await;
    let item = depot.get(&path).await.expect(StatusCode::OK);
    for field in [
        "description",
        "unit_price",
        "weight_kg",
        "received_on",
        "location",
    ] {
        assert_eq!(item[field], Value::Null, "{field}");
    }
    assert_eq!(
        (&item["tags"], &item["attributes"]),
        (&json!([]), &json!({}))
    );
}

#[tokio::test]
async fn a_creation_with_a_key_happens_once() {
    let depot = Running::empty().await;
    let create = |key: &str, sku: &str| {
        let new = json!({"sku": sku, "name": "Lamp", "quantity": 1});
        depot
            .request("POST", "/items")
            .header("Idempotency-Key", key)
            .json(&new)
    };
    let first = create("key-00001", "LAMP-001").send().await.unwrap();
    assert!(first.headers().get("Idempotency-Replayed").is_none());
    let first: Value = first.json().await.unwrap();
    depot
        .delete(&format!("/items/{}", first["id"].as_str().unwrap()))
        .await;

    let second = create("key-00001", "LAMP-001").send().await.unwrap();
    assert_eq!(second.status(), StatusCode::CREATED);
    assert_eq!(second.headers()["Idempotency-Replayed"], "true");
    assert_eq!(second.json::<Value>().await.unwrap(), first);
    assert_eq!(skus(&depot.get("/items").await.json), [""; 0]);

    Answered::send(create("key-00001", "LAMP-002"))
        .await
        .assert_error(422, "idempotency_key_reused", Some("Idempotency-Key"));
    Answered::send(create("short", "LAMP-002"))
        .await
        .assert_error(400, "invalid_parameter", Some("Idempotency-Key"));
}

#[tokio::test]
async fn skus_are_unique() {
    let depot = Running::empty().await;
    depot.item("LAMP-001").await;
    let again = json!({"sku": "LAMP-001", "name": "Lamp", "quantity": 1});
    depot
        .post("/items", &again)
        .await
        .assert_error(409, "duplicate_sku", Some("sku"));
}

#[tokio::test]
async fn invalid_values_are_rejected_with_their_path() {
    let depot = Running::empty().await;
    for (field, wrong, place) in [
        ("sku", json!("lamp"), "sku"),
        ("name", json!(""), "name"),
        ("name", json!(null), "name"),
        ("name", json!("x".repeat(121)), "name"),
        ("quantity", json!(-1), "quantity"),
        ("quantity", json!(1.5), "quantity"),
        ("quantity", json!(100_001), "quantity"),
        ("unit_price", json!("1"), "unit_price"),
        ("weight_kg", json!(0), "weight_kg"),
        ("received_on", json!("2026-02-30"), "received_on"),
        ("tags", json!(["a", "B"]), "tags[1]"),
        ("tags", json!(["a", "a"]), "tags"),
        (
            "location",
            json!({"kind": "planet", "name": "A"}),
            "location.kind",
        ),
        (
            "location",
            json!({"kind": "bin", "name": "A", "in": 1}),
            "location.in",
        ),
        ("attributes", json!({"a": 1}), "attributes.a"),
        ("colour", json!("red"), "colour"),
    ] {
        let mut new = json!({"sku": "LAMP-001", "name": "Lamp", "quantity": 1});
        new[field] = wrong;
        depot
            .post("/items", &new)
            .await
            .assert_error(422, "invalid_value", Some(place));
    }
    let missing = json!({"sku": "LAMP-001", "name": "Lamp"});
    depot
        .post("/items", &missing)
        .await
        .assert_error(422, "invalid_value", None);
    assert_eq!(skus(&depot.get("/items").await.json), [""; 0]);
}

#[tokio::test]
async fn invalid_json_is_a_malformed_body() {
    let depot = Running::empty().await;
    for body in ["", "{", "{} {}", "\u{0}"] {
        let request = depot.request("POST", "/items").body(body);
        Answered::send(request)
            .await
            .assert_error(400, "malformed_body", None);
    }
    let request = depot.request("POST", "/items").body(" ".repeat(70_000));
    Answered::send(request)
        .await
        .assert_error(413, "too_large", None);
}

#[tokio::test]
async fn pages_cover_the_whole_list() {
    let depot = Running::empty().await;
    for n in 1..=5 {
        depot.item(&format!("LAMP-00{n}")).await;
    }
    let mut seen = Vec::new();
    let mut path = "/items?limit=2".to_owned();
    loop {
        let page = depot.get(&path).await.expect(StatusCode::OK);
        seen.extend(skus(&page).into_iter().map(str::to_owned));
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        path = format!("/items?limit=2&cursor={cursor}");
    }
    assert_eq!(
        seen,
        ["LAMP-001", "LAMP-002", "LAMP-003", "LAMP-004", "LAMP-005"]
    );
}

#[tokio::test]
async fn all_filters_must_match() {
    let depot = Running::with_samples().await;
    for (query, expected) in [
        ("status=reserved", vec!["CHAIR-100"]),
        (
            "status=in_stock&tag=lighting",
            vec!["LAMP-0042", "LAMP-0043", "BULB-027"],
        ),
        (
            "tag=lighting&tag=fragile",
            vec!["LAMP-0042", "BULB-027", "SIGN-005"],
        ),
        (
            "quantity[min]=2&quantity[max]=8",
            vec!["LAMP-0043", "TABLE-210", "CRATE-011"],
        ),
        ("quantity%5Bmin%5D=100", vec!["BULB-027"]),
        ("tag=nothing", vec![]),
    ] {
        let page = depot
            .get(&format!("/items?{query}"))
            .await
            .expect(StatusCode::OK);
        assert_eq!(skus(&page), expected, "{query}");
    }
}

#[tokio::test]
async fn invalid_parameters_are_rejected_by_name() {
    let depot = Running::empty().await;
    let many_tags = "tag=a&".repeat(11);
    for (query, name) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("limit=1&limit=2", "limit"),
        ("cursor=nonsense", "cursor"),
        ("status=lost", "status"),
        ("tag=UPPER", "tag"),
        (many_tags.trim_end_matches('&'), "tag"),
        ("quantity[min]=-1", "quantity[min]"),
        ("colour=red", "colour"),
    ] {
        let page = depot.get(&format!("/items?{query}")).await;
        page.assert_error(400, "invalid_parameter", Some(name));
    }
}

#[tokio::test]
async fn a_search_matches_every_word() {
    let depot = Running::with_samples().await;
    for (words, expected) in [
        ("LAMP", vec!["LAMP-0043", "LAMP-0042"]),
        ("lamp brass", vec!["LAMP-0042"]),
        ("fragile open", vec!["SIGN-005"]),
        ("100%25", vec![]),
    ] {
        let found = depot.get(&format!("/items/search?q={words}")).await;
        assert_eq!(skus(&found.expect(StatusCode::OK)), expected, "{words}");
    }
    let one = depot
        .get("/items/search?q=lamp&limit=1")
        .await
        .expect(StatusCode::OK);
    assert_eq!(skus(&one), ["LAMP-0043"]);
    let long = format!("/items/search?q={}", "x".repeat(101));
    for path in ["/items/search", "/items/search?q=%20", long.as_str()] {
        depot
            .get(path)
            .await
            .assert_error(400, "invalid_parameter", Some("q"));
    }
}

#[tokio::test]
async fn an_update_replaces_the_given_fields() {
    let depot = Running::with_samples().await;
    let path = "/items/0b8a4ac2-6f7e-4f0c-8c39-5d1f7a2e9b10";
    let before = depot.get(path).await.expect(StatusCode::OK);
    let changes = json!({"quantity": 11, "unit_price": null, "tags": ["sale"]});
    let after = depot.patch(path, &changes).await.expect(StatusCode::OK);
    let mut expected = before;
    for field in ["quantity", "unit_price", "tags"] {
        expected[field] = changes[field].clone();
    }
    expected["updated_at"] = after["updated_at"].clone();
    assert_eq!(after, expected);
    assert_eq!(depot.get(path).await.json, after);
    let found = depot.get("/items/search?q=sale").await.json;
    assert_eq!(skus(&found), ["LAMP-0042"]);

    depot
        .patch(path, &json!({}))
        .await
        .assert_error(422, "invalid_value", None);
    let sku = depot.patch(path, &json!({"sku": "LAMP-0099"})).await;
    sku.assert_error(422, "invalid_value", Some("sku"));
    let null = depot.patch(path, &json!({"quantity": null})).await;
    null.assert_error(422, "invalid_value", Some("quantity"));
}

#[tokio::test]
async fn items_follow_their_transitions() {
    let depot = Running::empty().await;
    let path = depot.item("LAMP-001").await;
    let transition = format!("{path}/transition");
    let shipped = depot.post(&transition, &json!({"to": "shipped"})).await;
    shipped.assert_error(409, "transition_not_allowed", Some("to"));
    depot
        .transition(&path, &["reserved", "in_stock", "reserved"])
        .await;
    depot
        .delete(&path)
        .await
        .assert_error(409, "item_reserved", None);
    depot.transition(&path, &["shipped"]).await;
    let back = depot.post(&transition, &json!({"to": "in_stock"})).await;
    back.assert_error(409, "transition_not_allowed", Some("to"));
    let update = depot.patch(&path, &json!({"quantity": 1})).await;
    update.assert_error(409, "item_shipped", None);
    let lost = depot.post(&transition, &json!({"to": "lost"})).await;
    lost.assert_error(422, "invalid_value", Some("to"));
}

#[tokio::test]
async fn deleting_an_item_frees_its_sku() {
    let depot = Running::empty().await;
    let path = depot.item("LAMP-001").await;
    assert_eq!(
        depot.delete(&path).await.expect(StatusCode::NO_CONTENT),
        Value::Null
    );
    depot.get(&path).await.assert_error(404, "not_found", None);
    depot
        .delete(&path)
        .await
        .assert_error(404, "not_found", None);
    depot.item("LAMP-001").await;
}

#[tokio::test]
async fn unknown_and_malformed_ids_are_rejected() {
    let depot = Running::empty().await;
    let none = "/items/00000000-0000-4000-8000-000000000000";
    let change = json!({"quantity": 1});
    let to = json!({"to": "reserved"});
    depot.get(none).await.assert_error(404, "not_found", None);
    depot
        .patch(none, &change)
        .await
        .assert_error(404, "not_found", None);
    depot
        .delete(none)
        .await
        .assert_error(404, "not_found", None);
    let moved = depot.post(&format!("{none}/transition"), &to).await;
    moved.assert_error(404, "not_found", None);
    for path in ["/items/42", "/items/%FF"] {
        depot
            .get(path)
            .await
            .assert_error(400, "invalid_parameter", Some("item_id"));
    }
}
