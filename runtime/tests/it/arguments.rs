//! Arguments are checked before anything is sent.

use serde_json::{Value, json};
use toolwright::{Kind, ToolError, audit::Reason};

use crate::support::{Service, at, get_item, last_reason, no_credentials, spec, view_of};

async fn refused(arguments: Value) -> ToolError {
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
async fn what_does_not_fit_is_told_all_at_once_and_without_values() {
    let error = refused(json!({"limit": -4711, "colour": "hunter2"})).await;
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
        let text = refused(arguments).await.to_string();
        assert!(text.ends_with("the arguments are not an object"), "{text}");
    }
}

#[tokio::test]
async fn no_arguments_are_none() {
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
async fn a_value_that_would_change_the_path_is_refused() {
    for id in ["", ".", ".."] {
        let error = refused(json!({"id": id})).await;
        assert!(
            error
                .to_string()
                .ends_with("at `/id`: would change the path of the request"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_value_that_looks_like_a_path_stays_in_its_segment() {
    let service = Service::json(200, json!({})).await;
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    for (id, target) in [
        ("../admin", "/items/..%2Fadmin"),
        ("a/b?c#d", "/items/a%2Fb%3Fc%23d"),
        ("%2e%2e", "/items/%252e%252e"),
        ("..\\x", "/items/..%5Cx"),
        ("é\r\nX: y", "/items/%C3%A9%0D%0AX%3A%20y"),
    ] {
        view.call_json("get-depot-item", json!({"id": id}))
            .await
            .unwrap();
        assert_eq!(service.seen().last().unwrap().target, target);
    }
}
