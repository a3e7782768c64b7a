//! A client of MCP that does as little as possible, so that the server is what is measured.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{ChildStdin, ChildStdout},
    sync::{mpsc, oneshot},
};

use crate::Failure;

/// The revision of the protocol that every measured server has.
const REVISION: &str = "2025-06-18";

/// A client, which several tasks may use at a time.
#[derive(Clone)]
pub(crate) struct Client {
    wire: Wire,
    last: Arc<AtomicU64>,
}

/// The calls whose answers are awaited, by their ids.
type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Vec<u8>>>>>;

#[derive(Clone)]
enum Wire {
    Pipes {
        lines: mpsc::UnboundedSender<Vec<u8>>,
        waiting: Waiting,
    },
    Http {
        client: reqwest::Client,
        url: String,
        headers: HeaderMap,
    },
}

impl Client {
    /// Connects over standard input and output.
    pub(crate) async fn over_pipes(
        input: ChildStdin,
        output: ChildStdout,
    ) -> Result<Self, Failure> {
        let (lines, to_write) = mpsc::unbounded_channel();
        let waiting = Waiting::default();
        tokio::spawn(write_lines(to_write, input));
        tokio::spawn(read_lines(output, Arc::clone(&waiting)));
        let client = Self::new(Wire::Pipes { lines, waiting });
        client.request("initialize", &opening()).await?;
        client.notify("notifications/initialized").await?;
        Ok(client)
    }

    /// Connects over HTTP.
    pub(crate) async fn over_http(url: &str, token: &str) -> Result<Self, Failure> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"))?;
        headers.insert(reqwest::header::AUTHORIZATION, bearer);
        let client = reqwest::Client::builder()
            .no_proxy()
            .tcp_nodelay(true)
            .build()?;
        let mut client = Self::new(Wire::Http {
            client,
            url: url.to_owned(),
            headers,
        });
        client.open_session().await?;
        client.notify("notifications/initialized").await?;
        Ok(client)
    }

    fn new(wire: Wire) -> Self {
        Self {
            wire,
            last: Arc::new(AtomicU64::new(0)),
        }
    }

    async fn open_session(&mut self) -> Result<(), Failure> {
        let body = self.message("initialize", &opening()).1;
        let Wire::Http {
            client,
            url,
            headers,
        } = &mut self.wire
        else {
            return Err("pipes have no sessions".into());
        };
        let answer = client
            .post(url.as_str())
            .headers(headers.clone())
            .json(&body);
        let answer = answer.send().await?.error_for_status()?;
        if let Some(session) = answer.headers().get("mcp-session-id") {
            headers.insert(HeaderName::from_static("mcp-session-id"), session.clone());
        }
        let revision = HeaderName::from_static("mcp-protocol-version");
        headers.insert(revision, HeaderValue::from_static(REVISION));
        answer.bytes().await?;
        Ok(())
    }

    /// Calls a tool. An error of the tool is an error.
    pub(crate) async fn call(&self, tool: &str, arguments: &Value) -> Result<(), Failure> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer: Value = serde_json::from_slice(&self.request("tools/call", &params).await?)?;
        let is_error = answer.pointer("/result/isError") == Some(&json!(true));
        match answer.get("result") {
            Some(_) if !is_error => Ok(()),
            _ => Err(format!("{tool}: {answer}").into()),
        }
    }

    /// Lists all tools, page by page. Returns their number and the bytes of the answers.
    pub(crate) async fn list(&self) -> Result<(usize, usize), Failure> {
        let (mut tools, mut bytes) = (0, 0);
        let mut params = json!({});
        loop {
            let answer = self.request("tools/list", &params).await?;
            bytes += answer.len();
            let answer: Value = serde_json::from_slice(&answer)?;
            let result = answer.get("result").ok_or_else(|| answer.to_string())?;
            let listed = result.get("tools").and_then(Value::as_array);
            tools += listed.map_or(0, Vec::len);
            match result.get("nextCursor") {
                Some(cursor) if !cursor.is_null() => params = json!({"cursor": cursor}),
                _ => return Ok((tools, bytes)),
            }
        }
    }

    fn message(&self, method: &str, params: &Value) -> (u64, Value) {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        (id, message)
    }

    /// Sends a request, and returns the bytes of its answer.
    async fn request(&self, method: &str, params: &Value) -> Result<Vec<u8>, Failure> {
        let (id, message) = self.message(method, params);
        match &self.wire {
            Wire::Pipes { lines, waiting } => {
                let (sender, receiver) = oneshot::channel();
                let calls = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
                calls().insert(id, sender);
                lines.send(line(&message)?)?;
                Ok(receiver.await?)
            }
            Wire::Http {
                client,
                url,
                headers,
            } => {
                let answer = client.post(url).headers(headers.clone()).json(&message);
                let answer = answer.send().await?.error_for_status()?;
                let kind = answer.headers().get(reqwest::header::CONTENT_TYPE);
                let is_stream =
                    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
                let body = answer.bytes().await?;
                match is_stream {
                    true => last_event(&body),
                    false => Ok(body.to_vec()),
                }
            }
        }
    }

    async fn notify(&self, method: &str) -> Result<(), Failure> {
        let message = json!({"jsonrpc": "2.0", "method": method});
        match &self.wire {
            Wire::Pipes { lines, .. } => Ok(lines.send(line(&message)?)?),
            Wire::Http {
                client,
                url,
                headers,
            } => {
                let answer = client.post(url).headers(headers.clone()).json(&message);
                answer.send().await?.error_for_status()?;
                Ok(())
            }
        }
    }
}

/// The parameters of the first request.
fn opening() -> Value {
    json!({"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
}

fn line(message: &Value) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

async fn write_lines(mut lines: mpsc::UnboundedReceiver<Vec<u8>>, mut input: ChildStdin) {
    while let Some(line) = lines.recv().await {
        if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}

/// Hands each answer to its call.
async fn read_lines(output: ChildStdout, waiting: Waiting) {
    let mut output = BufReader::with_capacity(1 << 20, output);
    let mut line = Vec::new();
    while output
        .read_until(b'\n', &mut line)
        .await
        .is_ok_and(|length| length > 0)
    {
        let id = id_of(&line);
        let calls = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let call = id.and_then(|id| calls().remove(&id));
        let answer = std::mem::take(&mut line);
        if let Some(call) = call {
            let _ = call.send(answer);
        }
    }
    // The server has ended, so the calls that wait fail.
    waiting
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

/// Returns the id of an answer without a look at its result.
fn id_of(line: &[u8]) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Answer {
        id: Option<u64>,
    }
    serde_json::from_slice::<Answer>(line).ok()?.id
}

/// Returns the data of the last event of a stream: the answer, after notifications.
fn last_event(body: &[u8]) -> Result<Vec<u8>, Failure> {
    let lines = body.split(|byte| *byte == b'\n');
    let data = lines.filter_map(|line| line.strip_prefix(b"data:"));
    let mut data = data.map(<[u8]>::trim_ascii).filter(|data| !data.is_empty());
    Ok(data.next_back().ok_or("the stream has no answer")?.to_vec())
}
