//! The planned request: parameters in their places and styles.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Map, Value, json};
use toolwright::request::{PlanError, base_url};

use crate::planning::{binding, header, planned, try_plan};

/// `GET` with one parameter of the argument `x`.
fn with_parameter(path: &str, location: &str, more: Value) -> Value {
    let mut parameter = json!({"name": "color", "location": location, "value": {"argument": "x"}});
    for (key, value) in more.as_object().unwrap() {
        parameter[key] = value.clone();
    }
    json!({"method": "GET", "path": path, "parameters": [parameter]})
}

#[test]
fn every_style_in_its_place() {
    let array = json!(["blue", "black"]);
    let object = json!({"R": 100, "G": 200});
    for (location, style, explode, value, expected) in [
        ("path", "simple", false, &array, "/c/blue,black"),
        ("path", "simple", true, &object, "/c/R=100,G=200"),
        ("path", "label", true, &array, "/c/.blue.black"),
        ("path", "label", false, &object, "/c/.R,100,G,200"),
        ("path", "matrix", true, &array, "/c/;color=blue;color=black"),
        ("path", "matrix", false, &object, "/c/;color=R,100,G,200"),
        ("query", "form", true, &array, "/c?color=blue&color=black"),
        ("query", "form", false, &object, "/c?color=R,100,G,200"),
        (
            "query",
            "spaceDelimited",
            false,
            &array,
            "/c?color=blue%20black",
        ),
        (
            "query",
            "pipeDelimited",
            false,
            &array,
            "/c?color=blue%7Cblack",
        ),
        (
            "query",
            "deepObject",
            true,
            &object,
            "/c?color%5BR%5D=100&color%5BG%5D=200",
        ),
    ] {
        let path = if location == "path" {
            "/c/{color}"
        } else {
            "/c"
        };
        let more = json!({"style": style, "explode": explode});
        let request = planned(with_parameter(path, location, more), json!({"x": value}));
        assert_eq!(
            request.url.as_str(),
            format!("http://h/api{expected}"),
            "{style} {explode}"
        );
    }
}

#[test]
fn headers_and_cookies() {
    let object = json!({"R": "a b", "G": "é"});
    let simple = |explode| json!({"style": "simple", "explode": explode});
    for (explode, expected) in [(false, "R,a b,G,é"), (true, "R=a b,G=é")] {
        let request = planned(
            with_parameter("/", "header", simple(explode)),
            json!({"x": object}),
        );
        assert_eq!(header(&request, "color"), Some(expected));
    }
    let form = |explode| json!({"style": "form", "explode": explode});
    for (explode, expected) in [
        (false, "color=R,a%20b,G,%C3%A9"),
        (true, "R=a%20b; G=%C3%A9"),
    ] {
        let request = planned(
            with_parameter("/", "cookie", form(explode)),
            json!({"x": object}),
        );
        assert_eq!(header(&request, "Cookie"), Some(expected));
    }
}

#[test]
fn the_overlay_may_pin_the_cookies_as_one_header() {
    let pinned = json!({"style": "simple", "explode": false, "name": "cookie",
                        "value": {"fixed": "session"}});
    let mut http = with_parameter("/", "header", pinned);
    let more = with_parameter("/", "cookie", json!({"style": "form", "explode": true}));
    let parameters = http["parameters"].as_array_mut().unwrap();
    parameters.extend(more["parameters"].as_array().unwrap().iter().cloned());
    let request = planned(http, json!({"x": "red"}));
    assert_eq!(header(&request, "Cookie"), Some("session; color=red"));
    let cookies = |(name, _): &&(String, String)| name.eq_ignore_ascii_case("cookie");
    assert_eq!(request.headers.iter().filter(cookies).count(), 1);
}

