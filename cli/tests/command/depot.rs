//! The approver of an update sees what it changes at a real service.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, Role,
    approval::{Changes, Decision, MemoryApprovals, Verdict},
    audit::MemoryAudit,
};
use toolwright_depot::{Depot, DepotConfig, InitialStock, OPENAPI, Token};
use toolwright_generator::{
    generate::{self, Input, Options},
    load::Memory,
};

const OVERLAY: &str = include_str!("../../../specs/depot/overlay.toml");
const UPDATE: &str = "[operations.updateItem]\n";

/// A registry of Depot's tools, whose updates a person must approve.
fn registry(depot: &Depot, token: &Token, root: &std::path::Path) -> Registry {
    let overlay = OVERLAY.replace(UPDATE, &format!("{UPDATE}approval_required = true\n"));
    let files = [("openapi.yaml", OPENAPI), ("overlay.toml", &overlay)];
    let files = files.map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
    let input = Input::new("openapi.yaml").overlay("overlay.toml");
    let files = Memory(BTreeMap::from(files));
    let outcome = generate::run(&[input], Options::default(), &files);
    let auth = json!({"base_url": depot.base_url(), "api_token": token.expose()});
    let file = root.join(".local/depot/admin-auth.json");
    toolwright::private::write(&file, auth.to_string()).unwrap();
    Registry::builder()
        .specs(outcome.catalog.unwrap().tool_specs())
        .credentials(Credentials::new(root).with_variables(|_| None))
        .approvals(Arc::new(MemoryApprovals::new()))
        .audit(MemoryAudit::new())
        .grant("clerk", "service:depot")
        .enable("update-*")
        .build()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_approver_of_an_update_sees_what_it_changes_at_depot() {
    let folder = tempfile::tempdir().unwrap();
    let token = Token::random();
    let depot = Depot::start(DepotConfig {
        folder: folder.path().join("depot"),
        token: token.clone(),
        port: 0,
        initial_stock: InitialStock::Samples,
    });
    let depot = depot.await.unwrap();
    let registry = registry(&depot, &token, folder.path());
    let view = registry.for_agent(&Role::new("clerk").unwrap());
    let items = view
        .call_json("list-depot-items", json!({"limit": 1}))
        .await
        .unwrap();
    let item = &items.value["items"][0];
    let arguments = json!({
        "item_id": item["id"], "name": "Another name", "tags": ["counted"], "quantity": item["quantity"],
    });
    let waits = view.call_json("update-depot-item", arguments.clone()).await;
    assert_eq!(waits.unwrap_err().code(), "approval_required");
    let now = Timestamp::now();
    let request = registry.approvals().pending(now).await.unwrap().remove(0);
    let Some(Changes::Read { tool, fields, .. }) = &request.changes else {
        panic!("{request:?}");
    };
    assert_eq!(tool.as_str(), "get-depot-item");
    let found: BTreeMap<_, _> = fields
        .iter()
        .map(|change| {
            (
                change.field.as_str(),
                (change.before.clone(), change.after.clone()),
            )
        })
        .collect();
    let before = |name: &str| Some(item[name].clone());
    let expected: [(_, (Option<Value>, Value)); 3] = [
        ("/name", (before("name"), json!("Another name"))),
        ("/quantity", (before("quantity"), item["quantity"].clone())),
        ("/tags", (before("tags"), json!(["counted"]))),
    ];
    assert_eq!(found, BTreeMap::from(expected));
    let decision = Decision::new(Verdict::Approved, "operator", now).unwrap();
    registry.decide(request.handle, decision).await.unwrap();
    let updated = view
        .call_json("update-depot-item", arguments)
        .await
        .unwrap();
    assert_eq!(updated.value["name"], "Another name");
    depot.shutdown().await.unwrap();
}
