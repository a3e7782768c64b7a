//! One list of scenarios for all clients: what each of them sees of the same server.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwright_tests::real::Real;

use crate::{
    archive::BOOKS,
    check_failure, check_list, clients, native,
    stage::{Stage, root},
    unknown_item,
};

/// A client.
struct Driver {
    name: &'static str,
    /// The revision that the client agrees on, if it tells.
    revision: Option<&'static str>,
    kind: Kind,
}

enum Kind {
    /// A script drives it.
    Script(fn(&Real) -> Command),
    /// It is that of `rmcp`, with this revision.
    Native(&'static str),
}

const DRIVERS: [Driver; 9] = [
    Driver {
        name: "mcp for Python, with a session",
        revision: Some("2025-11-25"),
        kind: Kind::Script(|real| python(real, "mcp", "session")),
    },
    Driver {
        name: "mcp for Python",
        revision: Some("2026-07-28"),
        kind: Kind::Script(|real| python(real, "mcp", "client")),
    },
    Driver {
        name: "FastMCP",
        revision: None,
        kind: Kind::Script(|real| python(real, "fastmcp", "fastmcp")),
    },
    Driver {
        name: "the TypeScript SDK",
        revision: None,
        kind: Kind::Script(|real| {
            let npm = real.folder().join("npm");
            let mut command = Command::new(npm.join("node22/node_modules/.bin/node"));
            command.arg(root().join("tests/real/mcp_client.mjs"));
            command.arg(npm.join("everything/node_modules/@modelcontextprotocol/sdk"));
            command
        }),
    },
    native("2024-11-05"),
    native("2025-03-26"),
    native("2025-06-18"),
    native("2025-11-25"),
    native("2026-07-28"),
];

/// The client of `rmcp` with a revision.
const fn native(revision: &'static str) -> Driver {
    Driver {
        name: "rmcp",
        revision: Some(revision),
        kind: Kind::Native(revision),
    }
}

fn python(real: &Real, environment: &str, style: &str) -> Command {
    let folder = real.folder().join("venv").join(environment);
    let mut command = Command::new(folder.join("bin/python"));
    command
        .arg(root().join("tests/real/mcp_client.py"))
        .arg(style);
    command
}

/// Scenarios of one connection to a server with a role and options.
struct Connection {
    role: &'static str,
    options: &'static [&'static str],
    /// True if the tools are those of the archive rather than of Depot.
    is_archive: bool,
    scenarios: &'static [Scenario],
}

/// What a client does, and what it must see.
struct Scenario {
    name: &'static str,
    steps: fn() -> Value,
    check: fn(&Stage, &[Value]),
}

const CONNECTIONS: [Connection; 5] = [
    Connection {
        role: "reader",
        options: &[],
        is_archive: false,
        scenarios: &READING,
    },
    Connection {
        role: "reader",
        options: &["--max-session-calls", "100"],
        is_archive: false,
        scenarios: &[Scenario {
            name: "a hundred calls at once all end",
            steps: || json!([hundred()]),
            check: |_, steps| assert_eq!(steps[0]["ok"], 100, "{}", steps[0]),
        }],
    },
    Connection {
        role: "reader",
        options: &["--max-session-calls", "2"],
        is_archive: false,
        scenarios: &[Scenario {
            name: "beyond the limit of calls at once, each call has an answer",
            steps: || json!([hundred(), call("list-depot-items", &json!({"limit": 1}))]),
            check: |_, steps| {
                for other in steps[0]["other"].as_array().unwrap() {
                    assert!(other.to_string().contains("server_busy"), "{other}");
                }
                assert!(steps[0]["ok"].as_u64().unwrap() > 0);
                assert_ne!(steps[1]["result"]["isError"], true);
            },
        }],
    },
    Connection {
        role: "clerk",
        options: &["--wait", "60"],
        is_archive: false,
        scenarios: &[Scenario {
            name: "a client that gives a waiting call up can go on",
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
        }],
    },
    Connection {
        role: "reader",
        options: &[],
        is_archive: true,
        scenarios: &ARCHIVE,
    },
];