#[test]
fn a_parameter_may_be_a_document() {
    let content = json!({"content": "application/json"});
    let arguments = json!({"x": {"a": ["b&c"]}});
    let request = planned(
        with_parameter("/c", "query", content.clone()),
        arguments.clone(),
    );
    assert_eq!(
        request.url.as_str(),
        "http://h/api/c?color=%7B%22a%22%3A%5B%22b%26c%22%5D%7D"
    );
    let request = planned(with_parameter("/", "header", content), arguments);
    assert_eq!(header(&request, "color"), Some(r#"{"a":["b&c"]}"#));
    let text = json!({"content": "text/plain"});
    let request = planned(with_parameter("/c", "query", text), json!({"x": "a b"}));
    assert_eq!(request.url.as_str(), "http://h/api/c?color=a%20b");
}

#[test]
fn a_header_cannot_be_split_and_the_request_stays_its_own() {
    let simple = json!({"style": "simple", "explode": false});
    for value in ["a\r\nX: y", "a\nb", "a\0b", " a", "a\u{7f}"] {
        let http = with_parameter("/", "header", simple.clone());
        let error = try_plan(http, json!({"x": value})).unwrap_err();
        assert!(
            matches!(&error, PlanError::Argument(v) if v.pointer == "/x"),
            "{value:?}: {error}"
        );
    }
    for name in [
        "Authorization",
        "host",
        "Content-Length",
        "Transfer-Encoding",
        "content-type",
    ] {
        let mut more = simple.clone();
        more["name"] = json!(name);
        let error = try_plan(
            with_parameter("/", "header", more.clone()),
            json!({"x": "evil"}),
        )
        .unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(try_plan(with_parameter("/", "header", more), json!({})).is_ok());
    }
}

#[test]
fn reserved_characters_are_kept_if_the_document_allows_it_but_never_break_out() {
    let style = |allow| json!({"style": "form", "explode": true, "allow_reserved": allow});
    let value = json!({"x": "a/b?c:d,e=f&g#h+i%2Fj%zz[k];l"});
    let strict = planned(with_parameter("/c", "query", style(false)), value.clone());
    assert_eq!(
        strict.url.as_str(),
        "http://h/api/c?color=a%2Fb%3Fc%3Ad%2Ce%3Df%26g%23h%2Bi%252Fj%25zz%5Bk%5D%3Bl"
    );
    let loose = planned(with_parameter("/c", "query", style(true)), value);
    assert_eq!(
        loose.url.as_str(),
        "http://h/api/c?color=a/b?c:d,e=f%26g%23h%2Bi%2Fj%25zz%5Bk%5D%3Bl"
    );
}

#[test]
fn the_path_keeps_its_structure() {
    let http = |path: &str, names: &[&str]| {
        let parameters: Vec<_> = names
            .iter()
            .map(|name| json!({"name": name, "location": "path", "value": {"argument": name}, "required": true,
                               "style": "simple", "explode": false, "allow_reserved": true}))
            .collect();
        json!({"method": "GET", "path": path, "parameters": parameters})
    };
    for value in ["a b", "a=b&c", "%", "a\u{202e}", "..a", "@:!$'()*,+"] {
        let request = planned(http("/x/{a}/y", &["a"]), json!({"a": value}));
        let path = request.url.as_str().strip_prefix("http://h").unwrap();
        assert_eq!(path.matches('/').count(), 4, "{value}: {path}");
        assert!(
            path.starts_with("/api/x/") && path.ends_with("/y"),
            "{value}: {path}"
        );
        assert!(!path.contains(['?', '#', '\\', ' ']), "{value}: {path}");
    }
    for (path, arguments) in [
        ("/x/{a}/y", json!({"a": "."})),
        ("/x/{a}/y", json!({"a": ".."})),
        ("/x/{a}/y", json!({"a": ""})),
        ("/x/{a}{b}", json!({"a": ".", "b": "."})),
        ("/x/.{a}", json!({"a": "."})),
        ("/x/{a}", json!({"a": null})),
        ("/x/{a}", json!({"a": []})),
        ("/x/{a}", json!({})),
    ] {
        let error = try_plan(http(path, &["a", "b"]), arguments.clone()).unwrap_err();
        assert!(
            matches!(error, PlanError::Argument(_)),
            "{path} {arguments}: {error}"
        );
    }
    let request = planned(
        http("/x/{a}.{b}", &["a", "b"]),
        json!({"a": "f", "b": "json"}),
    );
    assert_eq!(request.url.as_str(), "http://h/api/x/f.json");
}

#[test]
fn a_path_of_the_document_is_kept_unchanged() {
    for (path, expected) in [
        ("/items/", "http://h/api/items/"),
        ("items", "http://h/api/items"),
        ("/", "http://h/api/"),
        ("/a b/é", "http://h/api/a%20b/%C3%A9"),
        ("/a#second", "http://h/api/a"),
        ("/a?action=x&y=1", "http://h/api/a?action=x&y=1&color=z"),
    ] {
        let http = with_parameter(path, "query", json!({"style": "form", "explode": true}));
        let arguments = if path.contains('?') {
            json!({"x": "z"})
        } else {
            json!({})
        };
        assert_eq!(planned(http, arguments).url.as_str(), expected);
    }
    let error = try_plan(json!({"method": "GET", "path": "/{lost}"}), json!({})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the operation cannot be called: its path parameter `{lost}` has no source"
    );
    assert!(try_plan(json!({"method": "GET", "path": "/../x"}), json!({})).is_err());
}

#[test]
fn values_come_from_arguments_constants_and_the_operator() {
    let http = json!({"method": "GET", "path": "/", "parameters": [
        {"name": "a", "location": "query", "value": {"argument": "a"}, "style": "form", "explode": true},
        {"name": "b", "location": "query", "value": {"constant": "slug"}, "style": "form", "explode": true},
        {"name": "c", "location": "query", "value": {"fixed": [1, null, true]}, "style": "form", "explode": false},
    ]});
    let arguments = json!({"a": 1.5, "b": "no", "slug": "no"});
    assert_eq!(
        planned(http, arguments).url.as_str(),
        "http://h/api/?a=1.5&b=acme&c=1,true"
    );
    let lost = json!({"method": "GET", "path": "/", "parameters": [
        {"name": "b", "location": "query", "value": {"constant": "other"}, "style": "form", "explode": true}]});
    assert_eq!(
        try_plan(lost, json!({})).unwrap_err(),
        PlanError::Constant("other".to_owned())
    );
}

#[test]
fn the_accept_header_follows_the_responses() {
    let http = json!({"method": "GET", "path": "/", "answers": [
        {"status": "200", "media_types": ["application/json", "text/csv"], "content": "json"},
        {"status": "2XX", "media_types": ["text/csv"], "content": "text"},
        {"status": "default", "media_types": ["application/problem+json"], "content": "json"},
    ]});
    assert_eq!(
        header(&planned(http, json!({})), "Accept"),
        Some("application/json, text/csv")
    );
    assert_eq!(
        header(
            &planned(json!({"method": "GET", "path": "/"}), json!({})),
            "Accept"
        ),
        Some("*/*")
    );
}

#[test]
fn the_base_url_is_resolved() {
    let of = |operators: Option<&str>, own: Value| {
        base_url(
            operators,
            &binding(json!({"method": "GET", "path": "/", "base_url": own})),
        )
    };
    let ok = |operators, own: Value| of(operators, own).unwrap();
    assert_eq!(ok(None, json!("https://own/v1")), "https://own/v1");
    assert_eq!(
        ok(Some("https://op/"), json!("https://own/v1")),
        "https://op"
    );
    assert_eq!(
        ok(Some("https://op"), json!("/api/v1/")),
        "https://op/api/v1"
    );
    assert_eq!(
        ok(Some("https://op/api/v1/"), json!("/api/v1")),
        "https://op/api/v1"
    );
    assert_eq!(ok(Some("https://op"), Value::Null), "https://op");
    assert_eq!(ok(Some("https://op"), json!("/")), "https://op");
    assert_eq!(of(None, json!("/api/v1")), Err(PlanError::NoBaseUrl));
    assert_eq!(of(None, Value::Null), Err(PlanError::NoBaseUrl));
}

/// Text of characters that mean something in a URL or a header.
fn hostile(random: &mut StdRng) -> String {
    let pieces = [
        "/", "..", ".", "?", "#", "%", "%2f", "%2E", "&", "=", "+", ";", ":", "@", "\\", "\r",
        "\n", "\0", " ", "{", "}", "[", "]", "|", "\"", "<", "é", "\u{202e}", "a", "//",
    ];
    (0..random.random_range(0..6))
        .map(|_| pieces[random.random_range(0..pieces.len())])
        .collect()
}

/// Hostile values do not change the structure of a request.
#[test]
fn hostile_values_stay_in_their_places() {
    let http = json!({"method": "GET", "path": "/x/{a}/y", "parameters": [
        {"name": "a", "location": "path", "value": {"argument": "a"}, "required": true, "style": "simple", "explode": false},
        {"name": "b", "location": "query", "value": {"argument": "b"}, "style": "form", "explode": true},
        {"name": "c", "location": "query", "value": {"argument": "c"}, "style": "form", "explode": true, "allow_reserved": true},
        {"name": "d", "location": "header", "value": {"argument": "d"}, "style": "simple", "explode": false},
        {"name": "e", "location": "cookie", "value": {"argument": "e"}, "style": "form", "explode": true},
    ]});
    let mut random = StdRng::seed_from_u64(1);
    let (mut sent, mut refused) = (0, 0);
    for _ in 0..8_000 {
        let names = ["a", "b", "c", "d", "e"];
        let values: Map<_, _> = names
            .iter()
            .map(|name| ((*name).to_owned(), Value::from(hostile(&mut random))))
            .collect();
        let request = match try_plan(http.clone(), Value::Object(values.clone())) {
            Ok(request) => request,
            Err(PlanError::Argument(violation)) => {
                assert!(
                    ["/a", "/d"].contains(&violation.pointer.as_str()),
                    "{violation:?} of {values:?}"
                );
                refused += 1;
                continue;
            }
            Err(other) => panic!("{other}"),
        };
        sent += 1;
        let url = reqwest::Url::parse(request.url.as_str()).unwrap();
        assert_eq!(url, request.url, "{values:?}");
        assert_eq!(url.host_str(), Some("h"));
        assert_eq!(url.fragment(), None, "{values:?}");
        let segments: Vec<_> = url.path_segments().unwrap().collect();
        assert_eq!(segments.len(), 4, "{values:?}: {url}");
        assert_eq!(
            (segments[0], segments[1], segments[3]),
            ("api", "x", "y"),
            "{values:?}: {url}"
        );
        let decoded = percent_encoding::percent_decode_str(segments[2])
            .decode_utf8()
            .unwrap();
        assert_eq!(decoded, values["a"].as_str().unwrap());
        let pairs: Vec<_> = url.query_pairs().collect();
        assert_eq!(
            pairs.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
            ["b", "c"],
            "{values:?}: {url}"
        );
        assert_eq!(pairs[0].1, values["b"].as_str().unwrap());
        assert_eq!(request.headers.len(), 3);
        assert!(!header(&request, "d").unwrap().contains(['\r', '\n', '\0']));
        assert!(
            !header(&request, "Cookie")
                .unwrap()
                .contains([';', '\r', '\n', ' '])
        );
    }
    assert!(
        sent > 1000 && refused > 200,
        "{sent} sent, {refused} refused"
    );
}
