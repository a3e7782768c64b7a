//! One list of scenarios for all clients: what each of them sees of the same server.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwright_tests::real::Real;

use crate::{
    check_failure, check_list, clients,
    stage::{Stage, root},
    unknown_item,
};

/// A client that is driven by a script.
struct Driver {
    name: &'static str,
    /// The revision that the client agrees on, if it tells.
    revision: Option<&'static str>,
    command: fn(&Real) -> Command,
}

const DRIVERS: [Driver; 4] = [
    Driver {
        name: "mcp for Python, with a session",
        revision: Some("2025-11-25"),
        command: |real| python(real, "mcp", "session"),
    },
    Driver {
        name: "mcp for Python",
        revision: Some("2026-07-28"),
        command: |real| python(real, "mcp", "client"),
    },
    Driver {
        name: "FastMCP",
        revision: None,
        command: |real| python(real, "fastmcp", "fastmcp"),
    },
    Driver {
        name: "the TypeScript SDK",
        revision: None,
        command: |real| {
            let npm = real.folder().join("npm");
            let mut command = Command::new(npm.join("node22/node_modules/.bin/node"));
            command.arg(root().join("tests/real/mcp_client.mjs"));
            command.arg(npm.join("everything/node_modules/@modelcontextprotocol/sdk"));
            command
        },
    },
];

fn python(real: &Real, environment: &str, style: &str) -> Command {
    let folder = real.folder().join("venv").join(environment);
    let mut command = Command::new(folder.join("bin/python"));
    command
        .arg(root().join("tests/real/mcp_client.py"))
        .arg(style);
    command
}

/// What a client does, for a role of a server with options, and what it must see.
struct Scenario {
    name: &'static str,
    role: &'static str,
    options: &'static [&'static str],
    steps: fn() -> Value,
    check: fn(&Stage, &[Value]),
}

const SCENARIOS: [Scenario; 6] = [
    Scenario {
        name: "it lists the tools of its role",
        role: "reader",
        options: &[],
        steps: || json!([{"do": "list"}]),
        check: |_, steps| {
            check_list(&steps[0]["tools"]);
            assert_eq!(steps[0]["pages"], 1);
        },
    },
    Scenario {
        name: "a result has the same structure and text",
        role: "reader",
        options: &[],
        steps: || json!([call("list-depot-items", &json!({"limit": 2}))]),
        check: |_, steps| {
            let result = &steps[0]["result"];
            let items = &result["structuredContent"]["items"];
            assert_eq!(items.as_array().unwrap().len(), 2, "{result}");
            let text = result["content"][0]["text"].as_str().unwrap();
            let same: Value = serde_json::from_str(text).unwrap();
            // A client of JavaScript writes `79.50` as `79.5`, so the whole values may differ.
            for number in [0, 1] {
                assert_eq!(same["items"][number]["sku"], items[number]["sku"]);
            }
        },
    },
    Scenario {
        name: "a refused tool is as one that does not exist",
        role: "reader",
        options: &[],
        steps: || {
            let item = json!({"sku": "CLOCK-060", "name": "Clock", "quantity": 1});
            json!([
                call("create-depot-item", &item),
                call("no-such-tool", &json!({})),
                call("get-depot-item", &unknown_item()),
                call("get-depot-item", &json!({"item_id": 7})),
            ])
        },
        check: |stage, steps| {
            assert_eq!(steps[0]["error"]["code"], -32602, "{steps:?}");
            let denied = steps[0]["error"].to_string();
            let unknown = steps[1]["error"].to_string();
            let neutral = denied.replace("create-depot-item", "");
            assert_eq!(neutral, unknown.replace("no-such-tool", ""));
            check_failure(&steps[2]["result"]);
            assert_eq!(steps[3]["result"]["isError"], true, "{steps:?}");
            let audit = stage.audit();
            let reasons = audit.iter().filter_map(|event| event["reason"].as_str());
            let reasons: Vec<_> = reasons.collect();
            let expected = [
                "not_granted",
                "unknown_tool",
                "granted",
                "invalid_arguments",
            ];
            assert_eq!(reasons, expected);
        },
    },
    Scenario {
        name: "a hundred calls at once all end",
        role: "reader",
        options: &["--max-session-calls", "100"],
        steps: || {
            let mut step = call("list-depot-items", &json!({"limit": 1}));
            step["do"] = json!("parallel");
            step["count"] = json!(100);
            json!([step])
        },
        check: |_, steps| assert_eq!(steps[0]["ok"], 100, "{}", steps[0]),
    },
    Scenario {
        name: "beyond the limit of calls at once, each call has an answer",
        role: "reader",
        options: &["--max-session-calls", "2"],
        steps: || {
            let mut step = call("list-depot-items", &json!({"limit": 1}));
            step["do"] = json!("parallel");
            step["count"] = json!(100);
            json!([step, call("list-depot-items", &json!({"limit": 1}))])
        },
        check: |_, steps| {
            for other in steps[0]["other"].as_array().unwrap() {
                assert!(other.to_string().contains("server_busy"), "{other}");
            }
            assert!(steps[0]["ok"].as_u64().unwrap() > 0);
            assert_ne!(steps[1]["result"]["isError"], true);
        },
    },
    Scenario {
        name: "a client that gives a waiting call up can go on",
        role: "clerk",
        options: &["--wait", "60"],
        steps: || {
            let item = json!({"sku": "CLOCK-061", "name": "Clock", "quantity": 1});
            let mut step = call("create-depot-item", &item);
            step["do"] = json!("cancel");
            step["after"] = json!(1);
            json!([step, {"do": "list"}])
        },
        check: |_, steps| {
            assert_eq!(steps[0]["given_up"], true);
            assert_eq!(steps[1]["tools"].as_array().unwrap().len(), 1);
        },
    },
];

