//! A server as a process, and clients of its port.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Condvar, Mutex,
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{Project, READER};

/// The token of the tests.
pub(crate) const TOKEN: &str = "a-token-of-the-tests";

/// The time after which a test that waits for an event fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The messages of a session over pipes: it begins, and makes this request.
pub(crate) fn session(method: &str, params: &Value) -> [Value; 3] {
    [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params}),
    ]
}

/// Serves a client over pipes that makes one request, and returns the answer.
#[track_caller]
pub(crate) fn ask(project: &Project, serve: &[&str], method: &str, params: &Value) -> Value {
    let mut server = project
        .command(serve)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    for message in session(method, params) {
        // A server that does not start closes the pipe.
        let _ = writeln!(pipe, "{message}");
    }
    let answers = lines.by_ref().take(2).map(Result::unwrap);
    let answer = answers.last();
    drop(pipe);
    let ended = server.wait_with_output().unwrap();
    let answer = answer.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&ended.stderr)));
    serde_json::from_str(&answer).unwrap()
}

/// Returns the names of the tools in the answer to `tools/list`.
pub(crate) fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
    names.collect()
}

/// A server over HTTP, which is killed when this is dropped.
pub(crate) struct Server {
    child: Child,
    stderr: Arc<(Mutex<String>, Condvar)>,
    pub(crate) address: String,
}

impl Server {
    /// Starts a server that asks for [`TOKEN`].
    pub(crate) fn start(project: &Project, options: &[&str]) -> Self {
        write_token(project, TOKEN, 0o600);
        let options = [&["--token-file", "token.txt"], options].concat();
        Self::with_options(project, &options)
    }

    /// Starts a server with these options.
    pub(crate) fn with_options(project: &Project, options: &[&str]) -> Self {
        let http = ["--transport", "http", "--port", "0"];
        Self::run(project, &[&READER[..], &http, options].concat())
    }

    /// Starts a server with these arguments.
    pub(crate) fn run(project: &Project, arguments: &[&str]) -> Self {
        let mut child = project
            .command(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = follow(child.stderr.take().unwrap());
        let mut server = Self {
            child,
            stderr,
            address: String::new(),
        };
        let said = server.says(", Ctrl-C ends this");
        let (said, _) = said.split_once(", Ctrl-C ends this").unwrap();
        let (_, address) = said.rsplit_once("http://").unwrap();
        server.address = address.split_once("/mcp").unwrap().0.to_owned();
        server
    }

    /// Waits until the server has printed this on standard error. Returns all that it printed.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> String {
        let (said, changed) = &*self.stderr;
        let said = said.lock().unwrap();
        let waits = |said: &mut String| !said.contains(text);
        let (said, _) = changed.wait_timeout_while(said, PATIENCE, waits).unwrap();
        assert!(said.contains(text), "no `{text}` in:\n{said}");
        said.clone()
    }

    /// Sends the server a signal: `TERM`, `HUP`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    /// Waits until the server has ended. Returns its exit code.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// A client that shows [`TOKEN`], without a session.
    pub(crate) fn client(&self) -> Client {
        self.client_with(Some(TOKEN))
    }

