//! A gRPC server of another implementation, in Python: every kind of method and message, through the gates
//! of the registry.
//!
//! With `TOOLWRIGHT_REAL=1`, its packages are installed below `REAL` (`target/real`). Without it, the tests
//! are skipped.
#![cfg(test)]

mod server;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::Shelf;
use toolwright::{ToolError, audit::What};

const BOOK: &str = "books/1";

/// A book with a value in every field but two.
fn book() -> Value {
    json!({
        "name": BOOK, "title": "Ünder", "copies": "-9223372036854775808",
        "largest": "18446744073709551615", "weight": 0.1, "price": 1.1, "cover": "/+8=",
        "lent": true, "state": "AWAY", "printed": "2026-01-02T03:04:05.000000006Z",
        "lending": "1.500s", "note": "", "limit": "9007199254740993",
        "extra": {"a": [1, null, {"b": true}], "c": "d"}, "anyValue": [1, "x"],
        "stock": {"a": 1, "b": -2}, "authors": {"-5": {"givenName": "Ann"}},
        "tags": ["x", "y"], "house": {"givenName": "Bo"}, "edition": 0,
        "sequel": {"name": "books/2"},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_keep_their_values() {
    let Some(shelf) = Shelf::start("") else {
        return;
    };
    let updated = shelf
        .call("update-shelf-book", json!({"book": book()}))
        .await
        .unwrap();
    let mut expected = book();
    expected["attachment"] =
        json!({"@type": "type.googleapis.com/shelf.v1.Author", "givenName": "packed"});
    for (key, value) in expected.as_object().unwrap() {
        let same = updated[key] == *value || key == "extra" || key == "anyValue";
        assert!(same, "{key}: {} instead of {value}", updated[key]);
    }
    assert_eq!(updated["extra"]["a"][2]["b"], true);
    let read = shelf
        .call("get-shelf-book", json!({"name": BOOK}))
        .await
        .unwrap();
    assert_eq!(read, updated);
    let mask =
        json!({"book": {"name": BOOK, "title": "New", "lent": false}, "updateMask": "title"});
    let masked = shelf.call("update-shelf-book", mask).await.unwrap();
    assert_eq!(
        (&masked["title"], &masked["lent"]),
        (&json!("New"), &json!(true))
    );
    let listed = shelf.call("list-shelf-books", json!({})).await.unwrap();
    assert_eq!(listed["books"][0]["name"], BOOK);
    let deleted = shelf
        .call("delete-shelf-book", json!({"name": BOOK}))
        .await
        .unwrap();
    assert_eq!(deleted, Value::Null);
    assert_eq!(
        shelf.call("list-shelf-books", json!({})).await.unwrap(),
        json!({})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_a_message_is_not_sent() {
    let Some(shelf) = Shelf::start("") else {
        return;
    };
    for (arguments, place) in [
        (json!({"book": {"name": 1}}), "/book/name"),
        (
            json!({"book": {"name": BOOK, "copies": "many"}}),
            "/book/copies",
        ),
        (json!({"book": {"name": BOOK, "unknown": 1}}), "/book"),
        (
            json!({"book": {"name": BOOK, "person": "a", "house": {}}}),
            "/book",
        ),
        (
            json!({"book": {"name": BOOK, "stock": {"a": "x"}}}),
            "/book/stock/a",
        ),
        (
            json!({"book": {"name": BOOK, "authors": {"x": {}}}}),
            "/book/authors",
        ),
    ] {
        let error = shelf
            .call("update-shelf-book", arguments.clone())
            .await
            .unwrap_err();
        let ToolError::InvalidArguments { violations, .. } = &error else {
            panic!("{arguments}: {error}");
        };
        assert!(
            violations[0].pointer.starts_with(place),
            "{arguments}: {violations:?}"
        );
    }
    assert_eq!(
        shelf.call("list-shelf-books", json!({})).await.unwrap(),
        json!({})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_is_a_typed_failure() {
    let Some(shelf) = Shelf::start("") else {
        return;
    };
    let error = shelf
        .call("get-shelf-book", json!({"name": "books/9"}))
        .await
        .unwrap_err();
    let ToolError::Service {
        status,
        message,
        body,
        ..
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!((*status, message.as_str()), (404, "there is no books/9"));
    assert_eq!(
        (&body["code"], &body["status"]),
        (&json!(5), &json!("NOT_FOUND"))
    );
    assert_eq!(body["details"][0]["givenName"], "nobody");
    assert_eq!(
        body["details"][1]["@type"],
        "type.googleapis.com/google.rpc.ErrorInfo"
    );
    for (code, status) in [
        (1, 499),
        (2, 500),
        (3, 400),
        (6, 409),
        (7, 403),
        (8, 429),
        (9, 400),
        (10, 409),
        (12, 501),
        (13, 500),
        (16, 401),
    ] {
        let called = shelf.call("get-shelf-call", json!({"status": code}));
        let error = called.await.unwrap_err();
        assert_eq!(error.status(), Some(status), "{code}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_a_bounded_list() {
    let Some(shelf) = Shelf::start("timeout_seconds = 2\n") else {
        return;
    };
    let pages = shelf
        .call("list-shelf-pages", json!({"count": 3}))
        .await
        .unwrap();
    assert_eq!(pages, json!([{"number": 1}, {"number": 2}, {"number": 3}]));
    let none = shelf
        .call("list-shelf-pages", json!({"count": 0}))
        .await
        .unwrap();
    assert_eq!(none, json!([]));
    let most = shelf
        .output("list-shelf-pages", json!({"count": -1}))
        .await
        .unwrap();
    assert!(most.truncated);
    assert_eq!(most.value.as_array().unwrap().len(), 1000);
    let begun = Instant::now();
    let slow = json!({"count": -1, "pause": "0.7s"});
    let some = shelf.output("list-shelf-pages", slow).await.unwrap();
    assert!(some.truncated && begun.elapsed() < Duration::from_secs(4));
    assert_eq!(some.value, json!([{"number": 1}, {"number": 2}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_has_a_deadline_and_credentials() {
    let Some(shelf) = Shelf::start("timeout_seconds = 3\n") else {
        return;
    };
    let call = shelf.call("get-shelf-call", json!({})).await.unwrap();
    assert_eq!(call["authorization"], "Bearer [redacted]", "{call}");
    let left = call["deadline"].as_f64().unwrap();
    assert!(left > 1.0 && left <= 3.0, "{left}");
    let begun = Instant::now();
    let error = shelf
        .call("get-shelf-call", json!({"pause": "20s"}))
        .await
        .unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(6));
    assert!(
        error.to_string().contains("3 s") || error.status() == Some(504),
        "{error}"
    );
    // The message of the status repeats the credentials.
    let error = shelf
        .call("get-shelf-call", json!({"status": 7}))
        .await
        .unwrap_err();
    assert!(!format!("{error:?}").contains(server::TOKEN), "{error:?}");
    for event in shelf.audit.events() {
        assert!(
            !serde_json::to_string(&event)
                .unwrap()
                .contains(server::TOKEN)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declared_repetition_is_made() {
    let Some(shelf) = Shelf::start("retries = 2\n") else {
        return;
    };
    let call = shelf
        .call("get-shelf-call", json!({"status": 14}))
        .await
        .unwrap();
    assert_eq!(call["failures"], 2.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_checked() {
    let Some(shelf) = Shelf::start_with_tls(true) else {
        return;
    };
    let error = shelf.call("list-shelf-books", json!({})).await.unwrap_err();
    assert!(matches!(error, ToolError::Transport { .. }), "{error}");
    let Some(shelf) = Shelf::start_with_tls(false) else {
        return;
    };
    assert_eq!(
        shelf.call("list-shelf-books", json!({})).await.unwrap(),
        json!({})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_away_is_reported() {
    let Some(shelf) = Shelf::start("") else {
        return;
    };
    shelf.stop();
    let error = shelf.call("list-shelf-books", json!({})).await.unwrap_err();
    assert!(matches!(error, ToolError::Transport { .. }), "{error}");
    assert_eq!(error.code(), "connect_failed", "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_is_in_the_audit() {
    let Some(shelf) = Shelf::start("") else {
        return;
    };
    shelf.call("list-shelf-books", json!({})).await.unwrap();
    let events = shelf.audit.events();
    let outcomes = events
        .iter()
        .filter(|event| matches!(event.what, What::Outcome(_)));
    assert_eq!(outcomes.count(), 1, "{events:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_describes_itself() {
    let Some(shelf) = Shelf::start("") else {
        return;
    };
    let set = toolwright::reflect_grpc(&shelf.base_url).await.unwrap();
    let reflected = server::specs_of("service.binpb", set);
    let written = server::specs();
    assert_eq!(reflected.len(), written.len());
    for (reflected, written) in reflected.iter().zip(&written) {
        assert_eq!(reflected.name, written.name);
        assert_eq!(reflected.effect, written.effect, "{}", written.name);
        assert_eq!(reflected.grpc(), written.grpc());
    }
}
