//! Chroma: lists, creates, renames and deletes collections.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::json;
use toolwright::{ToolSpec, private};
use toolwright_generator::{
    check::CheckedCatalog,
    emit::{self, CrateOptions},
    reconcile,
};
use toolwright_tests::real::{Real, RealService};

use crate::{
    desk::{Desk, generate},
    plain::Plain,
};

const CHROMA: RealService = RealService {
    name: "chroma",
    port: 8100,
    path: "/openapi.json",
    patience: Duration::from_secs(300),
};

const OVERLAY: &str = include_str!("chroma.overlay.toml");

/// The path of a collection for direct requests.
fn path_of(name: &str) -> String {
    format!("/api/v2/tenants/default_tenant/databases/default_database/collections/{name}")
}

#[tokio::test]
async fn collections_are_managed() {
    let Some(real) = Real::if_enabled() else {
        return;
    };
    let started = real.start(CHROMA).unwrap();
    let begun = Instant::now();
    let plain = Plain::new(CHROMA.url());
    let (_, document) = plain
        .send(reqwest::Method::GET, "/openapi.json", None)
        .await;
    let catalog = generate("chroma", &document, Some(OVERLAY));
    manage_collections(&plain, catalog.tool_specs()).await;
    eprintln!(
        "chroma: ready in {:.1?}, tested in {:.1?}",
        started.took,
        begun.elapsed()
    );
    drop(started);
    compile(&catalog);
}

/// Lists, creates, renames and deletes a collection.
async fn manage_collections(plain: &Plain, specs: Vec<ToolSpec>) {
    let desk = Desk::new("chroma", &CHROMA.url(), specs);
    // The document declares a token, although the service needs none.
    private::write(&desk.token_file("chroma"), "declared-and-never-asked-for").unwrap();

    let whole = json!({"tenant": "default_tenant", "database": "default_database"});
    let with = |more: serde_json::Value| {
        let mut arguments = whole.clone();
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        arguments
    };
    let (first, second) = (
        format!("first-{}", std::process::id()),
        format!("second-{}", std::process::id()),
    );

    let version = desk.call("version", json!({})).await.unwrap();
    assert!(version.value.is_string(), "{version:?}");
    let before = desk.call("list_collections", whole.clone()).await.unwrap();
    let before = before.value.as_array().unwrap().len();

    let arguments = with(json!({"name": first, "metadata": {"shelf": "seven"}}));
    let created = desk
        .call_approved("create_collection", arguments)
        .await
        .unwrap();
    let id = created.value["id"].as_str().unwrap();
    let (status, seen) = plain.get(&path_of(&first)).await;
    assert_eq!((status, seen["id"].as_str()), (200, Some(id)));
    assert_eq!(seen["metadata"]["shelf"], "seven");
    let after = desk.call("list_collections", whole.clone()).await.unwrap();
    assert_eq!(after.value.as_array().unwrap().len(), before + 1);

    let arguments = with(json!({"collection_id": id, "new_name": second}));
    desk.call("update_collection", arguments).await.unwrap();
    assert_eq!(plain.get(&path_of(&first)).await.0, 404);
    assert_eq!(plain.get(&path_of(&second)).await.0, 200);

    let arguments = with(json!({"collection_id": second}));
    let got = desk
        .call("get_collection", arguments.clone())
        .await
        .unwrap();
    assert_eq!(got.value["id"], id);
    desk.call_approved("delete_collection", arguments.clone())
        .await
        .unwrap();
    assert_eq!(plain.get(&path_of(&second)).await.0, 404);
    let gone = desk.call("get_collection", arguments).await.unwrap_err();
    assert_eq!((gone.code(), gone.status()), ("service_error", Some(404)));
}

/// Asserts that the document's generated crate compiles without a warning.
fn compile(catalog: &CheckedCatalog) {
    let begun = Instant::now();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap();
    let options = CrateOptions {
        checkout: Some(root.clone()),
        own_workspace: true,
    };
    let tree = emit::standalone(&catalog.services()[0], &options);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vendors/chroma");
    reconcile::write(&tree, &folder).unwrap();
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let checked = toolwright_test_cargo::command("check")
        .unwrap()
        .arg("--quiet")
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&checked.stderr), "");
    assert!(checked.status.success());
    eprintln!("chroma: the crate compiled in {:.1?}", begun.elapsed());
}
