//! The server as a client sees it, message by message, over pipes in memory.

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    sync::Notify,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use toolwright::{
    Kind, Registry, Role, ServiceName, Tool, ToolError, ToolName, ToolSpec,
    audit::{Ending, MemoryAudit, What},
    binding::{Binding, Governance, Origin},
    render::mcp::OutputSchemas,
};

use super::*;
use crate::{
    error::ServeError,
    limits::CallLimits,
    list::{page, render},
    stdio::serve_over,
    views::Views,
};

/// The revisions of the protocol that are spoken here.
const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    MODERN,
];
const MODERN: &str = "2026-07-28";

/// A client that has agreed on a revision with the server.
struct Client {
    revision: &'static str,
    next_id: u64,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pipe: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), ServeError>>,
}

impl Client {
    async fn connect(registry: &Registry, revision: &'static str) -> Self {
        let view = registry.for_agent(&Role::new("reader").unwrap());
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let calls = Calls::new(CallLimits::default());
        let views = Views::new(Some(view), Views::open_in(registry));
        let own = views.own().unwrap().clone();
        let server = Handler::new(own, &calls, &Changes::new());
        let server = tokio::spawn(serve_over(server, theirs, CancellationToken::new()));
        let (reader, pipe) = tokio::io::split(ours);
        let lines = BufReader::new(reader).lines();
        let mut client = Self {
            revision,
            next_id: 1,
            lines,
            pipe,
            server,
        };
        if revision != MODERN {
            let answer = client
                .ask(
                    "initialize",
                    json!({"protocolVersion": revision, "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}}),
                )
                .await;
            assert_eq!(answer["result"]["protocolVersion"], revision);
            client
                .send(json!({"method": "notifications/initialized"}))
                .await;
        }
        client
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let line = format!("{message}\n");
        self.pipe.write_all(line.as_bytes()).await.unwrap();
    }

    async fn request(&mut self, method: &str, mut params: Value) -> u64 {
        if self.revision == MODERN {
            let own = params["_meta"].take();
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            if let Value::Object(own) = own {
                params["_meta"].as_object_mut().unwrap().extend(own);
            }
        }
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({"id": id, "method": method, "params": params}))
            .await;
        id
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let line = self.lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }
}

fn spec(name: &str, kind: Kind, output_schema: Option<Value>) -> ToolSpec {
    let governance = Governance::from_kind(kind, false);
    ToolSpec {
        name: ToolName::new(name).unwrap(),
        service: ServiceName::new("depot").unwrap(),
        title: name.to_owned(),
        short: name.to_owned(),
        description: String::new(),
        when_to_use: None,
        section: "Items".to_owned(),
        category: governance.category(),
        effect: governance.effect(),
        approval_required: governance.approval_required,
        hints: governance.hints,
        enabled_by_default: governance.enabled_by_default,
        deprecated: false,
        reason: None,
        input_schema: json!({"type": "object", "properties": {"id": {"type": "integer"}}}).into(),
        output_schema: output_schema.map(Into::into),
        pagination: None,
        projection: None,
        binding: Binding::Native,
        origin: Origin {
            document: String::new(),
            pointer: String::new(),
            operation_id: None,
        },
        evidence: Vec::new(),
    }
}

/// A tool that answers this.
fn answering(name: &str, output_schema: Option<Value>, answer: Result<Value, ToolError>) -> Tool {
    Tool::native(spec(name, Kind::Read, output_schema), move |_, _| {
        std::future::ready(answer.clone())
    })
}

/// Two tools of the role, and one each that was not granted, is off, and waits for a person.
fn registry() -> Registry {
    let broken = || Err(ToolError::failed("the shelf is broken"));
    Registry::builder()
        .tool(answering(
            "list-depot-items",
            Some(json!({"type": "array"})),
            Ok(json!([1])),
        ))
        .tool(answering("get-depot-item", None, broken()))
        .tool(answering(
            "get-depot-shelf",
            Some(json!({"type": "object", "required": ["id"]})),
            broken(),
        ))
        .tool(answering(
            "get-depot-hall",
            Some(json!({"type": "object", "required": ["id"]})),
            Ok(json!("B")),
        ))
        .tool(answering("list-depot-secrets", None, Ok(Value::Null)))
        .tool(Tool::native(
            spec("ship-depot-item", Kind::Transition, None),
            |_, _| std::future::ready(Ok(Value::Null)),
        ))
        .tool(Tool::native(
            spec("create-depot-item", Kind::Create, None),
            |_, _| std::future::ready(Ok(Value::Null)),
        ))
        .grant("reader", "*-depot-item*")
        .grant("reader", "get-*")
        .enable("create-depot-item")
        .audit(MemoryAudit::new())
        .build()
        .unwrap()
}

#[tokio::test]
async fn the_list_is_the_view_and_no_more() {
    for revision in REVISIONS {
        let mut client = Client::connect(&registry(), revision).await;
        let list = client.ask("tools/list", json!({})).await["result"].take();
        let tools = list["tools"].as_array().unwrap();
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            [
                "create-depot-item",
                "get-depot-hall",
                "get-depot-item",
                "get-depot-shelf",
                "list-depot-items",
            ]
        );
        for tool in tools {
            for hint in [
                "readOnlyHint",
                "destructiveHint",
                "idempotentHint",
                "openWorldHint",
            ] {
                assert!(tool["annotations"][hint].is_boolean(), "{tool}");
            }
        }
        assert_eq!(list["cacheScope"], "private");
        assert!(list["ttlMs"].is_u64());
        let expected = if revision == MODERN {
            json!("complete")
        } else {
            Value::Null
        };
        assert_eq!(list["resultType"], expected, "{revision}");
    }
}

