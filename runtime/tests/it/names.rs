//! No key of the agent's choice sets what belongs to something else.

use serde_json::{Value, json};
use toolwright::request::{PlanError, PlannedRequest};

use crate::planning::{header, planned, try_plan};

/// Spellings that some service or framework reads as `project_id`.
const SPELLINGS: &[&str] = &[
    "project_id",
    "Project_ID",
    "projectId",
    "project-id",
    "project.id",
    "project id",
    "project[id",
    "project_id[]",
    "project_id[0]",
    "project_id[x][y]",
    "project_id.x",
    " project_id",
    "project_id\0",
    "project%5Fid",
    "ｐroject_id",
    "project_\u{200b}id",
];

/// Fields that frameworks take for the method of a request.
const METHODS: &[&str] = &[
    "_method",
    "_METHOD",
    ".method",
    "_method[]",
    "X-HTTP-Method-Override",
];

/// An operation with a pinned `project_id`, a parameter `limit`, and one more.
fn with_parameter(parameter: &Value) -> Value {
    json!({
        "method": "POST", "path": "/items?action=list",
        "parameters": [
            {"name": "project_id", "location": "query", "value": {"constant": "slug"}, "required": true,
             "style": "form", "explode": true},
            {"name": "limit", "location": "query", "value": {"argument": "limit"},
             "style": "form", "explode": true},
            {"name": "session", "location": "cookie", "value": {"fixed": "s"},
             "style": "form", "explode": true},
            parameter,
        ],
        "security": [[{"scheme": "key", "kind": {"api-key": {"location": "query", "name": "api_key"}}}]],
        "withheld": ["fields"],
    })
}

fn free(location: &str, more: &Value) -> Value {
    let mut parameter = json!({"name": "x", "location": location, "value": {"argument": "x"}});
    for (key, value) in more.as_object().unwrap() {
        parameter[key] = value.clone();
    }
    parameter
}

fn with_body(content: &str) -> Value {
    let mut http = with_parameter(&free("query", &json!({"style": "form", "explode": true})));
    http["body"] = json!({"media_type": format!("application/{content}"), "content": content,
                          "shape": {"whole": {"argument": "body"}}});
    http
}

fn assert_refused(result: Result<PlannedRequest, PlanError>, what: &str) {
    match result {
        Err(PlanError::Argument(_)) => {}
        Err(other) => panic!("{what}: {other}"),
        Ok(request) => panic!("{what}: {request:?}"),
    }
}

#[test]
fn an_object_in_the_query_sets_no_name_of_another() {
    let form = json!({"style": "form", "explode": true});
    let others = [
        "limit", "LIMIT[]", "api_key", "apiKey", "action", "fields", "session",
    ];
    for parameter in [
        free("query", &form),
        free(
            "query",
            &json!({"style": "form", "explode": true, "allow_reserved": true}),
        ),
        free("query", &json!({"style": "pipeDelimited", "explode": true})),
        free(
            "querystring",
            &json!({"content": "application/x-www-form-urlencoded"}),
        ),
        free("querystring", &form),
    ] {
        for key in SPELLINGS.iter().chain(METHODS).chain(&others) {
            let arguments = json!({"x": {"ok": 1, *key: "evil"}});
            assert_refused(try_plan(with_parameter(&parameter), arguments), key);
        }
        let request = planned(
            with_parameter(&parameter),
            json!({"x": {"state": "open", "label": "a"}}),
        );
        assert!(
            request
                .url
                .as_str()
                .ends_with("action=list&project_id=acme&state=open&label=a"),
            "{}",
            request.url
        );
    }
}

#[test]
fn a_deep_object_sets_no_name_of_another() {
    let deep = |name: &str| {
        let more = json!({"name": name, "style": "deepObject", "explode": true});
        let mut http = with_parameter(&free("query", &more));
        http["parameters"].as_array_mut().unwrap().push(
            json!({"name": "filter[owner]", "location": "query", "value": {"fixed": "me"},
                   "style": "form", "explode": true}),
        );
        http
    };
    for key in ["owner", "Owner", "owner][", "owner]["] {
        assert_refused(try_plan(deep("filter"), json!({"x": {key: "evil"}})), key);
    }
    let request = planned(deep("filter"), json!({"x": {"project_id": 1}}));
    assert!(
        request.url.as_str().contains("filter%5Bproject_id%5D=1"),
        "{}",
        request.url
    );
}

#[test]
fn cookies_set_no_name_of_another() {
    for style in ["form", "cookie"] {
        let cookie = free("cookie", &json!({"style": style, "explode": true}));
        for key in ["session", "SESSION", "session=evil", "$Version", "api_key"] {
            assert_refused(
                try_plan(with_parameter(&cookie), json!({"x": {key: "v"}})),
                key,
            );
        }
        let request = planned(with_parameter(&cookie), json!({"x": {"theme": "dark"}}));
        assert_eq!(header(&request, "Cookie"), Some("session=s; theme=dark"));
    }
    let raw = free("cookie", &json!({"style": "cookie", "explode": true}));
    for value in ["a session=evil", "a,session=evil", "a\tb", "\"a", "a\\b"] {
        assert_refused(try_plan(with_parameter(&raw), json!({"x": value})), value);
    }
}