    /// A client that shows this token.
    pub(crate) fn client_with(&self, token: Option<&str>) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Client {
            stream: BufReader::new(stream),
            host: self.address.clone(),
            token: token.map(str::to_owned),
            session: None,
            next_id: 1,
        }
    }

    /// A client with a session.
    pub(crate) fn session(&self) -> Client {
        let mut client = self.client();
        assert_eq!(client.initialize().status, 200);
        client
    }

    /// A client with a session that shows this token.
    #[track_caller]
    pub(crate) fn session_with(&self, token: &str) -> Client {
        let mut client = self.client_with(Some(token));
        assert_eq!(client.initialize().status, 200);
        client
    }

    /// Returns the operator's view of `/health`.
    #[track_caller]
    pub(crate) fn health(&self) -> Value {
        self.try_health().unwrap()
    }

    /// The same, unless the server refuses the connection.
    fn try_health(&self) -> Option<Value> {
        self.health_for(Some(TOKEN))
    }

    /// Returns `/health` for a client that shows this token.
    pub(crate) fn health_for(&self, token: Option<&str>) -> Option<Value> {
        let mut client = self.client_with(token);
        let head = client.head("GET", "/health", 0);
        let head = head.replace("Host:", "Connection: close\r\nHost:");
        // A connection that is refused may be cut before this is written.
        let _ = client.stream.get_mut().write_all(head.as_bytes());
        let answer = client.rest();
        serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
    }

    /// Waits until `/health` shows the operator this at a JSON pointer.
    #[track_caller]
    pub(crate) fn wait_for_health(&self, pointer: &str, expected: &Value) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let health = self.try_health();
            if health.as_ref().and_then(|health| health.pointer(pointer)) == Some(expected) {
                return;
            }
            assert!(Instant::now() < deadline, "{pointer}: {health:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the token file with these rights.
pub(crate) fn write_token(project: &Project, token: &str, mode: u32) {
    project.write("token.new", token);
    let (new, file) = (project.path("token.new"), project.path("token.txt"));
    std::fs::set_permissions(&new, PermissionsExt::from_mode(mode)).unwrap();
    std::fs::rename(new, file).unwrap();
}

/// Sends a process a signal.
pub(crate) fn signal(process: u32, name: &str) {
    let (name, id) = (format!("-{name}"), process.to_string());
    let sent = Command::new("kill").args([&name, &id]).status().unwrap();
    assert!(sent.success());
}

/// Collects what a process prints.
fn follow(stream: impl Read + Send + 'static) -> Arc<(Mutex<String>, Condvar)> {
    let said = Arc::new((Mutex::new(String::new()), Condvar::new()));
    let shared = Arc::clone(&said);
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let (said, changed) = &*shared;
            *said.lock().unwrap() += &format!("{line}\n");
            changed.notify_all();
        }
    });
    said
}

/// A client on a connection of its own.
pub(crate) struct Client {
    pub(crate) stream: BufReader<TcpStream>,
    host: String,
    token: Option<String>,
    pub(crate) session: Option<String>,
    next_id: u64,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Client {
    /// Sends a request.
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) {
        let head = self.head(method, path, body.len());
        let stream = self.stream.get_mut();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
    }

