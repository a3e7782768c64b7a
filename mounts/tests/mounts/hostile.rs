//! A server that breaks the rules.

use std::time::{Duration, Instant};

use toolwright::{
    ToolError,
    audit::{Reason, RefusalReason},
};
use toolwright_mounts::DefinitionFault;

use crate::world::{READ, World, listing};

/// The reason in the audit for a definition that is not the accepted one.
const CHANGED: Option<Reason> = Some(Reason::Policy(RefusalReason::DefinitionChanged));

fn is_unknown(error: &ToolError) -> bool {
    matches!(error, ToolError::ToolNotPermitted { .. })
}

pub(crate) async fn a_changed_definition_is_off() {
    let world = World::new().await;
    let view = world.view("changed");
    assert!(view.spec(READ).is_some());
    let first = World::read(&view).await.unwrap_err();
    assert!(is_unknown(&first), "{first:?}");
    // From now on it is refused before the server is asked, and agents do not see it.
    let second = World::read(&view).await.unwrap_err();
    let unknown = view
        .call_json("get-notes-nothing", serde_json::json!({}))
        .await;
    let unknown = unknown.unwrap_err().to_string();
    assert_eq!(second.to_string(), unknown.replace("nothing", "note"));
    assert!(view.spec(READ).is_none());
    let _ = World::read(&view).await;
    assert_eq!(world.reason(), CHANGED);
    let changes = world.changes.lock().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0].mounted_tool, "get_note");
    assert!(changes[0].definition.is_some());
}

pub(crate) async fn a_definition_that_changes_later_is_off() {
    let world = World::new().await;
    let view = world.view("changes-later");
    // The server announces the change while it answers the first call.
    assert!(World::read(&view).await.is_ok());
    let error = World::read(&view).await.unwrap_err();
    assert!(is_unknown(&error), "{error:?}");
    let _ = World::read(&view).await;
    assert_eq!(world.reason(), CHANGED);
}

pub(crate) async fn an_unaccepted_tool_is_off() {
    let mut world = World::new().await;
    world.lock.remove("get_note");
    let error = World::read(&world.view("plain")).await.unwrap_err();
    assert!(is_unknown(&error));
    assert_eq!(world.reason(), CHANGED);
}

pub(crate) async fn a_changed_document_is_off() {
    let mut world = World::new().await;
    // An agent that writes the document changes nothing: the lock has the digest.
    let changed = listing("changed").await.unwrap();
    world
        .document
        .insert(changed.definitions["get_note"].clone());
    for behaviour in ["plain", "changed"] {
        let error = World::read(&world.view(behaviour)).await.unwrap_err();
        assert!(is_unknown(&error));
        assert_eq!(world.reason(), CHANGED);
    }
}

pub(crate) async fn hidden_text_is_reported_and_removed() {
    let listing = listing("hidden").await.unwrap();
    let hidden = listing.definitions["get_note"].hidden();
    assert_eq!(hidden.len(), 1);
    assert_eq!(hidden[0].pointer, "/description");
    assert!(
        hidden[0]
            .text
            .contains("\\u{e0049}\\u{202e}\\u{200b}\\u{1b}"),
        "{hidden:?}"
    );
    let world = World::accepting("hidden").await;
    let spec = world
        .specs()
        .into_iter()
        .find(|spec| spec.name.as_str() == READ)
        .unwrap();
    let record = serde_json::to_string(&spec).unwrap();
    assert!(!toolwright_model::text::has_invisible(&record), "{record}");
    assert!(!record.contains("\\u001b"), "{record}");
}

pub(crate) async fn bombs_and_foreign_references_are_refused() {
    let listing = listing("bomb").await.unwrap();
    assert_eq!(
        listing.definitions.keys().collect::<Vec<_>>(),
        ["delete_note"]
    );
    assert_eq!(listing.faults["read_bomb"], DefinitionFault::TooDeep);
    let foreign = DefinitionFault::Reference("file:///etc/passwd".to_owned());
    assert_eq!(listing.faults["read_file"], foreign);
}

pub(crate) async fn two_tools_of_one_name_are_refused() {
    let listing = listing("twice").await.unwrap();
    assert_eq!(listing.faults["get_note"], DefinitionFault::Duplicate);
    assert!(!listing.definitions.contains_key("get_note"));
}

pub(crate) async fn endless_lists_end() {
    for (behaviour, expected) in [
        ("endless-pages", "more than 64 pages"),
        ("endless-tools", "more than 200 tools"),
        ("never-answers", "was not ready within 5 s"),
        ("dies-at-once", "ended with exit code 7"),
    ] {
        let error = listing(behaviour).await.unwrap_err();
        assert!(error.contains(expected), "{behaviour}: {error}");
    }
}

pub(crate) async fn results_are_limited() {
    let world = World::new().await;
    let error = World::read(&world.view("huge-result")).await.unwrap_err();
    assert_eq!(error.code(), "answer_too_large");
    // A line without an end does not fill the memory, and does not wait for the timeout.
    let begun = Instant::now();
    let error = World::read(&world.view("endless-line")).await.unwrap_err();
    assert_eq!(error.code(), "connection_broken", "{error:?}");
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

pub(crate) async fn answers_that_are_none_fail() {
    let world = World::new().await;
    for (behaviour, code) in [
        ("invalid-json", "timeout"),
        ("silent-call", "timeout"),
        ("another-result", "unusable_answer"),
        ("needs-input", "unusable_answer"),
    ] {
        let error = World::read(&world.view(behaviour)).await.unwrap_err();
        assert_eq!(error.code(), code, "{behaviour}: {error:?}");
    }
}

pub(crate) async fn a_server_that_dies_is_started_again() {
    let world = World::new().await;
    let view = world.view("dies-in-call");
    let first = World::read(&view).await.unwrap_err();
    assert_eq!(first.code(), "connection_broken", "{first:?}");
    // There is no attempt before the pause is over.
    let begun = Instant::now();
    let second = World::read(&view).await.unwrap_err();
    assert!(second.is_retryable() && begun.elapsed() < Duration::from_millis(500));
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    // It is started again, dies again, and the next pause is longer.
    let third = World::read(&view).await.unwrap_err();
    assert_eq!(third.code(), "connection_broken");
}

pub(crate) async fn a_flood_of_notifications_is_no_harm() {
    let world = World::new().await;
    assert_eq!(
        World::read(&world.view("floods")).await.unwrap(),
        "the note a"
    );
}

pub(crate) async fn a_flood_of_requests_ends_the_connection() {
    let world = World::new().await;
    let error = World::read(&world.view("floods-with-requests"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "connection_broken");
}

pub(crate) async fn the_sandbox_confines_the_server() {
    let world = World::new().await;
    let tried = World::read(&world.view("reads-secrets")).await.unwrap();
    assert_eq!(tried, "[false, false, false] false refused=true");
}
