//! An agent's session over MCP.

use std::{
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::Warehouse;

/// An MCP session over standard input and output.
pub(super) struct Session {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    id: u64,
    /// The answer to `initialize`.
    pub(super) begun: Value,
}

impl Session {
    pub(super) fn start(warehouse: &Warehouse, run: &str) -> Self {
        Self::start_as(warehouse, "clerk", run)
    }

    pub(super) fn start_as(warehouse: &Warehouse, role: &str, run: &str) -> Self {
        let line = ["serve", "--role", role, "--run", run];
        let mut child = warehouse
            .project
            .command(&line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut session = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            id: 0,
            begun: Value::Null,
        };
        session.begun = session.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(session.input, "{ready}").unwrap();
        session
    }

    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        writeln!(self.input, "{message}").unwrap();
        loop {
            let line = self.output.next().unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.id {
                return answer["result"].clone();
            }
        }
    }

    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
