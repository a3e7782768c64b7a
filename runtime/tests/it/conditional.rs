//! Conditional requests: the version that an update expects, and the errors 304 and 412.

use axum::response::Response;
use serde_json::json;
use toolwright::{ToolSpec, audit::Done};

use crate::{
    changes::{CLERK, Shop, item, update_item},
    support::{
        Seen, Service, answer, at, create_item, get_item, no_credentials, view_of, with_binding,
    },
};

/// The tool of [`update_item`] whose document declares `If-Match`.
fn conditional_update() -> ToolSpec {
    let mut update = with_binding(update_item(), |binding| {
        let header = json!({"name": "If-Match", "location": "header",
                            "value": {"argument": "if_match"}, "style": "simple", "explode": false});
        binding
            .parameters
            .push(serde_json::from_value(header).unwrap());
    });
    let mut schema = update.input_schema.whole().clone();
    schema["properties"]["if_match"] = json!({"type": "string"});
    update.input_schema = schema.into();
    update
}

/// Answers with the item in this version, and to updates of another one with 412.
fn versioned(etag: &'static str) -> impl Fn(Seen) -> Response + Clone + Send + Sync + 'static {
    move |seen| {
        let expected = seen.header("if-match");
        if seen.method == "PATCH" && expected.is_some_and(|expected| expected != "\"v1\"") {
            return answer(412, "application/json", "{}");
        }
        let mut response = answer(200, "application/json", item().to_string());
        response.headers_mut().insert("etag", etag.parse().unwrap());
        response
    }
}

#[tokio::test]
async fn an_approved_update_is_sent_only_if_nothing_has_changed_since_it_was_shown() {
    let own = json!({"item": "7", "name": "Nut", "if_match": "\"mine\""});
    let plain = json!({"item": "7", "name": "Nut"});
    for (etag, update, arguments, sent, end) in [
        ("\"v1\"", conditional_update(), &plain, Some("\"v1\""), "ok"),
        (
            "\"v0\"",
            conditional_update(),
            &plain,
            Some("\"v0\""),
            "precondition_failed",
        ),
        ("W/\"v1\"", conditional_update(), &plain, None, "ok"),
        (
            "\"v1\"",
            conditional_update(),
            &own,
            Some("\"mine\""),
            "precondition_failed",
        ),
        ("\"v1\"", update_item(), &plain, None, "ok"),
    ] {
        let shop = Shop::of([update, get_item()], CLERK, versioned(etag)).await;
        assert_eq!(shop.call(arguments.clone()).await, "approval_required");
        shop.approve().await;
        assert_eq!(
            shop.call(arguments.clone()).await,
            end,
            "{etag} {arguments}"
        );
        let seen = shop.service.seen();
        let updates: Vec<_> = seen.iter().filter(|seen| seen.method == "PATCH").collect();
        assert_eq!(updates.len(), 1);
        assert_eq!(updates[0].header("if-match"), sent, "{etag} {arguments}");
    }
}

#[tokio::test]
async fn a_condition_that_does_not_hold_is_an_error_of_its_own() {
    for (status, code) in [(304, "not_modified"), (412, "precondition_failed")] {
        let service =
            Service::start(move |_| async move { answer(status, "text/plain", "") }).await;
        let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
        let called = view.call_json("get-depot-item", json!({"id": "1"})).await;
        let error = called.unwrap_err();
        assert_eq!(
            (error.code(), error.status(), error.done()),
            (code, Some(status), None)
        );
        assert!(!error.is_retryable());
    }
    let service = Service::start(|_| async { answer(412, "text/plain", "") }).await;
    let tool = ToolSpec {
        approval_required: false,
        ..at(create_item(), &service.url)
    };
    let (view, _) = view_of(tool, no_credentials());
    let called = view
        .call_json("create-depot-item", json!({"name": "bolt"}))
        .await;
    assert_eq!(called.unwrap_err().done(), Some(Done::No));
}

#[tokio::test]
async fn a_program_receives_the_version_of_an_answer() {
    for (etag, expected) in [
        ("\"v7\"".to_owned(), Some("\"v7\"")),
        (format!("\"{}\"", "v".repeat(300)), None),
    ] {
        let service = Service::start(move |_| {
            let mut response = answer(200, "application/json", "1");
            response.headers_mut().insert("etag", etag.parse().unwrap());
            async move { response }
        })
        .await;
        let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
        let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
        assert_eq!(output.unwrap().etag.as_deref(), expected);
    }
}
