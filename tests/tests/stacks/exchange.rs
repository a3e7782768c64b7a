//! One request, written as it is: no client in between resolves or encodes its target.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::Value;

/// How long a stack may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a request has reached.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// The operation; none when the stack has refused the request.
    pub(crate) op: Option<String>,
    /// The method as the stack has read it.
    pub(crate) method: String,
    /// The project as the stack has read it.
    pub(crate) project: Vec<String>,
}

/// Sends a `GET` of a target.
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
    // Some servers close a connection at once when they refuse a request.
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
