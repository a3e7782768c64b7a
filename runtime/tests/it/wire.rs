//! Parameters of every place over real HTTP, as the service sees them.

use serde_json::{Value, json};
use toolwright::Kind;

use crate::support::{Seen, Service, at, no_credentials, spec, view_of};

/// Calls a tool with one argument `x`, which this parameter carries. Returns the code of the error.
async fn call(
    service: &Service,
    method: &str,
    parameter: Value,
    value: Value,
) -> Result<(), String> {
    let mut own = json!({"name": "p", "value": {"argument": "x"}});
    for (key, value) in parameter.as_object().unwrap() {
        own[key] = value.clone();
    }
    let http = json!({"method": method, "path": "/items", "parameters": [own]});
    let get = spec(
        "get-depot-item",
        Kind::Read,
        http,
        json!({"type": "object"}),
    );
    let (view, _) = view_of(at(get, &service.url), no_credentials());
    let called = view.call_json("get-depot-item", json!({"x": value})).await;
    called.map(drop).map_err(|error| error.code().to_string())
}

/// Returns the request that a service receives for such a call.
async fn send(method: &str, parameter: Value, value: Value) -> Seen {
    let service = Service::json(200, Value::Null).await;
    call(&service, method, parameter, value).await.unwrap();
    service.one()
}

#[tokio::test]
async fn elements_with_the_separator_of_their_style_are_refused() {
    let service = Service::json(200, Value::Null).await;
    for (style, text) in [("spaceDelimited", "a b"), ("pipeDelimited", "a|b")] {
        let parameter = json!({"location": "query", "style": style, "explode": false});
        let called = call(&service, "GET", parameter, json!([text, "c"])).await;
        assert_eq!(called.unwrap_err(), "invalid_arguments", "{style}");
    }
}

#[tokio::test]
async fn queries() {
    let styled =
        |style: &str, explode| json!({"location": "query", "style": style, "explode": explode});
    let reserved =
        json!({"location": "query", "style": "form", "explode": true, "allow_reserved": true});
    let whole = |content: &str| json!({"location": "querystring", "content": content});
    let form = "application/x-www-form-urlencoded";
    let list = json!(["a b", "c"]);
    for (parameter, value, target) in [
        (styled("form", true), &list, "/items?p=a%20b&p=c"),
        (styled("form", false), &list, "/items?p=a%20b,c"),
        (
            styled("spaceDelimited", false),
            &json!(["a|b", "c"]),
            "/items?p=a%7Cb%20c",
        ),
        (styled("pipeDelimited", false), &list, "/items?p=a%20b%7Cc"),
        (
            styled("deepObject", true),
            &json!({"k": {"l": 1}}),
            "/items?p%5Bk%5D%5Bl%5D=1",
        ),
        (reserved, &json!("a/b?c=d&e"), "/items?p=a/b?c=d%26e"),
        (
            json!({"location": "query", "content": "application/json"}),
            &json!({"a": [1]}),
            "/items?p=%7B%22a%22%3A%5B1%5D%7D",
        ),
        (
            whole(form),
            &json!({"a": "x y", "b": [1, 2]}),
            "/items?a=x%20y&b=%5B1%2C2%5D",
        ),
        (
            whole("application/json"),
            &json!({"a": 1}),
            "/items?%7B%22a%22%3A1%7D",
        ),
        (whole("text/plain"), &json!("find me"), "/items?find%20me"),
    ] {
        assert_eq!(send("GET", parameter, value.clone()).await.target, target);
    }
}

#[tokio::test]
async fn cookies() {
    let styled =
        |style: &str, explode| json!({"location": "cookie", "style": style, "explode": explode});
    for (parameter, value, cookie) in [
        (styled("form", true), json!("a b"), "p=a%20b"),
        (styled("form", false), json!(["a", "b"]), "p=a,b"),
        (styled("cookie", true), json!("a&b=c"), "p=a&b=c"),
        (styled("cookie", true), json!("a;admin=1"), "p=a%3Badmin=1"),
        (styled("cookie", true), json!({"a": 1, "b": 2}), "a=1; b=2"),
        (
            json!({"location": "cookie", "content": "application/json"}),
            json!({"a": 1}),
            "p=%7B%22a%22%3A1%7D",
        ),
    ] {
        let seen = send("GET", parameter, value).await;
        assert_eq!(seen.header("cookie"), Some(cookie));
    }
}

#[tokio::test]
async fn methods_without_a_key() {
    for method in ["COPY", "QUERY", "VERSION-CONTROL"] {
        let header = json!({"location": "header", "style": "simple", "explode": false});
        let seen = send(method, header, json!(["a", "b"])).await;
        assert_eq!(seen.method, method);
        assert_eq!(seen.header("p"), Some("a,b"));
    }
}

#[tokio::test]
async fn fields_of_forms_may_keep_reserved_characters() {
    let service = Service::json(200, Value::Null).await;
    let post = spec(
        "create-depot-item",
        Kind::Annotate,
        json!({"method": "POST", "path": "/items", "body": {
            "media_type": "application/x-www-form-urlencoded", "content": "form",
            "shape": {"whole": {"argument": "body"}},
            "encoding": {"raw": {"allow_reserved": true}}}}),
        json!({"type": "object"}),
    );
    let (view, _) = view_of(at(post, &service.url), no_credentials());
    let arguments = json!({"body": {"plain": "a/b", "raw": "a/b&c"}});
    view.call_json("create-depot-item", arguments)
        .await
        .unwrap();
    assert_eq!(service.one().text(), "plain=a%2Fb&raw=a/b%26c");
}
