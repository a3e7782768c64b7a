//! Messages in lines, as on standard input and output. Each request is answered, also one that cannot be read.

use std::{
    io::{self, BufWriter, Write as _},
    sync::Arc,
};

use futures_util::SinkExt as _;
use memchr::memchr;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader},
    sync::Mutex,
    task::JoinHandle,
};
use tokio_util::{
    bytes::{BufMut as _, BytesMut},
    codec::{Encoder, FramedWrite},
};

use crate::{
    aside::{LARGE, aside},
    outline::{Fault, Outline},
};

/// The longest message, in bytes.
pub(crate) const LONGEST_LINE: usize = 16 << 20;

/// A transport of messages in lines.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The outline of the line, once it is too long: the rest of it is dropped.
    dropped: Option<Outline>,
    longest: usize,
    write: Writer<W>,
    /// The answer that is being sent. The future that receives messages may be dropped before it is.
    answering: Option<JoinHandle<io::Result<()>>>,
}

/// Writes messages one after another, until it is closed.
struct Writer<W>(Arc<Mutex<Option<FramedWrite<W, LineEncoder>>>>);

/// Renders a message as a line.
///
/// The encoder of `rmcp` writes each part of a message into the buffer of the connection by itself, which takes
/// 1.7 times as long for a list of 3.7 MB. Here the parts are gathered first. The buffer keeps its memory for the
/// next message: a list is requested again after each change.
struct LineEncoder;

/// The end of a line.
enum End {
    /// The line was read.
    Read,
    /// The line is too long, and was dropped.
    Dropped(Outline),
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Reads lines of at most this many bytes.
    pub(crate) fn new(read: R, write: W, longest: usize) -> Self {
        Self {
            read: BufReader::with_capacity(LARGE, read),
            line: Vec::new(),
            dropped: None,
            longest,
            write: Writer::new(write),
            answering: None,
        }
    }

    /// Reads until the end of a line. Returns `None` at the end of the input.
    ///
    /// It may be dropped while it waits, and then goes on with the same line.
    async fn read(&mut self) -> Option<End> {
        loop {
            let arrived = match self.read.fill_buf().await {
                Ok([]) => return None,
                Ok(arrived) => arrived,
                Err(error) => {
                    tracing::error!("cannot read standard input: {error}");
                    return None;
                }
            };
            let end = memchr(b'\n', arrived);
            let part = arrived
                .get(..end.unwrap_or(arrived.len()))
                .unwrap_or_default();
            let used = end.map_or(arrived.len(), |end| end + 1);
            if let Some(outline) = &mut self.dropped {
                outline.add(part);
            } else if self.line.len() + part.len() > self.longest {
                let mut outline = Outline::of(&self.line);
                outline.add(part);
                self.dropped = Some(outline);
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            self.read.consume(used);
            match (end, self.dropped.take()) {
                (None, dropped) => self.dropped = dropped,
                (Some(_), Some(outline)) => return Some(End::Dropped(outline)),
                (Some(_), None) => return Some(End::Read),
            }
        }
    }

    /// Returns the message of a line, or its fault.
    async fn message(&mut self) -> Result<Option<ClientJsonRpcMessage>, Outline> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let parse = async { serde_json::from_slice(text) };
        let parsed: Result<ClientJsonRpcMessage, _> = match text.len() < LARGE {
            true => parse.await,
            false => aside(parse).await,
        };
        match parsed {
            Ok(message) => Ok(Some(message)),
            Err(error) => {
                tracing::debug!("cannot read a message: {error}");
                Err(Outline::of(text))
            }
        }
    }