/// However small the pages are, each has a tool, and together they have each tool once.
#[test]
fn a_list_that_is_too_large_has_pages() {
    let specs = registry().for_agent(&Role::new("reader").unwrap()).specs();
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert!(names.len() > 1);
    let list = render(&specs, OutputSchemas::Cut).unwrap();
    let whole = page(&list, None, usize::MAX).unwrap();
    assert_eq!((whole.0.len(), whole.1), (names.len(), None));
    for bytes in [0, 600, 1200] {
        let (mut listed, mut cursor) = (Vec::new(), None);
        loop {
            let (tools, next) = page(&list, cursor.as_deref(), bytes).unwrap();
            assert!(!tools.is_empty());
            listed.extend(tools.into_iter().map(|tool| tool.name.into_owned()));
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(listed, names, "{bytes}");
    }
    assert!(page(&list, Some("list-depot-nothing"), 600).is_err());
}

#[tokio::test]
async fn a_page_that_is_not_there_is_refused() {
    let mut client = Client::connect(&registry(), MODERN).await;
    let answer = client.ask("tools/list", json!({"cursor": "2"})).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn parameters_that_do_not_fit_are_no_unknown_method() {
    for revision in REVISIONS {
        let mut client = Client::connect(&registry(), revision).await;
        for (method, params, message) in [
            (
                "tools/call",
                json!({"name": "get-depot-item", "arguments": "{}"}),
                "found a string",
            ),
            (
                "tools/call",
                json!({"name": "get-depot-item", "arguments": [1]}),
                "found an array",
            ),
            ("tools/call", json!({"arguments": {}}), "`name` is missing"),
            ("tools/call", json!({"name": 7}), "`name` must be a string"),
            ("resources/read", json!({}), "do not fit"),
        ] {
            let answer = client.ask(method, params).await;
            assert_eq!(answer["error"]["code"], -32602, "{revision} {answer}");
            let text = answer["error"]["message"].as_str().unwrap();
            assert!(text.contains(message), "{text}");
        }
        let unknown = client.ask("tools/forget", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    }
}

#[tokio::test]
async fn what_may_not_be_called_and_what_is_not_there_look_alike() {
    for revision in REVISIONS {
        let mut client = Client::connect(&registry(), revision).await;
        let mut errors = Vec::new();
        for tool in ["list-depot-secrets", "ship-depot-item", "no-such-tool"] {
            let error = client.call(tool, json!({"id": "x"})).await["error"].take();
            assert_eq!(error["code"], -32602);
            errors.push(error.to_string().replace(tool, "NAME"));
        }
        assert_eq!(errors[0], errors[1]);
        assert_eq!(errors[0], errors[2]);
    }
}

#[tokio::test]
async fn a_result_is_given_as_text_and_as_structure() {
    for revision in REVISIONS {
        let mut client = Client::connect(&registry(), revision).await;
        let result = client.call("list-depot-items", json!({})).await["result"].take();
        assert_eq!(result["isError"], false);
        assert_eq!(result["structuredContent"], json!({"result": [1]}));
        assert_eq!(result["content"], json!([{"type": "text", "text": "[1]"}]));
    }
}

#[tokio::test]
async fn a_failure_is_structured_unless_another_structure_is_promised() {
    let error = json!({"error": {"code": "tool_failed", "message": "the shelf is broken",
                                 "retryable": false}});
    for revision in REVISIONS {
        let mut client = Client::connect(&registry(), revision).await;
        for (tool, described) in [("get-depot-item", false), ("get-depot-shelf", true)] {
            let result = client.call(tool, json!({})).await["result"].take();
            assert_eq!(result["isError"], true);
            assert_eq!(result["content"][0]["text"], error.to_string());
            let expected = if described { &Value::Null } else { &error };
            assert_eq!(result["structuredContent"], *expected, "{revision} {tool}");
        }
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_a_failure_of_the_tool() {
    let mut client = Client::connect(&registry(), MODERN).await;
    let result = client.call("get-depot-item", json!({"id": "x"})).await["result"].take();
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["structuredContent"]["error"]["code"],
        "invalid_arguments"
    );
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_says_so() {
    let mut client = Client::connect(&registry(), MODERN).await;
    let result = client.call("create-depot-item", json!({})).await["result"].take();
    assert_eq!(
        result["structuredContent"]["error"]["code"],
        "approval_required"
    );
}

#[tokio::test]
async fn a_client_chooses_how_long_its_call_waits_for_a_person() {
    use toolwright::approval::{Decision, Verdict};

    for revision in REVISIONS {
        let registry = registry();
        let mut client = Client::connect(&registry, revision).await;
        let mut call = async |seconds: u64| {
            let meta = json!({WAIT: seconds});
            let params = json!({"name": "create-depot-item", "arguments": {}, "_meta": meta});
            client.ask("tools/call", params).await["result"].take()
        };
        let undecided = call(1).await;
        let code = &undecided["structuredContent"]["error"]["code"];
        assert_eq!(code, "approval_required", "{revision}");
        let approve = async {
            loop {
                let now = jiff::Timestamp::now();
                let pending = registry.approvals().pending(now).await.unwrap();
                if let [request] = pending.as_slice() {
                    let decision = Decision::new(Verdict::Approved, "ann", now).unwrap();
                    let handle = request.handle.clone();
                    registry.decide(handle, decision).await.unwrap();
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let (approved, ()) = tokio::join!(call(30), approve);
        assert_eq!(approved["isError"], json!(false), "{revision}: {approved}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_its_promise_is_told_with_all_there_is() {
    for revision in REVISIONS {
        let mut client = Client::connect(&registry(), revision).await;
        let result = client.call("get-depot-hall", json!({})).await["result"].take();
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"], Value::Null);
        let explanation = result["content"][0]["text"].as_str().unwrap();
        assert!(explanation.contains("unusable_answer"), "{explanation}");
        assert!(explanation.contains("was carried out"), "{explanation}");
        assert_eq!(result["content"][1]["text"], "B");
    }
}

/// Tells when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn a_cancelled_call_is_abandoned() {
    for revision in REVISIONS {
        let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let signals = (Arc::clone(&begun), Arc::clone(&ended));
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .tool(Tool::native(
                spec("get-depot-item", Kind::Read, None),
                move |_, _| {
                    let (begun, ended) = signals.clone();
                    async move {
                        let _dropped = Dropped(ended);
                        begun.notify_one();
                        std::future::pending().await
                    }
                },
            ))
            .grant("reader", "*")
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        let mut client = Client::connect(&registry, revision).await;
        let id = client
            .request("tools/call", json!({"name": "get-depot-item"}))
            .await;
        begun.notified().await;
        let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": id}});
        client.send(cancel).await;
        ended.notified().await;
        let list = client.ask("tools/list", json!({})).await;
        assert!(
            list["result"]["tools"].is_array(),
            "the server goes on, and answers nothing else"
        );
        let events = audit.events();
        let What::Outcome(outcome) = &events[1].what else {
            panic!("{events:?}");
        };
        assert_eq!(outcome.outcome, Ending::Cancelled);
    }
}

#[tokio::test]
async fn the_end_of_input_ends_the_server() {
    for revision in REVISIONS {
        let client = Client::connect(&registry(), revision).await;
        let Client {
            lines,
            pipe,
            server,
            ..
        } = client;
        drop(lines.into_inner().into_inner().unsplit(pipe));
        server.await.unwrap().unwrap();
    }
}

/// What every span of this process contains, one line each.
#[derive(Clone, Default)]
struct Recorded(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Recorded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Recorded {
    /// Returns the line of the span of a request that has ended.
    #[track_caller]
    fn span(&self, id: &str) -> String {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let id = format!("jsonrpc.request.id={id} ");
        let of_request = |line: &&str| line.contains(&id) && line.contains("time.busy");
        let own = |line: &&str| !line.contains("execute_tool{");
        let mut lines = text.lines().filter(of_request).filter(own);
        let found = lines.next().unwrap_or_else(|| panic!("no {id}: {text}"));
        assert_eq!(lines.next(), None);
        found.to_owned()
    }
}

/// Requests are answered on tasks of the library, so the subscriber is that of the process.
#[tokio::test]
async fn a_request_has_a_span_with_the_names_of_the_conventions() {
    let recorded = Recorded::default();
    let writer = recorded.clone();
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::CLOSE)
        .with_writer(move || writer.clone())
        .init();
    let mut client = Client::connect(&registry(), "2025-11-25").await;
    let long = "l".repeat(100);
    let requests = [
        ("span-good", "list-depot-items"),
        ("span-failed", "get-depot-item"),
        ("span-unknown", "get-depot-nothing"),
        (&long, "list-depot-items"),
    ];
    for (id, tool) in requests {
        client
            .send(json!({"id": id, "method": "tools/call", "params": {"name": tool}}))
            .await;
        client.lines.next_line().await.unwrap().unwrap();
    }
    let good = recorded.span("span-good");
    for field in [
        r#"otel.name="tools/call list-depot-items""#,
        r#"otel.kind="server""#,
        r#"mcp.method.name="tools/call""#,
        r#"mcp.protocol.version="2025-11-25""#,
        r#"network.transport="pipe""#,
        r#"gen_ai.tool.name="list-depot-items""#,
    ] {
        assert!(good.contains(field), "no {field} in {good}");
    }
    assert!(!good.contains("error.type"), "{good}");
    let failed = recorded.span("span-failed");
    assert!(failed.contains(r#"error.type="tool_error""#), "{failed}");
    let unknown = recorded.span("span-unknown");
    assert!(unknown.contains(r#"error.type="-32602""#), "{unknown}");
    assert!(!unknown.contains("nothing"), "{unknown}");
    recorded.span(&"l".repeat(64));
}

/// A service whose answer comes in parts for a second, and a tool that reads it.
async fn slow_registry() -> Registry {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut [0; 4096]).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..10 {
            stream.write_all(b".").await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let http = json!({"method": "GET", "path": "/", "base_url": format!("http://{address}")});
    let tool = ToolSpec {
        binding: serde_json::from_value(json!({"http": http})).unwrap(),
        ..spec("get-depot-item", Kind::Read, None)
    };
    Registry::builder()
        .specs([tool])
        .grant("reader", "*")
        .credentials(toolwright::Credentials::new("/nowhere"))
        .audit(MemoryAudit::new())
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_client_that_asks_for_progress_receives_it() {
    for revision in REVISIONS {
        let mut client = Client::connect(&slow_registry().await, revision).await;
        let params = json!({"name": "get-depot-item", "arguments": {},
                            "_meta": {"progressToken": "transfer-1"}});
        let id = client.request("tools/call", params).await;
        let mut reported = Vec::new();
        let answer = loop {
            let line = client.lines.next_line().await.unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] != "notifications/progress" {
                break message;
            }
            let params = &message["params"];
            assert_eq!(params["progressToken"], "transfer-1");
            assert_eq!(params["total"], 10.0);
            let bytes = params["progress"].as_f64().unwrap();
            assert_eq!(params["message"], format!("received {bytes} of 10 bytes"));
            reported.push(bytes);
        };
        assert_eq!((&answer["id"], answer.get("error")), (&json!(id), None));
        assert!(
            (2..=4).contains(&reported.len()),
            "{revision}: {reported:?}"
        );
        assert!(reported.is_sorted_by(|a, b| a < b), "{reported:?}");
        // Nobody else is told.
        let mut client = Client::connect(&slow_registry().await, revision).await;
        let answer = client.call("get-depot-item", json!({})).await;
        assert_eq!(answer.get("error"), None);
    }
}
