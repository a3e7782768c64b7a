//! Discovery on every face: the list of MCP, the formats, the prompts and the command line.

use serde_json::{Value, json};
use toolwright_tests::{Answer, Recorder};

use crate::{
    serve::process::ask,
    support::{Project, service},
};

const NOTE: &str = r#"{"id": 7, "text": "milk"}"#;

const SERVE: [&str; 3] = ["serve", "--role", "reader"];

/// A project whose role `reader` sees the tools of discovery.
fn project(server: &Recorder) -> Project {
    let project = Project::with_memo();
    let url = server.url();
    project.configure(format!(
        "[roles.reader]\ngrant = [\"category:observe\"]\n[discovery]\nthreshold = 2\n\
         [services.memo]\nbase_url = \"{url}\"\n"
    ));
    project
}

fn offline() -> Project {
    project(&service(Answer::json(200, NOTE)))
}

const NAMES: [&str; 3] = [
    "search-toolwright-tools",
    "describe-toolwright-tool",
    "call-toolwright-observe-tool",
];

fn names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn clients_and_formats_see_the_tools_of_discovery() {
    let project = offline();
    let listed = ask(&project, &SERVE, "tools/list", &json!({}));
    assert_eq!(names(&listed["result"]["tools"]), NAMES, "{listed}");
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let export = |target: &str| {
        let export = ["export", "--role", "reader", "--target", target, "--json"];
        project.run(&export).expect(0).json().remove(0)
    };
    assert_eq!(names(&export("mcp")["tools"]), NAMES);
    assert_eq!(names(&export("anthropic")["tools"]), NAMES);
    let prompt = export("prompt-cli").to_string();
    for name in NAMES {
        assert!(
            prompt.contains(&format!("toolwright call {name} --role reader")),
            "{prompt}"
        );
    }
    assert!(
        prompt.contains("memo: get-memo-note, list-memo-notes"),
        "{prompt}"
    );
    assert!(!prompt.contains("- `get-memo-note`"), "{prompt}");
}

#[test]
fn a_call_over_mcp_has_the_result_and_the_errors_of_the_direct_call() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    let call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        ask(&project, &SERVE, "tools/call", &params)
    };
    let through = |tool: &str, arguments: Value| {
        call(NAMES[2], json!({"tool": tool, "arguments": arguments}))
    };
    let arguments = json!({"id": 7});
    let direct = call("get-memo-note", arguments.clone());
    assert_eq!(
        direct["result"]["structuredContent"]["text"], "milk",
        "{direct}"
    );
    assert_eq!(through("get-memo-note", arguments), direct);
    for tool in ["get-memo-nothing", "delete-memo-note"] {
        let refused = through(tool, json!({"id": 7}));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert_eq!(call(tool, json!({"id": 7})), refused);
    }
    assert_eq!(server.take_requests().len(), 2);
    let wrong = through("get-memo-note", json!({"id": "x"}));
    let direct = call("get-memo-note", json!({"id": "x"}));
    assert_eq!(wrong["result"]["content"], direct["result"]["content"]);
    assert_eq!(wrong["result"]["isError"], true);
}

#[test]
fn the_command_line_searches_describes_and_calls() {
    let server = service(Answer::json(200, NOTE));
    let project = project(&server);
    let call = |name: &str, arguments: &Value| {
        let arguments = arguments.to_string();
        let call = [
            "call", name, "--role", "reader", "--args", &arguments, "--json",
        ];
        project.run(&call).expect(0).json().remove(0)
    };
    let found = call(NAMES[0], &json!({"query": "raed a noet", "limit": 2}));
    assert!(found.to_string().contains("get-memo-note"), "{found}");
    assert_eq!(found["tools"][0]["call_with"], NAMES[2]);
    let described = call(NAMES[1], &json!({"tool": "get-memo-note"}));
    assert_eq!(described["tool"]["inputSchema"]["required"], json!(["id"]));
    let called = call(
        NAMES[2],
        &json!({"tool": "get-memo-note", "arguments": {"id": 7}}),
    );
    assert_eq!(called["text"], "milk");
    let report = project.run(&["audit", "report", "--json"]).expect(0).json();
    let report = &report[0];
    assert_eq!(report["kinds"]["discovery"]["ok"], 3, "{report}");
    assert_eq!(report["kinds"]["raw"], Value::Null, "{report}");
    assert_eq!(report["tools"]["get-memo-note"]["ok"], 1, "{report}");
}