    /// Begins to send the answer to a message that cannot be read.
    fn answer(&mut self, outline: &Outline, fault: Fault) {
        if let Some(answer) = outline.answer(fault) {
            self.answering = Some(tokio::spawn(self.write.send(answer)));
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Writer<W> {
    fn new(write: W) -> Self {
        Self(Arc::new(Mutex::new(Some(FramedWrite::new(
            write,
            LineEncoder,
        )))))
    }

    /// Writes a message. What is left of it if the future is dropped comes before the next message.
    fn send(
        &self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + use<W> {
        let write = Arc::clone(&self.0);
        async move {
            match &mut *write.lock().await {
                Some(write) => write.send(message).await,
                None => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    async fn close(&self) {
        self.0.lock().await.take();
    }
}

impl Encoder<ServerJsonRpcMessage> for LineEncoder {
    type Error = io::Error;

    fn encode(&mut self, message: ServerJsonRpcMessage, buffer: &mut BytesMut) -> io::Result<()> {
        let before = buffer.len();
        let written = write_line(&message, buffer);
        if written.is_err() {
            buffer.truncate(before);
        }
        written
    }
}

fn write_line(message: &ServerJsonRpcMessage, buffer: &mut BytesMut) -> io::Result<()> {
    let mut parts = BufWriter::new(buffer.writer());
    serde_json::to_writer(&mut parts, message)?;
    parts.write_all(b"\n")?;
    parts.flush()
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // One answer at a time: a client that reads none cannot fill the memory.
            if let Some(answering) = &mut self.answering {
                let sent = answering.await;
                self.answering = None;
                sent.ok()?.ok()?;
            }
            match self.read().await? {
                End::Dropped(outline) => self.answer(&outline, Fault::TooLong(self.longest)),
                End::Read => match self.message().await {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => {}
                    Err(outline) => self.answer(&outline, Fault::Unreadable),
                },
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.close().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{AsyncWriteExt as _, DuplexStream};

    use super::*;

    /// A transport of lines of at most 1,000 bytes, and the other ends of its pipes.
    fn transport() -> (
        Lines<DuplexStream, DuplexStream>,
        DuplexStream,
        BufReader<DuplexStream>,
    ) {
        let (input, reader) = tokio::io::duplex(100);
        let (writer, output) = tokio::io::duplex(1 << 16);
        let lines = Lines::new(reader, writer, 1000);
        (lines, input, BufReader::new(output))
    }

    async fn next(output: &mut BufReader<DuplexStream>) -> Value {
        let mut line = String::new();
        output.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    #[tokio::test]
    async fn each_request_is_received_or_answered() {
        let (mut lines, mut input, mut output) = transport();
        let ping = |id: u64| json!({"jsonrpc": "2.0", "method": "ping", "id": id}).to_string();
        let note = "x".repeat(2000);
        let long =
            json!({"method": "tools/call", "params": {"a": note}, "jsonrpc": "2.0", "id": 2});
        let sent = format!(
            "\n\u{feff}{}\r\n{long}\n{{\"id\":3,\n[]\n{{\"method\":\"x\",\"params\":{{\"a\":\"{note}\"}}}}\n{}\n",
            ping(1),
            ping(4),
        );
        tokio::spawn(async move { input.write_all(sent.as_bytes()).await });
        for expected in [1, 4] {
            let Some(ClientJsonRpcMessage::Request(request)) = lines.receive().await else {
                panic!("no request");
            };
            assert_eq!(request.id.into_json_value(), json!(expected));
        }
        assert!(lines.receive().await.is_none());
        for (id, code) in [
            (json!(2), -32600),
            (Value::Null, -32700),
            (Value::Null, -32600),
        ] {
            let answer = next(&mut output).await;
            assert_eq!(
                (&answer["id"], &answer["error"]["code"]),
                (&id, &json!(code))
            );
        }
    }

    /// The service drops the future whenever it sends something.
    #[tokio::test]
    async fn a_line_goes_on_after_the_future_was_dropped() {
        let (mut lines, mut input, mut output) = transport();
        let request = json!({"jsonrpc": "2.0", "method": "ping", "id": 1}).to_string();
        for (text, is_read) in [
            (request, true),
            (format!("{{\"id\":1,{}", "x".repeat(2000)), false),
        ] {
            let writing = async {
                for part in format!("{text}\n").as_bytes().chunks(30) {
                    input.write_all(part).await.unwrap();
                    tokio::task::yield_now().await;
                }
                true
            };
            let mut writing = std::pin::pin!(writing);
            let mut received = None;
            let mut is_written = false;
            while received.is_none() && (is_read || !is_written) {
                tokio::select! {
                    biased;
                    message = lines.receive() => received = message,
                    written = &mut writing, if !is_written => is_written = written,
                    () = tokio::task::yield_now() => {}
                }
            }
            assert_eq!(received.is_some(), is_read);
        }
        drop(input);
        assert!(lines.receive().await.is_none());
        assert_eq!(next(&mut output).await["error"]["code"], -32600);
    }
}
