//! The bodies of planned requests, in their kinds.

use serde_json::{Value, json};
use toolwright::request::PlanError;

use crate::planning::{header, planned, try_plan};

/// `POST` with a body.
fn with_body(
    media_type: &str,
    content: &str,
    required: bool,
    shape: Value,
    encoding: Value,
) -> Value {
    json!({"method": "POST", "path": "/", "body": {
        "media_type": media_type, "content": content, "required": required, "shape": shape, "encoding": encoding}})
}

fn fields(names: &[&str]) -> Value {
    let fields: Vec<_> = names
        .iter()
        .map(|name| json!({"name": name, "value": {"argument": name}}))
        .collect();
    json!({"fields": fields})
}

fn whole_body() -> Value {
    json!({"whole": {"argument": "body"}})
}

fn send(http: Value, arguments: Value) -> (Option<String>, Option<String>) {
    let request = planned(http, arguments);
    let content_type = header(&request, "Content-Type").map(str::to_owned);
    (
        content_type,
        request.body.map(|body| String::from_utf8(body).unwrap()),
    )
}

#[test]
fn json_bodies() {
    let of_fields = |required| {
        with_body(
            "application/json",
            "json",
            required,
            fields(&["a", "b"]),
            json!({}),
        )
    };
    let json = Some("application/json".to_owned());
    let both = send(of_fields(false), json!({"b": null, "a": {"c": [1]}}));
    assert_eq!(
        both,
        (json.clone(), Some(r#"{"a":{"c":[1]},"b":null}"#.to_owned()))
    );
    assert_eq!(
        send(of_fields(true), json!({})),
        (json, Some("{}".to_owned()))
    );
    assert_eq!(send(of_fields(false), json!({})), (None, None));

    let patch = "application/merge-patch+json";
    let of_whole = |required| with_body(patch, "json", required, whole_body(), json!({}));
    let list = send(of_whole(false), json!({"body": [1, "é"]}));
    assert_eq!(list, (Some(patch.to_owned()), Some("[1,\"é\"]".to_owned())));
    assert_eq!(send(of_whole(false), json!({})), (None, None));
    assert!(matches!(
        try_plan(of_whole(true), json!({})),
        Err(PlanError::Argument(_))
    ));
}

#[test]
fn form_bodies() {
    let form = "application/x-www-form-urlencoded";
    let names = ["a", "list", "object", "piped", "deep"];
    let encoding = json!({"piped": {"style": "pipeDelimited"}, "deep": {"style": "deepObject", "explode": true}});
    let http = with_body(form, "form", true, fields(&names), encoding);
    let arguments = json!({
        "a": "x y&z=ü", "list": [1, 2], "object": {"k": "v"}, "piped": ["p", "q"], "deep": {"k": {"l": 1}},
    });
    let expected = "a=x%20y%26z%3D%C3%BC&list=1&list=2&object=%7B%22k%22%3A%22v%22%7D&piped=p%7Cq&deep%5Bk%5D%5Bl%5D=1";
    assert_eq!(
        send(http.clone(), arguments),
        (Some(form.to_owned()), Some(expected.to_owned()))
    );
    assert_eq!(
        send(http, json!({"a": null})),
        (Some(form.to_owned()), Some(String::new()))
    );

    let http = with_body(form, "form", true, whole_body(), json!({}));
    let (_, body) = send(http.clone(), json!({"body": {"a": true, "b": null}}));
    assert_eq!(body.as_deref(), Some("a=true"));
    assert!(try_plan(http, json!({"body": [1]})).is_err());
}

#[test]
fn multipart_bodies() {
    let encoding = json!({
        "file": {"file": true, "content_type": "image/png, image/jpeg"}, "more": {"file": true},
        "meta": {"content_type": "application/json"},
    });
    let names = ["text", "tags", "object", "meta", "file", "more"];
    let http = with_body(
        "multipart/form-data",
        "multipart",
        true,
        fields(&names),
        encoding,
    );
    let arguments = json!({
        "text": "é", "tags": [1, true], "object": {"k": 1}, "meta": "quoted",
        "file": {"content": "AAEC", "filename": "a\"b\r\n.png"},
        "more": [{"content": "eA==", "media_type": "text/csv"}, {"content": ""}],
    });
    let request = planned(http.clone(), arguments.clone());
    assert_eq!(
        request,
        planned(http.clone(), arguments),
        "the same parts make the same bytes"
    );
    let content_type = header(&request, "Content-Type").unwrap();
    let boundary = content_type
        .strip_prefix("multipart/form-data; boundary=")
        .unwrap();
    let body = String::from_utf8(request.body.clone().unwrap()).unwrap();
    let part = |head: &str, content: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n{content}\r\n")
    };
    let expected = [
        part("name=\"text\"", "é"),
        part("name=\"tags\"", "1"),
        part("name=\"tags\"", "true"),
        part(
            "name=\"object\"\r\nContent-Type: application/json",
            "{\"k\":1}",
        ),
        part(
            "name=\"meta\"\r\nContent-Type: application/json",
            "\"quoted\"",
        ),
        part(
            "name=\"file\"; filename=\"a%22b%0D%0A.png\"\r\nContent-Type: image/png",
            "\0\u{1}\u{2}",
        ),
        part(
            "name=\"more\"; filename=\"more\"\r\nContent-Type: text/csv",
            "x",
        ),
        part(
            "name=\"more\"; filename=\"more\"\r\nContent-Type: application/octet-stream",
            "",
        ),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(body, expected.concat());

    for (file, problem) in [
        (
            json!("AAEC"),
            "is not a file: an object with `content`, which is base64 or the handle of a file",
        ),
        (
            json!({"content": "?"}),
            "is neither base64 nor the handle of a file",
        ),
        (
            json!({"content": "", "media_type": "a\r\nb"}),
            "has a `media_type` that is invalid in a header",
        ),
    ] {
        let error = try_plan(http.clone(), json!({"file": file})).unwrap_err();
        assert_eq!(error.to_string(), format!("at `/file`: {problem}"));
    }
}

#[test]
fn parts_have_the_headers_of_their_encoding() {
    let header = |name: &str, value: Value, required: bool| {
        json!({"name": name, "location": "header", "value": value, "required": required,
               "style": "simple", "explode": false})
    };
    let encoding = json!({
        "photos": {"file": true, "content_type": "image/*, image/webp", "headers": [
            header("X-Album", json!({"argument": "album"}), true), header("X-Fixed", json!({"fixed": [1, "b"]}), false),
            header("X-Absent", json!({"argument": "absent"}), false),
        ]},
    });
    let http = with_body(
        "multipart/form-data",
        "multipart",
        true,
        fields(&["photos", "text"]),
        encoding,
    );
    let photo = json!({"content": "eA=="});
    let arguments = json!({"photos": [photo, photo], "text": "t", "album": "summer"});
    let request = planned(http.clone(), arguments);
    let body = String::from_utf8(request.body.unwrap()).unwrap();
    let head = "Content-Type: image/webp\r\nX-Album: summer\r\nX-Fixed: 1,b\r\n\r\nx\r\n";
    assert_eq!(body.matches(head).count(), 2, "{body}");
    assert!(body.contains("name=\"text\"\r\n\r\nt\r\n"), "{body}");

    let (_, body) = send(http.clone(), json!({"text": "t"}));
    assert!(!body.unwrap().contains("X-"));
    for (album, problem) in [
        (
            json!({}),
            "has no value, but the request requires it as `X-Album`",
        ),
        (
            json!({"album": "a\r\nb: c"}),
            "has a line break, another control character or outer spaces, which are invalid in a header",
        ),
    ] {
        let mut arguments = album;
        arguments["photos"] = photo.clone();
        let error = try_plan(http.clone(), arguments).unwrap_err();
        assert_eq!(error.to_string(), format!("at `/album`: {problem}"));
    }
}

#[test]
fn the_fields_of_a_form_follow_their_encoding() {
    let encoding = json!({
        "json": {"content_type": "application/json"}, "spaced": {"style": "spaceDelimited", "explode": false},
        "exploded": {"explode": true}, "joined": {"explode": false}, "raw": {"allow_reserved": true},
    });
    let http = with_body(
        "application/x-www-form-urlencoded",
        "form",
        true,
        fields(&["json", "spaced", "exploded", "joined", "raw"]),
        encoding,
    );
    for (arguments, expected) in [
        (json!({"json": [1, "a"]}), "json=%5B1%2C%22a%22%5D"),
        (json!({"json": "a"}), "json=%22a%22"),
        (json!({"json": null}), ""),
        (json!({"spaced": ["a", "b"]}), "spaced=a%20b"),
        (json!({"exploded": {"k": 1, "l": "m"}}), "k=1&l=m"),
        (json!({"joined": {"k": 1, "l": "m"}}), "joined=k,1,l,m"),
        (json!({"joined": ["a", "b"]}), "joined=a,b"),
        (json!({"raw": "a/b"}), "raw=a/b"),
    ] {
        assert_eq!(send(http.clone(), arguments).1.as_deref(), Some(expected));
    }
}

#[test]
fn a_multipart_body_that_is_one_file() {
    let http = with_body(
        "multipart/form-data",
        "multipart",
        true,
        whole_body(),
        json!({}),
    );
    let (_, body) = send(http.clone(), json!({"body": "eA=="}));
    let head = "Content-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n\
                Content-Type: application/octet-stream\r\n\r\nx\r\n";
    assert!(body.unwrap().contains(head));
    let error = try_plan(http, json!({"body": "?"})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at `/body`: is neither base64 nor the handle of a file"
    );
}

#[test]
fn text_and_binary_bodies() {
    let text = with_body("text/plain", "text", true, whole_body(), json!({}));
    assert_eq!(
        send(text, json!({"body": "a\nb"})),
        (Some("text/plain".to_owned()), Some("a\nb".to_owned()))
    );
    let binary = |media_type: &str| with_body(media_type, "binary", true, whole_body(), json!({}));
    let request = planned(binary("image/png"), json!({"body": "/wAB"}));
    assert_eq!(request.body.as_deref(), Some(&[0xff, 0, 1][..]));
    assert_eq!(header(&request, "Content-Type"), Some("image/png"));
    let request = planned(binary("*/*"), json!({"body": ""}));
    assert_eq!(
        header(&request, "Content-Type"),
        Some("application/octet-stream")
    );
    for bad in [json!("a"), json!("%"), json!(1)] {
        assert!(try_plan(binary("image/png"), json!({"body": bad})).is_err());
    }
    assert!(
        try_plan(
            with_body("text/plain", "text", true, fields(&["a"]), json!({})),
            json!({"a": 1})
        )
        .is_err()
    );
}
