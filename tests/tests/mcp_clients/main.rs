//! MCP clients that others wrote list and call Depot's tools through `toolwright serve`.
//!
//! They are the inspector's command line and Python's `mcp`, the latter in both of its styles. The
//! tests are asked for by `TOOLWRIGHT_REAL=1`; see [`toolwright_tests::real`].

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what helps a test fails as the test does"
)]

mod inspector;
mod python;
mod stage;

use std::sync::OnceLock;

use serde_json::{Value, json};
use toolwright_tests::real::Real;

/// The hints that every tool has.
const HINTS: [&str; 4] = [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// What a reader of Depot sees, sorted.
const VIEW: [&str; 7] = [
    "download-depot-item-file",
    "get-depot-item",
    "get-depot-stock-report",
    "list-depot-item-comments",
    "list-depot-item-files",
    "list-depot-items",
    "search-depot-items",
];

/// Where the clients are, if the tests are asked for. They are installed once.
fn clients() -> Option<&'static Real> {
    static CLIENTS: OnceLock<Option<Real>> = OnceLock::new();
    let install = || {
        let real = Real::wanted()?;
        real.run("mcp-tools.sh", &[]).unwrap();
        Some(real)
    };
    CLIENTS.get_or_init(install).as_ref()
}

/// Makes sure that a list has the reader's view, sorted, with all hints, and nothing else.
fn check_list(tools: &Value) {
    let tools = tools.as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, VIEW);
    for tool in tools {
        for hint in HINTS {
            assert!(tool["annotations"][hint].is_boolean(), "{tool}");
        }
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
    }
}

/// Makes sure that a call was refused because the arguments name an item that is not there.
fn check_failure(result: &Value) {
    assert_eq!(result["isError"], true, "{result}");
    let error: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "service_error");
    assert_eq!(error["error"]["status"], 404);
    assert_eq!(error["error"]["retryable"], false);
}

/// The arguments of an item that nobody has heard of.
fn nowhere() -> Value {
    json!({"item_id": "00000000-0000-4000-8000-000000000000"})
}