/// The scenarios of a reader of Depot. The server ends in the last.
const READING: [Scenario; 6] = [
    Scenario {
        name: "it lists the tools of its role",
        steps: || json!([{"do": "list"}]),
        check: |_, steps| {
            check_list(&steps[0]["tools"]);
            assert_eq!(steps[0]["pages"], 1);
        },
    },
    Scenario {
        name: "a result has the same structure and text",
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
            // The first is that of the scenario before.
            let reasons: Vec<_> = reasons.skip(1).take(4).collect();
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
        name: "messages that cannot be read disturb neither the server nor the client",
        steps: || {
            let deep = "[".repeat(500);
            let lines = json!([
                "not JSON",
                "[]",
                r#"{"jsonrpc": "2.0", "id": "raw-1"}"#,
                r#"{"jsonrpc": "2.0", "id": "raw-2", "method": "tools/call", "params": {"name":"#,
                r#"{"jsonrpc": "2.0", "id": "raw-3", "method": "tools/call", "params": {"arguments": "{}"}}"#,
                format!(r#"{{"jsonrpc": "2.0", "id": "raw-4", "method": "ping", "params": {deep}"#),
                r#"{"jsonrpc": "2.0", "method": "notifications/nothing"}"#,
            ]);
            json!([{"do": "raw", "lines": lines}, call("list-depot-items", &json!({"limit": 1}))])
        },
        check: |_, steps| check_one_item(&steps[1]),
    },
    Scenario {
        name: "arguments of 20 MB are answered, and the next call is served",
        steps: || {
            let mut large = call("search-depot-items", &json!({}));
            large["fill"] = json!({"q": 20_000_000});
            json!([large, call("list-depot-items", &json!({"limit": 1}))])
        },
        check: |_, steps| {
            assert_eq!(steps[0]["error"]["code"], -32600, "{}", steps[0]);
            let message = steps[0]["error"]["message"].as_str().unwrap();
            assert!(message.contains("longer than 16777216 bytes"), "{message}");
            assert!(steps[0]["seconds"].as_f64().unwrap() < 20.0, "{}", steps[0]);
            check_one_item(&steps[1]);
        },
    },
    Scenario {
        name: "a call of a server that was killed fails, and another server goes on",
        steps: || {
            let mut step = call("list-depot-items", &json!({"limit": 1}));
            step["do"] = json!("restart");
            json!([step, call("list-depot-items", &json!({"limit": 1}))])
        },
        check: |_, steps| {
            assert!(steps[0]["error"]["message"].is_string(), "{}", steps[0]);
            check_one_item(&steps[1]);
        },
    },
];

/// The scenarios of the archive.
const ARCHIVE: [Scenario; 2] = [
    Scenario {
        name: "a list of several pages is read to its end",
        steps: || json!([{"do": "list"}]),
        check: |_, steps| {
            assert_eq!(steps[0]["pages"], 2);
            let tools = steps[0]["tools"].as_array().unwrap();
            let names: Vec<_> = tools.iter().map(|tool| tool["name"].to_string()).collect();
            assert_eq!(names.len(), BOOKS + 2);
            assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        },
    },
    Scenario {
        name: "a slow service is waited for, and one that is stuck is given up",
        steps: || {
            json!([
                call("get-archive-slow-report", &json!({})),
                call("get-archive-stuck-report", &json!({})),
                call("get-archive-slow-report", &json!({})),
            ])
        },
        check: |_, steps| {
            for slow in [&steps[0], &steps[2]] {
                assert_eq!(slow["result"]["structuredContent"]["pages"], 7, "{slow}");
                assert!(slow["seconds"].as_f64().unwrap() > 0.9, "{slow}");
            }
            let stuck = &steps[1]["result"];
            let text = stuck["content"][0]["text"].as_str().unwrap();
            let error: Value = serde_json::from_str(text).unwrap();
            assert_eq!(stuck["isError"], true);
            assert_eq!(error["error"]["code"], "timeout", "{error}");
            let seconds = steps[1]["seconds"].as_f64().unwrap();
            assert!((1.9..20.0).contains(&seconds), "{seconds}");
        },
    },
];

fn check_one_item(step: &Value) {
    let items = &step["result"]["structuredContent"]["items"];
    assert_eq!(items.as_array().map(Vec::len), Some(1), "{step}");
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"do": "call", "name": name, "arguments": arguments})
}

/// A hundred calls at once.
fn hundred() -> Value {
    let mut step = call("list-depot-items", &json!({"limit": 1}));
    step["do"] = json!("parallel");
    step["count"] = json!(100);
    step
}

/// Takes steps with a client, and returns what it saw of each.
fn drive(real: &Real, driver: &Driver, server: &[String], steps: &Value) -> Vec<Value> {
    let script = match driver.kind {
        Kind::Script(script) => script,
        Kind::Native(revision) => return native::drive(revision, server, steps),
    };
    let ran = script(real)
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
        for connection in &CONNECTIONS {
            let stage = Stage::new();
            let mut server = match connection.is_archive {
                true => stage.command_of_archive(connection.role),
                false => stage.command(connection.role),
            };
            server.extend(connection.options.iter().map(|&word| word.to_owned()));
            let scenarios = connection.scenarios.iter();
            let steps = scenarios.map(|scenario| (scenario.steps)()).map(|steps| {
                let Value::Array(steps) = steps else {
                    panic!("{steps}")
                };
                steps
            });
            let steps: Vec<Vec<Value>> = steps.collect();
            let mut seen = drive(real, driver, &server, &json!(steps.concat()));
            for (scenario, steps) in connection.scenarios.iter().zip(steps) {
                let revision = driver.revision.unwrap_or_default();
                println!("{} {revision}: {}", driver.name, scenario.name);
                let rest = seen.split_off(steps.len());
                (scenario.check)(&stage, &seen);
                seen = rest;
            }
        }
    }
}

#[test]
fn every_client_creates_an_item_after_approval() {
    let Some(real) = clients() else { return };
    for driver in &DRIVERS {
        println!("{} {}", driver.name, driver.revision.unwrap_or_default());
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
