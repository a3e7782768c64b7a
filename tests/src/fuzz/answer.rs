//! The target `answer`: the output of a call never contains its secret.
//!
//! The bytes select a status, a media type, the forms of the secret and their positions in the
//! remaining bytes. A real call gets the result as its response.

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
use toolwright_model::hex;

/// The secret of the call.
const SECRET: &str = "S3CRETtoken0123456789/abcdef+42";

/// The secret in base64.
const ENCODED: &str = "UzNDUkVUdG9rZW4wMTIzNDU2Nzg5L2FiY2RlZis0Mg==";

/// The response size limit in bytes, small enough to truncate some responses.
const BOUND: usize = 512;

/// The number of consecutive characters of the secret that counts as a leak.
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

/// A service that sends the response of the case, and a view that calls it.
struct Stage {
    runtime: Runtime,
    view: ScopedToolView,
    answer: Arc<Mutex<Vec<u8>>>,
    _folder: TempDir,
}

/// Answers a call with the response that the bytes describe.
///
/// # Panics
/// If the output contains the secret.
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
    let seen = visible_parts(&stage.runtime.block_on(call)).to_lowercase();
    let secret = SECRET.to_lowercase();
    for start in 0..=secret.len() - PART {
        let part = secret.get(start..start + PART).unwrap_or_default();
        assert!(!seen.contains(part), "the output contains `{part}`: {seen}");
    }
    assert!(!seen.contains(&ENCODED.to_lowercase()), "{seen}");
}

/// Returns the status line and the content type.
fn head(status: u8, media_type: u8) -> String {
    let status = STATUSES.iter().cycle().nth(status.into());
    let status = status.copied().unwrap_or_default();
    let media_type = MEDIA_TYPES.iter().cycle().nth(media_type.into());
    let media_type = media_type.copied().unwrap_or_default();
    format!("HTTP/1.1 {status} Any\r\nContent-Type: {media_type}\r\n")
}

/// Returns the remaining bytes with forms of the secret between them.
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
    match choice % 6 {
        0 => SECRET.to_owned(),
        1 => ENCODED.to_owned(),
        2 => hex(SECRET),
        3 => SECRET.replace('/', "%2F").replace('+', "%2B"),
        4 => format!("{{\"{SECRET}\": [\"{SECRET}\"]}}"),
        _ => String::new(),
    }
}

/// Returns everything that a caller can see of a result.
fn visible_parts(result: &Result<ToolOutput, ToolError>) -> String {
    match result {
        Ok(output) => format!("{} {output:?}", output.value),
        Err(error) => format!("{error} {error:?} {} {:?}", error.to_json(), error.body()),
    }
}

#[expect(clippy::unwrap_used, reason = "test helpers panic like tests")]
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

/// Returns the record of `GET /` with an undescribed response.
#[expect(clippy::unwrap_used, reason = "the record is a constant")]
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

/// Starts a server on loopback that answers every request with the bytes. Returns its URL.
#[expect(clippy::unwrap_used, reason = "test helpers panic like tests")]
fn serve(answer: Arc<Mutex<Vec<u8>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let bytes = answer
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            // A client may disconnect after reading its bytes.
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
