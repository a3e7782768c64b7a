//! Third-party MCP clients list and call Depot's tools through `toolwright serve`.
//!
//! The clients are the inspector's command line, `mcp` for Python, FastMCP, the TypeScript SDK, `rmcp` and the
//! official conformance suite.
//! `TOOLWRIGHT_REAL=1` enables the tests; see [`toolwright_tests::real`].

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test helpers panic like tests"
)]

mod archive;
mod conformance;
mod inspector;
mod native;
mod renaming;
mod scenarios;
mod stage;

use std::sync::OnceLock;

use serde_json::{Value, json};
use toolwright_tests::real::Real;

/// The hints that every tool declares.
const HINTS: [&str; 4] = [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// The tools that a reader of Depot sees, sorted.
const VIEW: [&str; 7] = [
    "download-depot-item-file",
    "get-depot-item",
    "get-depot-stock-report",
    "list-depot-item-comments",
    "list-depot-item-files",
    "list-depot-items",
    "search-depot-items",
];

/// Returns the clients if the tests are enabled. Installs them once.
fn clients() -> Option<&'static Real> {
    static CLIENTS: OnceLock<Option<Real>> = OnceLock::new();
    let install = || {
        let real = Real::if_enabled()?;
        real.run("mcp-tools.sh", &[]).unwrap();
        Some(real)
    };
    CLIENTS.get_or_init(install).as_ref()
}

/// Asserts that a list contains exactly the reader's view, sorted, with all hints.
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
        // A schema that says nothing is left out.
        let output = tool.get("outputSchema");
        assert!(output.is_none_or(|schema| schema["type"] == "object"));
    }
}

/// Asserts that a call failed because its item does not exist.
fn check_failure(result: &Value) {
    assert_eq!(result["isError"], true, "{result}");
    let error: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "service_error");
    assert_eq!(error["error"]["status"], 404);
    assert_eq!(error["error"]["retryable"], false);
}

/// The arguments of an item that does not exist.
fn unknown_item() -> Value {
    json!({"item_id": "00000000-0000-4000-8000-000000000000"})
}
