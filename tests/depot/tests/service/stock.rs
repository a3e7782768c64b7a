//! Operations that derive data.

use reqwest::StatusCode;
use serde_json::json;

use crate::running::Running;

#[tokio::test]
async fn the_report_counts_all_items() {
    let depot = Running::with_samples().await;
    let report = depot.get("/reports/stock").await.expect(StatusCode::OK);
    assert_eq!(report["total"], json!({"items": 7, "units": 705}));
    assert_eq!(
        report["by_status"]["shipped"],
        json!({"items": 1, "units": 1})
    );
    assert_eq!(report["value"], 6419.0);
    let low: Vec<_> = report["low"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["sku"])
        .collect();
    assert_eq!(low, ["CABLE-300", "CRATE-011", "LAMP-0043"]);
    let sites: Vec<_> = report["places"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| &p["name"])
        .collect();
    assert_eq!(sites, ["Antwerp", "Rotterdam"]);
    let none = depot
        .get("/reports/stock?low_below=0")
        .await
        .expect(StatusCode::OK);
    assert_eq!(none["low"], json!([]));
    let response = depot.get("/reports/stock?low_below=many").await;
    response.assert_error(400, "invalid_parameter", Some("low_below"));
}

#[tokio::test]
async fn a_simulation_changes_nothing() {
    let depot = Running::with_samples().await;
    let before = depot.get("/items").await.json;
    let order = json!({"lines": [
        {"sku": "LAMP-0042", "quantity": 12},
        {"sku": "CHAIR-100", "quantity": 1},
        {"sku": "NONE-0001", "quantity": 1},
    ]});
    let simulation = depot
        .post("/orders/simulate", &order)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        simulation,
        json!({"fillable": false, "total": 954.0, "lines": [
            {"outcome": "filled", "sku": "LAMP-0042", "remaining": 0},
            {"outcome": "short", "sku": "CHAIR-100", "available": 0, "missing": 1},
            {"outcome": "unknown", "sku": "NONE-0001"},
        ]})
    );
    assert_eq!(depot.get("/items").await.json, before);
}

#[tokio::test]
async fn orders_need_lines_with_quantities() {
    let depot = Running::empty().await;
    let line = json!({"sku": "LAMP-001", "quantity": 1});
    for (order, place) in [
        (json!({"lines": []}), "lines"),
        (json!({"lines": vec![line; 51]}), "lines"),
        (
            json!({"lines": [{"sku": "LAMP-001", "quantity": 0}]}),
            "lines[0].quantity",
        ),
        (
            json!({"lines": [{"sku": "lamp", "quantity": 1}]}),
            "lines[0].sku",
        ),
    ] {
        let response = depot.post("/orders/simulate", &order).await;
        response.assert_error(422, "invalid_value", Some(place));
    }
}