#[test]
fn a_matrix_in_the_path_sets_no_name_of_another() {
    let mut http = with_parameter(&free("path", &json!({"style": "matrix", "explode": true})));
    http["path"] = json!("/items/{x}");
    assert_refused(
        try_plan(http.clone(), json!({"x": {"project_id": 1}})),
        "matrix",
    );
    assert!(
        planned(http, json!({"x": {"a": 1}}))
            .url
            .as_str()
            .contains("/items/;a=1?")
    );
}

#[test]
fn a_body_overrides_no_pin() {
    for content in ["json", "form", "multipart"] {
        for key in SPELLINGS.iter().chain(METHODS).chain(&["fields"]) {
            let arguments = json!({"body": {"ok": "1", *key: "evil"}});
            assert_refused(
                try_plan(with_body(content), arguments),
                &format!("{content} {key}"),
            );
        }
        let body = json!({"body": {"name": "a", "limit": "7"}});
        assert!(try_plan(with_body(content), body).is_ok(), "{content}");
    }
    for content in ["form", "multipart"] {
        let body = json!({"body": {"api_key": "mine"}});
        assert_refused(try_plan(with_body(content), body), content);
    }
    let list = json!({"body": [{"a": 1}, {"project_id": "evil"}]});
    assert_refused(try_plan(with_body("json"), list.clone()), "a list");
    assert_refused(try_plan(with_body("lines"), list), "lines");
}

#[test]
fn a_body_may_repeat_what_is_pinned() {
    let same = json!({"body": {"project_id": "acme"}});
    let body = planned(with_body("json"), same).body.unwrap();
    assert_eq!(body, br#"{"project_id":"acme"}"#);
    let spelled = json!({"body": {"Project_ID": "acme"}});
    assert_refused(try_plan(with_body("json"), spelled), "another spelling");
}

#[test]
fn an_argument_that_a_constant_pins_is_protected_as_well() {
    let mut http = with_parameter(&free("query", &json!({"style": "form", "explode": true})));
    http["parameters"][0]["value"] = json!({"argument": "slug"});
    let arguments = json!({"slug": "acme", "x": {"PROJECT_ID": "evil"}});
    assert_refused(try_plan(http, arguments), "pinned by a constant");
}

#[test]
fn an_object_in_a_form_sets_no_name_of_another() {
    let mut http = with_parameter(&free("query", &json!({"style": "form", "explode": true})));
    http["body"] = json!({
        "media_type": "application/x-www-form-urlencoded", "content": "form",
        "shape": {"fields": [
            {"name": "owner", "value": {"fixed": "me"}},
            {"name": "options", "value": {"argument": "options"}},
        ]},
        "encoding": {"options": {"style": "form", "explode": true}},
    });
    for key in ["owner", "Owner[]", "project_id", "_method", "api_key"] {
        assert_refused(
            try_plan(http.clone(), json!({"options": {key: "evil"}})),
            key,
        );
    }
    let body = planned(http, json!({"options": {"colour": "red"}}))
        .body
        .unwrap();
    assert_eq!(body, b"owner=me&colour=red");
}

#[test]
fn a_name_of_a_part_does_not_end_before_its_quotation_mark() {
    let body = json!({"body": {"a\\": "x", "b\"; name=\"project_id": "y"}});
    let request = planned(with_body("multipart"), body).body.unwrap();
    let text = String::from_utf8(request).unwrap();
    assert!(text.contains("name=\"a%5C\"\r\n"), "{text}");
    assert!(
        text.contains("name=\"b%22; name=%22project_id\"\r\n"),
        "{text}"
    );
}

#[test]
fn a_part_keeps_its_own_disposition() {
    let mut http = json!({"method": "POST", "path": "/"});
    http["body"] = json!({
        "media_type": "multipart/form-data", "content": "multipart",
        "shape": {"fields": [{"name": "a", "value": {"argument": "a"}}]},
        "encoding": {"a": {"headers": [
            {"name": "content-disposition", "location": "header", "value": {"argument": "x"},
             "style": "simple", "explode": false}]}},
    });
    let arguments = json!({"a": "1", "x": "form-data; name=\"project_id\""});
    assert_refused(try_plan(http, arguments), "content-disposition");
}

#[test]
fn headers_that_decide_about_the_request_are_set_by_no_argument() {
    for name in [
        "X-HTTP-Method-Override",
        "X_HTTP_Method",
        "X-Original-URL",
        "X-Rewrite-URL",
        "Forwarded",
        "X-Forwarded-For",
        "X_Forwarded_Host",
        "X-Real-IP",
        "Cookie",
        "Via",
        "Remote-User",
        "Impersonate-User",
    ] {
        let simple = json!({"name": name, "style": "simple", "explode": false});
        assert_refused(
            try_plan(
                with_parameter(&free("header", &simple)),
                json!({"x": "evil"}),
            ),
            name,
        );
        let pinned =
            json!({"name": name, "value": {"fixed": "ours"}, "style": "simple", "explode": false});
        assert!(
            try_plan(with_parameter(&free("header", &pinned)), json!({})).is_ok(),
            "{name}"
        );
    }
    for name in [
        "Host",
        "Transfer-Encoding",
        "Proxy-Authorization",
        "Connection",
    ] {
        let pinned =
            json!({"name": name, "value": {"fixed": "ours"}, "style": "simple", "explode": false});
        let error = try_plan(with_parameter(&free("header", &pinned)), json!({})).unwrap_err();
        assert!(matches!(error, PlanError::Binding(_)), "{name}: {error}");
    }
}