fn call(name: &str, arguments: &Value) -> Value {
    json!({"do": "call", "name": name, "arguments": arguments})
}

/// Takes steps with a client, and returns what it saw of each.
fn drive(real: &Real, driver: &Driver, server: &[String], steps: &Value) -> Vec<Value> {
    let ran = (driver.command)(real)
        .arg(steps.to_string())
        .arg("--")
        .args(server)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{}: {stderr}", driver.name);
    let seen: Value = serde_json::from_slice(&ran.stdout).unwrap();
    if let Some(revision) = driver.revision {
        assert_eq!(seen["revision"], revision);
    }
    seen["steps"].as_array().unwrap().clone()
}

#[test]
fn every_client_passes_every_scenario() {
    let Some(real) = clients() else { return };
    for driver in &DRIVERS {
        for scenario in &SCENARIOS {
            println!("{}: {}", driver.name, scenario.name);
            let stage = Stage::new();
            let mut server = stage.command(scenario.role);
            server.extend(scenario.options.iter().map(|&word| word.to_owned()));
            let steps = drive(real, driver, &server, &(scenario.steps)());
            (scenario.check)(&stage, &steps);
        }
    }
}

#[test]
fn every_client_creates_an_item_after_approval() {
    let Some(real) = clients() else { return };
    for driver in &DRIVERS {
        println!("{}", driver.name);
        let stage = Stage::new();
        let item = json!({"sku": "CLOCK-060", "name": "Clock", "quantity": 1});
        let steps = json!([call("create-depot-item", &item)]);
        let create = || {
            let steps = drive(real, driver, &stage.command("clerk"), &steps);
            steps[0]["result"].clone()
        };
        let waits = create();
        assert_eq!(waits["isError"], true, "{waits}");
        let text = waits["content"][0]["text"].as_str().unwrap();
        let error: Value = serde_json::from_str(text).unwrap();
        assert_eq!(error["error"]["code"], "approval_required");
        stage.approve();
        let created = create();
        assert_eq!(
            created["structuredContent"]["sku"], "CLOCK-060",
            "{created}"
        );
        assert_eq!(create()["isError"], true, "an approval lets one call pass");
    }
}
