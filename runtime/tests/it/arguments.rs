//! Arguments are checked before anything is sent.

use serde_json::{Value, json};
use toolwright::{Kind, ToolError, ToolSpec, audit::Reason, request::PathFormats};

use crate::support::{Service, at, get_item, last_reason, no_credentials, spec, view_of};

async fn refusal_of(arguments: Value) -> ToolError {
    let service = Service::json(200, json!({})).await;
    let (view, audit) = view_of(at(get_item(), &service.url), no_credentials());
    let error = view
        .call_json("get-depot-item", arguments)
        .await
        .unwrap_err();
    assert_eq!(last_reason(&audit), Reason::InvalidArguments);
    assert!(service.seen().is_empty());
    error
}

#[tokio::test]
async fn all_mismatches_are_reported_at_once_and_without_values() {
    let error = refusal_of(json!({"limit": -4711, "colour": "hunter2"})).await;
    assert_eq!(error.code(), "invalid_arguments");
    assert!(!error.is_retryable());
    let text = error.to_string();
    assert!(
        text.contains("at `/limit`: the value is less than the minimum of 1"),
        "{text}"
    );
    assert!(text.contains("\"id\" is a required property"), "{text}");
    assert!(text.contains("'colour' was unexpected"), "{text}");
    assert!(
        !text.contains("4711") && !text.contains("hunter2"),
        "{text}"
    );
}

#[tokio::test]
async fn arguments_are_an_object() {
    for arguments in [json!([]), json!("x"), json!(1), json!(true)] {
        let text = refusal_of(arguments).await.to_string();
        assert!(text.ends_with("the arguments are not an object"), "{text}");
    }
}

#[tokio::test]
async fn missing_arguments_are_an_empty_object() {
    let service = Service::json(200, json!({})).await;
    let http = json!({"method": "GET", "path": "/"});
    let (view, _) = view_of(
        at(
            spec(
                "list-depot-items",
                Kind::Read,
                http,
                json!({"type": "object"}),
            ),
            &service.url,
        ),
        no_credentials(),
    );
    view.call_json("list-depot-items", Value::Null)
        .await
        .unwrap();
    assert_eq!(service.one().target, "/");
}

#[tokio::test]
async fn a_path_argument_never_leaves_its_segment() {
    for id in [
        "",
        ".",
        "..",
        "../admin",
        "7/secrets",
        "a/b?c#d",
        "%2e%2e",
        "7%2Fsecrets",
        "7%252fsecrets",
        "..\\x",
        "7\0",
        "7\r\nX: y",
        "7;a=b",
        "..;",
        "7?x",
        "7#x",
        "％2f",
        "7／secrets",
    ] {
        let text = refusal_of(json!({"id": id})).await.to_string();
        assert!(text.contains("at `/id`: "), "{id:?}: {text}");
        assert!(id.len() < 3 || !text.contains(id), "{id:?}: {text}");
    }
}

#[tokio::test]
async fn a_path_argument_is_sent_unchanged_in_its_segment() {
    let service = Service::json(200, json!({})).await;
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    for (id, target) in [
        ("a b", "/items/a%20b"),
        ("é:1@x,y+z", "/items/%C3%A9%3A1%40x%2Cy%2Bz"),
        ("100%", "/items/100%25"),
        ("v1..2", "/items/v1..2"),
        ("👩\u{200d}💻", "/items/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB"),
    ] {
        view.call_json("get-depot-item", json!({"id": id}))
            .await
            .unwrap();
        assert_eq!(service.seen().last().unwrap().target, target);
    }
}

/// The record of a tool with one path argument of this schema, and definitions next to it.
fn with_path_argument(schema: &Value) -> ToolSpec {
    let http = json!({"method": "GET", "path": "/items/{id}", "parameters": [
        {"name": "id", "location": "path", "value": {"argument": "id"}, "required": true,
         "style": "simple", "explode": false},
        {"name": "day", "location": "query", "value": {"argument": "day"},
         "style": "form", "explode": true},
    ]});
    let input = json!({
        "type": "object",
        "properties": {"id": schema, "day": {"type": "string", "format": "date"}},
        "required": ["id"],
        "$defs": {"Id": {"type": "string", "format": "uuid", "pattern": "(?<=a)("}},
    });
    spec("get-depot-item", Kind::Read, http, input)
}

#[tokio::test]
async fn the_format_of_a_path_argument_is_checked() {
    let uuid = "01234567-89ab-4def-8123-456789abcdef";
    for (schema, right, wrong) in [
        (json!({"format": "uuid"}), json!(uuid), json!("search")),
        (
            json!({"format": "date"}),
            json!("2026-02-28"),
            json!("2026-02-30"),
        ),
        (
            json!({"format": "date-time"}),
            json!("2026-01-02T03:04:05Z"),
            json!("now"),
        ),
        (
            json!({"format": "ipv4"}),
            json!("192.0.2.1"),
            json!("192.0.2.256"),
        ),
        (
            json!({"type": "integer", "format": "int32"}),
            json!(7),
            json!(2_147_483_648_i64),
        ),
        (
            json!({"type": "string", "format": "int64"}),
            json!("-7"),
            json!("7.5"),
        ),
        (
            json!({"type": "array", "items": {"format": "uuid"}}),
            json!([uuid]),
            json!([uuid, "x"]),
        ),
        (
            json!({"anyOf": [{"format": "uuid"}, {"const": "me"}]}),
            json!("me"),
            json!("all"),
        ),
    ] {
        let mut tool = with_path_argument(&schema);
        tool.input_schema.edit(|schema| schema["$defs"] = json!({}));
        let service = Service::json(200, json!({})).await;
        let (view, audit) = view_of(at(tool, &service.url), no_credentials());
        view.call_json("get-depot-item", json!({"id": right, "day": "a day"}))
            .await
            .unwrap();
        let error = view
            .call_json("get-depot-item", json!({"id": wrong}))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "invalid_arguments", "{schema}: {error}");
        assert_eq!(last_reason(&audit), Reason::InvalidArguments);
        assert_eq!(service.seen().len(), 1, "{schema}");
    }
}

#[test]
fn a_format_is_checked_through_a_reference_and_next_to_an_invalid_pattern() {
    let tool = with_path_argument(&json!({"$ref": "#/$defs/Id"}));
    let formats = PathFormats::default();
    let violations = formats.violations(&tool, &json!({"id": "search"})).unwrap();
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].pointer, "/id");
    assert!(!violations[0].message.contains("search"), "{violations:?}");
}
