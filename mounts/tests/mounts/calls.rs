//! Calls of a server that behaves.

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use serde_json::json;
use tokio::time::timeout;
use toolwright::{Category, Effect, ToolError, audit::Reason};
use toolwright_mounts::Document;
use toolwright_sandbox::Support;

use crate::world::{READ, World, config, service};

pub(crate) async fn an_accepted_tool_is_called() {
    let world = World::new().await;
    let view = world.view("plain");
    assert_eq!(World::read(&view).await.unwrap(), "the note a");
    assert_eq!(world.reason(), Some(Reason::Granted));
    assert!(world.changes.lock().unwrap().is_empty());
    let refused = view.call_json(READ, json!({"path": 1})).await.unwrap_err();
    assert!(matches!(refused, ToolError::InvalidArguments { .. }));
    // A tool that changes something waits for a person, as any other.
    let waits = view
        .call_json("delete-notes-note", json!({"path": "a"}))
        .await;
    assert!(matches!(waits, Err(ToolError::ApprovalRequired { .. })));
}

pub(crate) async fn names_and_classes_come_from_the_generator() {
    let world = World::new().await;
    let specs = world.specs();
    let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["delete-notes-note", READ]);
    let (delete, read) = (&specs[0], &specs[1]);
    assert_eq!(
        (read.category, read.effect),
        (Category::Observe, Effect::Read)
    );
    assert_eq!(delete.effect, Effect::Delete);
    assert!(delete.approval_required && !delete.enabled_by_default);
    assert_eq!(read.mcp().unwrap().tool, "get_note");
    assert!(read.endpoint().is_none());
    let decided = delete.evidence.iter().any(|evidence| evidence.decided);
    assert!(decided, "{:?}", delete.evidence);
}

pub(crate) async fn a_failure_is_an_error_without_hidden_characters() {
    let world = World::new().await;
    let error = World::read(&world.view("fails")).await.unwrap_err();
    assert_eq!(error.code(), "tool_failed");
    assert_eq!(error.to_string(), "no such note: [31mred");
}

pub(crate) async fn a_secret_never_leaves() {
    let world = World::new().await;
    let secret = "s3cret-of-the-notes-server";
    let file = world.folder.path().join("token.txt");
    fs::write(&file, format!("{secret}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let more = "secret_files = { NOTE_TOKEN = \"token.txt\" }\nenvironment = { COLOUR = \"blue\" }";
    let config = config(world.folder.path(), "shows-environment", more);
    let shown = World::read(&world.view_with(&config))
        .await
        .unwrap()
        .to_string();
    assert!(!shown.contains(secret), "{shown}");
    assert!(
        shown.contains("NOTE_TOKEN") && shown.contains("blue"),
        "{shown}"
    );
    // Nothing of the environment of this program.
    assert!(
        !shown.contains("CARGO") && !shown.contains("HOME"),
        "{shown}"
    );
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let error = World::read(&world.view_with(&config)).await.unwrap_err();
    assert_eq!(error.code(), "unsendable", "{error:?}");
    assert!(!format!("{error:?}").contains(secret));
}

pub(crate) async fn a_missing_layer_refuses() {
    let world = World::new().await;
    let server = config(world.folder.path(), "plain", "").mcp[&service()]
        .value
        .clone();
    let mount = toolwright_mounts::Mount::new(
        service(),
        server,
        world.lock.clone(),
        &Document::default(),
        |_| {},
    );
    let mount =
        mount.with_sandbox(toolwright_sandbox::Sandbox::new().with_support(Support::default()));
    let error = mount.listing().await.unwrap_err().to_string();
    assert!(error.contains("cannot confine"), "{error}");
}

pub(crate) async fn a_dropped_call_does_not_harm_the_next() {
    let world = World::new().await;
    let view = world.view("silent-call");
    let dropped = timeout(Duration::from_millis(500), World::read(&view)).await;
    assert!(dropped.is_err());
    // The server still answers what it answers.
    let error = World::read(&view).await.unwrap_err();
    assert_eq!(error.code(), "timeout");
}