    /// The head of a request with a body of this length.
    pub(crate) fn head(&self, method: &str, path: &str, length: usize) -> String {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n",
            self.host
        );
        for (name, value) in [
            ("Authorization: Bearer", &self.token),
            ("Mcp-Session-Id:", &self.session),
        ] {
            if let Some(value) = value {
                head += &format!("{name} {value}\r\n");
            }
        }
        head + "\r\n"
    }

    /// Receives an answer to its end.
    pub(crate) fn receive(&mut self) -> Reply {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.stream.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let head = head.to_lowercase();
        let body = match header(&head, "content-length") {
            Some(length) => self.exactly(length.parse().unwrap()),
            None if head.contains("transfer-encoding: chunked") => self.chunks(),
            None => String::new(),
        };
        Reply { status, head, body }
    }

    fn exactly(&mut self, length: usize) -> String {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    fn chunks(&mut self) -> String {
        let mut body = String::new();
        loop {
            let mut length = String::new();
            self.stream.read_line(&mut length).unwrap();
            let length = usize::from_str_radix(length.trim(), 16).unwrap();
            body += &self.exactly(length);
            self.exactly(2);
            if length == 0 {
                return body;
            }
        }
    }

    /// Asks a method of the protocol.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Reply {
        self.begin(method, params);
        self.receive()
    }

    /// Asks a method of the protocol without waiting for the answer.
    pub(crate) fn begin(&mut self, method: &str, params: &Value) {
        let id = self.next_id;
        self.next_id += 1;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send("POST", "/mcp", &message.to_string());
    }

    /// Begins a session.
    pub(crate) fn initialize(&mut self) -> Reply {
        let reply = self.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}),
        );
        self.session = reply.header("mcp-session-id").map(str::to_owned);
        if reply.status == 200 {
            let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            self.send("POST", "/mcp", &done.to_string());
            assert_eq!(self.receive().status, 202);
        }
        reply
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.begin_call(tool, arguments);
        self.receive().message()
    }

    /// Calls a tool without waiting for the answer.
    pub(crate) fn begin_call(&mut self, tool: &str, arguments: &Value) {
        self.begin("tools/call", &json!({"name": tool, "arguments": arguments}));
    }

    /// Calls a tool as a client of the revision without sessions, and does not wait.
    pub(crate) fn begin_call_modern(&mut self, tool: &str) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                             "params": {"name": tool, "arguments": {}, "_meta": meta}});
        let body = message.to_string();
        let headers = format!(
            "Mcp-Method: tools/call\r\nMcp-Name: {tool}\r\nMCP-Protocol-Version: 2026-07-28\r\n\r\n"
        );
        let head = self.head("POST", "/mcp", body.len());
        let head = head.trim_end().to_owned() + "\r\n" + &headers + &body;
        self.stream.get_mut().write_all(head.as_bytes()).unwrap();
    }

    /// Checks whether a message of the protocol has arrived, without waiting for one.
    pub(crate) fn is_answered(&self) -> bool {
        let stream = self.stream.get_ref();
        stream.set_nonblocking(true).unwrap();
        let mut arrived = vec![0; 1 << 16];
        let number = stream.peek(&mut arrived).unwrap_or(0);
        stream.set_nonblocking(false).unwrap();
        String::from_utf8_lossy(&arrived[..number]).contains("jsonrpc")
    }

    /// The names of the tools that are listed.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", &json!({})).message();
        let tools = list["result"]["tools"].as_array().unwrap();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.iter().map(name).collect()
    }

    /// Reads to the end of the connection.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        // A connection that is cut ends, too.
        let _ = self.stream.read_to_end(&mut rest);
        String::from_utf8(rest).unwrap()
    }
}

impl Reply {
    /// A header of the answer, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The message of the protocol that the answer carries.
    #[track_caller]
    pub(crate) fn message(&self) -> Value {
        let lines = self.body.lines();
        let mut data = lines.filter_map(|line| line.strip_prefix("data: {"));
        let message = data.next().unwrap_or_else(|| panic!("{self:?}"));
        serde_json::from_str(&format!("{{{message}")).unwrap()
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// A server over pipes, and the times at which it sent that the list has changed.
pub(crate) struct Told {
    child: Child,
    _input: ChildStdin,
    times: Receiver<Instant>,
}

impl Told {
    pub(crate) fn start(project: &Project, serve: &[&str]) -> Self {
        let mut child = project
            .command(serve)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for message in session("tools/list", &json!({})) {
            writeln!(input, "{message}").unwrap();
        }
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("\"tools\":[") {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server ended");
        }
        let (sender, times) = channel();
        thread::spawn(move || note(output, |time| sender.send(time).is_ok()));
        Self {
            child,
            _input: input,
            times,
        }
    }

    /// Returns the id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the time from a change to the next notification. Later ones are dropped.
    #[track_caller]
    pub(crate) fn after(&self, change: Instant) -> Duration {
        let time = self.times.recv_timeout(Duration::from_secs(60)).unwrap();
        thread::sleep(Duration::from_millis(300));
        while self.times.try_recv().is_ok() {}
        time.saturating_duration_since(change)
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Notes the times of notifications.
fn note(output: BufReader<ChildStdout>, noted: impl Fn(Instant) -> bool) {
    for line in output.lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap();
        let is_change = message["method"] == "notifications/tools/list_changed";
        if is_change && !noted(Instant::now()) {
            return;
        }
    }
}
