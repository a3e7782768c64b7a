//! A request lands at the operation of its tool, or is not sent.

use serde_json::{Value, json};
use toolwright::request::PlanError;

use crate::planning::{planned, try_plan};

/// `GET` of a path whose placeholders are the arguments with their names, in this style.
fn get(path: &str, style: &str) -> Value {
    let names = path
        .split('{')
        .skip(1)
        .map(|rest| rest.split('}').next().unwrap());
    let parameters: Vec<_> = names
        .map(|name| {
            json!({"name": name, "location": "path", "value": {"argument": name}, "required": true,
                   "style": style, "explode": true})
        })
        .collect();
    json!({"method": "GET", "path": path, "parameters": parameters})
}

fn refusal(http: Value, arguments: Value) -> String {
    match try_plan(http.clone(), arguments.clone()) {
        Err(PlanError::Argument(violation)) => violation.message,
        Err(other) => panic!("{other}"),
        Ok(request) => panic!("{http} {arguments}: {}", request.url),
    }
}

#[test]
fn no_form_of_a_separator_passes() {
    let separators = [
        "/",
        "\\",
        "%2f",
        "%2F",
        "%5c",
        "%252f",
        "%25252F",
        "%u002f",
        "%u2215",
        "%U005C",
        "／",
        "＼",
        "∕",
        "⁄",
        "∖",
        "⧸",
        "℀",
        "％2f",
        "%EF%BC%8F",
        "%c0%af",
        "%e0%80%af",
        "%%32%66",
        "\0",
        "%00",
        "\n",
        "\r",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        ";",
        "；",
        "\u{37e}",
        "%3b",
        "?",
        "？",
        "#",
        "﹟",
        "%3f",
        "%23",
    ];
    for separator in separators {
        for value in [
            format!("7{separator}secrets"),
            format!("..{separator}admin"),
            separator.to_owned(),
            format!("{separator}x"),
        ] {
            for style in ["simple", "label", "matrix"] {
                refusal(get("/items/{id}", style), json!({"id": value}));
                refusal(get("/items/{id}/x", style), json!({"id": ["a", value]}));
                refusal(get("/items/v{id}.json", style), json!({"id": {"k": value}}));
                refusal(
                    get("/items/{id}", style),
                    json!({"id": {value.clone(): "v"}}),
                );
            }
        }
    }
}

#[test]
fn no_segment_vanishes_or_leads_elsewhere() {
    for value in [
        "",
        " ",
        ".",
        "..",
        "...",
        ".. ",
        " .",
        "．．",
        "․․",
        "‥",
        ".\u{200b}.",
        "\u{200b}",
    ] {
        refusal(get("/items/{id}", "simple"), json!({"id": value}));
        refusal(get("/items/{id}/x", "simple"), json!({"id": value}));
    }
    refusal(get("/items/{a}{b}", "simple"), json!({"a": ".", "b": "."}));
    refusal(get("/items/.{a}", "simple"), json!({"a": "."}));
    refusal(get("/items/{a}", "label"), json!({"a": "."}));
    refusal(get("/items/{a}", "label"), json!({"a": ["", ""]}));
}

#[test]
fn values_next_to_each_other_do_not_make_a_separator() {
    for (path, arguments) in [
        ("/x/{a}{b}", json!({"a": "%", "b": "2f"})),
        ("/x/{a}{b}", json!({"a": "%2", "b": "f"})),
        ("/x/{a}{b}", json!({"a": "%u", "b": "002f"})),
        ("/x/{a}2f{b}", json!({"a": "%", "b": "y"})),
        ("/x/{a}2e", json!({"a": ".%"})),
        ("/x/{a}00", json!({"a": "%"})),
    ] {
        refusal(get(path, "simple"), arguments);
    }
}

#[test]
fn a_value_does_not_contain_its_delimiter() {
    for (path, arguments) in [
        ("/x/{a}-{b}", json!({"a": "1-2", "b": "3"})),
        ("/x/{a}-{b}", json!({"a": "1", "b": "2-3"})),
        ("/x/{a}...{b}", json!({"a": "1...2", "b": "3"})),
        ("/x/{a}TO{b}", json!({"a": "1to2", "b": "3"})),
    ] {
        let message = refusal(get(path, "simple"), arguments);
        assert!(
            message.contains("separates it from the next value"),
            "{message}"
        );
    }
    let request = planned(get("/x/{a}-{b}", "simple"), json!({"a": "1.0", "b": "2"}));
    assert_eq!(request.url.as_str(), "http://h/api/x/1.0-2");
    let request = planned(get("/x/v{a}.json", "simple"), json!({"a": "1.0-x"}));
    assert_eq!(request.url.as_str(), "http://h/api/x/v1.0-x.json");
}

