//! A client of MCP over standard input and output, which does nothing but to wait for answers.

use std::{
    error::Error,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// A server with its client.
pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    /// Starts a server.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Box<dyn Error>> {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = server.stdin.take();
        let output = server.stdout.take().ok_or("the server has no output")?;
        let mut client = Self {
            server,
            input,
            output: BufReader::new(output),
            last: 0,
        };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}});
        client.request("initialize", &params)?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Calls a tool, and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Box<dyn Error>> {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.request("tools/call", &params)?;
        if result.get("isError") == Some(&json!(true)) {
            return Err(format!("{tool} {arguments}: {result}").into());
        }
        Ok(result)
    }

    /// Makes calls, of which some are in flight at any time, and waits for all answers.
    pub(crate) fn call_all(
        &mut self,
        tool: &str,
        arguments: &[Value],
        in_flight: usize,
    ) -> Result<(), Box<dyn Error>> {
        for (number, arguments) in arguments.iter().enumerate() {
            if number >= in_flight {
                self.receive_result(tool)?;
            }
            self.last += 1;
            let params = json!({"name": tool, "arguments": arguments});
            self.send(
                &json!({"jsonrpc": "2.0", "id": self.last, "method": "tools/call",
                "params": params}),
            )?;
        }
        for _ in 0..arguments.len().min(in_flight) {
            self.receive_result(tool)?;
        }
        Ok(())
    }

    /// Waits for the next result of any call.
    fn receive_result(&mut self, tool: &str) -> Result<(), Box<dyn Error>> {
        loop {
            let message = self.receive()?;
            if message.get("id").is_none() {
                continue;
            }
            let is_error = message.pointer("/result/isError") == Some(&json!(true));
            if is_error || message.get("error").is_some() {
                return Err(format!("{tool}: {message}").into());
            }
            return Ok(());
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Box<dyn Error>> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut message = self.receive()?;
            // Notifications have no id, and requests to the client are not answered.
            if message.get("id") != Some(&json!(id)) {
                continue;
            }
            return match message.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => Err(format!("{method}: {message}").into()),
            };
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Box<dyn Error>> {
        let input = self.input.as_mut().ok_or("the server has no input")?;
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        input.write_all(&line)?;
        Ok(input.flush()?)
    }

    fn receive(&mut self) -> Result<Value, Box<dyn Error>> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Err("the server has ended".into());
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
