//! Sends a raw request: no client resolves or encodes its target.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

/// The read timeout.
const PATIENCE: Duration = Duration::from_secs(20);

/// The destination of a request.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// The operation, or `None` if the stack rejected the request.
    pub(crate) op: Option<String>,
    /// The method that the stack received.
    pub(crate) method: String,
    /// The project that the stack received.
    pub(crate) project: Vec<String>,
}

/// Sends a `GET` request to a target.
pub(crate) fn send(port: u16, target: &str, headers: &[(&str, &str)]) -> Reached {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let more = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"));
    let more: String = more.collect();
    let request = format!(
        "GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}Connection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // Some servers close the connection immediately after a rejection.
    let _ = stream.read_to_end(&mut answer);
    read(&String::from_utf8_lossy(&answer)).unwrap_or_default()
}

fn read(answer: &str) -> Option<Reached> {
    let is_success = answer.split(' ').nth(1)? == "200";
    let body = answer.get(answer.find('{')?..=answer.rfind('}')?)?;
    let body: Value = serde_json::from_str(body).ok()?;
    let project = body["project"].as_array().into_iter().flatten();
    Some(Reached {
        op: body["op"]
            .as_str()
            .filter(|_| is_success)
            .map(str::to_owned),
        method: body["method"].as_str().unwrap_or_default().to_owned(),
        project: project.map(text_of).collect(),
    })
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