#[test]
fn a_value_does_not_choose_another_operation() {
    let http = |path: &str, others: &[&str]| {
        let mut http = get(path, "simple");
        http["other_paths"] = json!(others);
        http
    };
    for (path, others, id) in [
        ("/items/{id}", ["/items/search"], "search"),
        ("/items/{id}", ["/items/search"], "SEARCH"),
        ("/items/{id}", ["/items/search"], " search. "),
        ("/items/{id}", ["/items/search"], "search+"),
        ("/items/{id}", ["/items/search"], "search.json"),
        ("/items/{id}", ["/items/search"], "search.json.gz"),
        ("/items/{id}", ["/items/search"], "sea\u{200b}rch"),
        ("/items/{id}", ["/items/search"], "ｓｅａｒｃｈ"),
        ("/items/{id}", ["/items/{id}:cancel"], "7:cancel"),
        ("/items/{id}", ["/items/{id}:cancel"], "7：Cancel"),
        ("/items/{id}", ["/items/@{name}"], "@joe"),
        ("/items/{id}/parts", ["/items/all/{kind}"], "all"),
        ("/items/{id}", ["/items/é"], "e\u{301}"),
        ("/items/{id}", ["/items/a%20b"], "a b"),
    ] {
        let message = refusal(http(path, &others), json!({"id": id}));
        assert!(message.contains("another operation"), "{id}: {message}");
        assert!(!message.contains("search"), "{message}");
    }
    for id in ["research", "searches", "7", "7:keep"] {
        let others = ["/items/search", "/items/{id}:cancel"];
        assert!(
            try_plan(http("/items/{id}", &others), json!({"id": id})).is_ok(),
            "{id}"
        );
    }
    let crossing = http("/a/{x}/{y}", &["/a/all/list"]);
    assert!(try_plan(crossing.clone(), json!({"x": "all", "y": "1"})).is_ok());
    assert!(try_plan(crossing.clone(), json!({"x": "1", "y": "list"})).is_ok());
    refusal(crossing, json!({"x": "all", "y": "list"}));
}

#[test]
fn allowed_separators_stay_below_the_path() {
    let mut http = get("/files/{path}", "simple");
    http["parameters"][0]["separators"] = json!("It is a path within the repository.");
    http["other_paths"] = json!(["/files/{path}/history"]);
    for (path, sent) in [
        ("src/main.rs", "src%2Fmain.rs"),
        ("a/b;v=1/c?d#e", "a%2Fb%3Bv%3D1%2Fc%3Fd%23e"),
        (".github/x", ".github%2Fx"),
    ] {
        let request = planned(http.clone(), json!({"path": path}));
        assert_eq!(request.url.as_str(), format!("http://h/api/files/{sent}"));
    }
    for path in [
        "",
        "/",
        "a/",
        "/a",
        "a//b",
        "..",
        "a/../b",
        "a/./b",
        "a/..;x/b",
        "a/..?/b",
        "a\\b",
        "a%2fb",
        "a/%2e%2e/b",
        "a\0b",
        "a/．．/b",
        "a\nb",
        "readme/history",
        "README／history",
    ] {
        refusal(http.clone(), json!({"path": path}));
    }
}

#[test]
fn a_pinned_path_value_is_held_to_the_same_rules() {
    let mut http = get("/x/{a}/y", "simple");
    http["parameters"][0]["value"] = json!({"fixed": "a/b"});
    assert!(matches!(
        try_plan(http.clone(), json!({})),
        Err(PlanError::Binding(_))
    ));
    http["parameters"][0]["separators"] = json!("It is a path.");
    assert_eq!(
        planned(http, json!({})).url.as_str(),
        "http://h/api/x/a%2Fb/y"
    );
}

#[test]
fn literal_parts_of_a_path_may_contain_characters_that_values_must_not() {
    for (path, url) in [
        ("/a;v=1/{id}", "http://h/api/a;v=1/7"),
        ("/a%2Fb/{id}", "http://h/api/a%2Fb/7"),
        ("/a/{id}/", "http://h/api/a/7/"),
        ("/a(x='{id}')", "http://h/api/a(x='7')"),
        ("/{d/{id}", "http://h/api/%7Bd/7"),
    ] {
        let path = planned(get(path, "simple"), json!({"id": 7, "d/{id": 7}));
        assert_eq!(path.url.as_str(), url);
    }
    let matrix = planned(get("/a/{id}", "matrix"), json!({"id": {"x": 1, "y": 2}}));
    assert_eq!(matrix.url.as_str(), "http://h/api/a/;x=1;y=2");
}

#[test]
fn requests_of_the_method_trace_are_not_planned() {
    let error = try_plan(json!({"method": "TRACE", "path": "/"}), json!({})).unwrap_err();
    assert!(error.to_string().contains("TRACE"), "{error}");
}
