//! `answer`: whatever a service answers, the secret of the call does not come out.
//!
//! The bytes choose a status, a media type, the forms of the secret and where they are put into the
//! rest of the bytes. A real call is answered with that.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolError, ToolOutput, ToolSpec,
    audit::MemoryAudit, config::ServiceConfig, private,
};

/// The secret of the call.
const SECRET: &str = "S3CRETtoken0123456789/abcdef+42";

/// The base64 of the secret.
const ENCODED: &str = "UzNDUkVUdG9rZW4wMTIzNDU2Nzg5L2FiY2RlZis0Mg==";

/// How many bytes of an answer are read, so that some are cut.
const BOUND: usize = 512;

/// How many characters of the secret at once are too many.
const PART: usize = 12;

const STATUSES: [u16; 6] = [200, 201, 400, 404, 500, 503];

const MEDIA_TYPES: [&str; 8] = [
    "application/json",
    "text/plain",
    "application/octet-stream",
    "application/x-ndjson",
    "text/event-stream",
    "application/problem+json",
    "text/html",
    "application/xml",
];

/// A service that answers as the case asks, and a view that calls it.
struct Stage {
    runtime: Runtime,
    view: ScopedToolView,
    answer: Arc<Mutex<Vec<u8>>>,
    _folder: TempDir,
}

/// Answers a call with an answer that the bytes describe.
///
/// # Panics
/// When the secret comes out.
pub fn answer(data: &[u8]) {
    static STAGE: OnceLock<Stage> = OnceLock::new();
    let stage = STAGE.get_or_init(Stage::new);
    let choice = |index: usize| data.get(index).copied().unwrap_or_default();
    let head = head(choice(0), choice(1));
    let rest = data.get(6..).unwrap_or_default();
    let body = body(choice(2), [choice(3), choice(4), choice(5)], rest);
    let text = format!(
        "{head}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    *stage.answer.lock().unwrap_or_else(PoisonError::into_inner) =
        [text.into_bytes(), body].concat();
    let call = stage.view.call_json("get-hostile-item", json!({}));
    let seen = seen(&stage.runtime.block_on(call)).to_lowercase();
    let secret = SECRET.to_lowercase();
    for start in 0..=secret.len() - PART {
        let part = secret.get(start..start + PART).unwrap_or_default();
        assert!(!seen.contains(part), "`{part}` comes out: {seen}");
    }
    assert!(!seen.contains(&ENCODED.to_lowercase()), "{seen}");
}

/// The status line and the media type.
fn head(status: u8, media_type: u8) -> String {
    let status = STATUSES.iter().cycle().nth(status.into());
    let status = status.copied().unwrap_or_default();
    let media_type = MEDIA_TYPES.iter().cycle().nth(media_type.into());
    let media_type = media_type.copied().unwrap_or_default();
    format!("HTTP/1.1 {status} Any\r\nContent-Type: {media_type}\r\n")
}

/// The rest of the bytes, with forms of the secret between them.
fn body(padding: u8, choices: [u8; 3], rest: &[u8]) -> Vec<u8> {
    let mut body = vec![b' '; usize::from(padding) * 3];
    let third = rest.len() / choices.len() + 1;
    for (index, choice) in choices.into_iter().enumerate() {
        body.extend(rest.iter().skip(index * third).take(third));
        body.extend_from_slice(form(choice).as_bytes());
    }
    body
}

fn form(choice: u8) -> String {
    let hex = || SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    match choice % 6 {
        0 => SECRET.to_owned(),
        1 => ENCODED.to_owned(),
        2 => hex(),
        3 => SECRET.replace('/', "%2F").replace('+', "%2B"),
        4 => format!("{{\"{SECRET}\": [\"{SECRET}\"]}}"),
        _ => String::new(),
    }
}

/// All that can be seen of a result.
fn seen(result: &Result<ToolOutput, ToolError>) -> String {
    match result {
        Ok(output) => format!("{} {output:?}", output.value),
        Err(error) => format!("{error} {error:?} {} {:?}", error.to_json(), error.body()),
    }
}

#[expect(
    clippy::unwrap_used,
    reason = "it is for tests, which fail by panicking"
)]
impl Stage {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let answer = Arc::new(Mutex::new(Vec::new()));
        let url = serve(Arc::clone(&answer));
        let folder = tempfile::tempdir().unwrap();
        let auth = json!({"base_url": url, "api_token": SECRET}).to_string();
        let file = folder.path().join(".local/hostile/admin-auth.json");
        private::write(&file, auth).unwrap();
        let config = ServiceConfig {
            max_response_bytes: BOUND,
            ..ServiceConfig::default()
        };
        let registry = Registry::builder()
            .specs([spec()])
            .grant("reader", "*")
            .service("hostile".parse().unwrap(), config)
            .credentials(Credentials::new(folder.path()).with_variables(|_| None))
            .audit(MemoryAudit::new())
            .build()
            .unwrap();
        Self {
            runtime,
            view: registry.for_agent(&Role::new("reader").unwrap()),
            answer,
            _folder: folder,
        }
    }
}

/// `GET /`, with an undescribed answer.
#[expect(clippy::unwrap_used, reason = "the record is written here")]
fn spec() -> ToolSpec {
    let spec: Value = json!({
        "name": "get-hostile-item", "service": "hostile", "title": "Get", "short": "Gets.",
        "description": "Gets.", "section": "Items", "category": "observe", "effect": "read",
        "approval_required": false, "enabled_by_default": true,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": true},
        "input_schema": {"type": "object"}, "evidence": [],
        "binding": {"http": {"method": "GET", "path": "/"}},
        "origin": {"document": "hostile", "pointer": "/"},
    });
    serde_json::from_value(spec).unwrap()
}

/// A server on loopback that answers every request with the bytes; its URL.
#[expect(
    clippy::unwrap_used,
    reason = "it is for tests, which fail by panicking"
)]
fn serve(answer: Arc<Mutex<Vec<u8>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let bytes = answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            // A client may go away after the bytes that it reads.
            let _ = reply(stream, &bytes);
        }
    });
    format!("http://{address}")
}

fn reply(mut stream: TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while lines
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    stream.write_all(bytes)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    std::io::copy(&mut stream.take(1 << 16), &mut std::io::sink())?;
    Ok(())
}
