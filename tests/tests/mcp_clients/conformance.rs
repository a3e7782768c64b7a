//! The official conformance suite, against a server with the tools that its scenarios call.
//!
//! `conformance.toml` lists the checks that do not apply, with the reasons. A check that fails and is
//! not listed, and one that is listed and does not fail, fail the test.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::{
    Registry, Role, Tool, ToolError, ToolSpec,
    audit::MemoryAudit,
    files::{FileLimits, FileStore},
};
use toolwright_mcp::{Access, HttpLimits, Server, Shutdown};
use toolwright_tests::real::Real;

use crate::{
    clients,
    renaming::{self, NAMES},
};

/// The revisions whose requirements are run.
const REVISIONS: [&str; 1] = ["2026-07-28"];

/// The exceptions of all revisions.
#[derive(Deserialize)]
struct Exceptions {
    exception: Vec<Exception>,
}

/// Checks that do not apply.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    reason: String,
    /// The scenarios; each is one check of the same name, unless `checks` names others.
    scenarios: Vec<String>,
    #[serde(default)]
    checks: Vec<String>,
}

/// A check of a scenario.
type Check = (String, String);

#[test]
fn the_official_suite_passes_but_for_what_does_not_apply() {
    let Some(real) = clients() else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let url = runtime.block_on(serve(folder.path()));
    let exceptions: Exceptions = toml::from_str(include_str!("conformance.toml")).unwrap();
    let mut excepted = BTreeMap::new();
    for exception in &exceptions.exception {
        assert!(exception.reason.len() > 20, "{}", exception.reason);
        for scenario in &exception.scenarios {
            let named = match exception.checks.as_slice() {
                [] => vec!["*".to_owned()],
                checks => checks.to_vec(),
            };
            for check in named {
                let before = excepted.insert((scenario.clone(), check), &exception.reason);
                assert_eq!(before, None, "{scenario} is listed twice");
            }
        }
    }
    for revision in REVISIONS {
        let (failed, passed) = run(real, &url, revision, folder.path());
        let is_excepted = |(scenario, check): &Check| {
            let of_check = (scenario.clone(), check.clone());
            let of_scenario = (scenario.clone(), "*".to_owned());
            excepted.contains_key(&of_check) || excepted.contains_key(&of_scenario)
        };
        let unexpected = failed.iter().filter(|(check, _)| !is_excepted(check));
        let unexpected: Vec<_> = unexpected.collect();
        assert!(unexpected.is_empty(), "{revision}: {unexpected:#?}");
        let fails = |(scenario, check): &Check| {
            let mut failed = failed.keys();
            failed.any(|failed| failed.0 == *scenario && (check == "*" || failed.1 == *check))
        };
        let obsolete: Vec<_> = excepted.keys().filter(|listed| !fails(listed)).collect();
        assert!(
            obsolete.is_empty(),
            "{revision}: these do not fail: {obsolete:#?}"
        );
        println!(
            "conformance {revision}: {passed} checks pass, {} do not apply",
            failed.len()
        );
    }
}

/// Runs the suite. Returns the checks that failed, with their messages, and the number of those that passed.
fn run(real: &Real, url: &str, revision: &str, folder: &Path) -> (BTreeMap<Check, String>, usize) {
    let package = "npm/conformance-alpha/node_modules/@modelcontextprotocol/conformance";
    let results = folder.join(revision);
    let node = real.folder().join("npm/node22/node_modules/.bin");
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = [node]
        .into_iter()
        .chain(env::split_paths(&paths).collect::<Vec<PathBuf>>());
    let ran = Command::new("node")
        .env("PATH", env::join_paths(paths).unwrap())
        .arg(real.folder().join(package).join("dist/index.js"))
        .args(["server", "--url", url, "--requirements", revision, "-o"])
        .arg(&results)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut failed = BTreeMap::new();
    let mut passed = 0;
    for entry in fs::read_dir(&results).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // `server-SCENARIO-TIME`, where the time is 24 characters.
        let scenario = name.strip_prefix("server-").unwrap();
        let scenario = scenario.split_at(scenario.len() - 25).0;
        let checks = fs::read(entry.path().join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_slice(&checks).unwrap();
        for check in checks {
            let id = check["id"].as_str().unwrap().to_owned();
            match check["status"].as_str() {
                Some("FAILURE") => {
                    let message = check["errorMessage"].to_string();
                    failed.insert((scenario.to_owned(), id), message);
                }
                Some("SUCCESS") => passed += 1,
                _ => {}
            }
        }
    }
    let output = String::from_utf8_lossy(&ran.stdout);
    assert!(passed > 90, "{output}");
    (failed, passed)
}

/// Serves the tools that the scenarios call. Returns the URL, at which they have the names of the suite.
async fn serve(folder: &Path) -> String {
    let upstream = upstream();
    let text = |name: &str, answer: &'static str| {
        Tool::native(spec(name, &json!("native")), move |_, _| async move {
            Ok(json!(answer))
        })
    };
    let fails = Tool::native(
        spec("test_error_handling", &json!("native")),
        |_, _| async {
            Err(ToolError::failed(
                "This tool intentionally returns an error for testing",
            ))
        },
    );
    let files = [
        ("test_image_content", "/picture", "image/png"),
        ("test_audio_content", "/sound", "audio/wav"),
        ("test_embedded_resource", "/letter", "text/plain"),
        (
            "test_tool_with_progress",
            "/slow",
            "application/octet-stream",
        ),
    ];
    let registry = Registry::builder()
        .tool(text(
            "test_simple_text",
            "This is a simple text response for testing.",
        ))
        .tool(text("test_logging_tool", "This tool writes no log."))
        .tool(text(
            "test_streaming_elicitation",
            "This tool asks nothing.",
        ))
        .tool(fails)
        .specs(files.map(|(name, path, media_type)| download(name, &upstream, path, media_type)))
        .grant("tester", "*")
        .audit(MemoryAudit::new())
        .files(FileStore::new(folder.join("files"), FileLimits::default()))
        .build()
        .unwrap();
    let server = Server::new(&registry, &Role::new("tester").unwrap());
    let server = server.bind_http(0, Access::Everyone, HttpLimits::default());
    let server = server.await.unwrap();
    let port = renaming::start(server.port());
    let (_, shutdown) = Shutdown::on_request();
    tokio::spawn(server.serve(shutdown));
    format!("http://127.0.0.1:{port}/mcp")
}

/// A service with a picture, a sound, and an answer that takes two seconds. Returns its URL.
fn upstream() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(stream));
        }
    });
    url
}

/// Answers one request in eight parts.
fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let (media_type, part, pause) = match request.split(' ').nth(1) {
        Some("/picture") => ("image/png", &b"\x89PNG\r\n\x1a\n"[..], 0),
        Some("/sound") => ("audio/wav", &b"RIFF\x04\0\0\0WAVE"[..], 0),
        Some("/letter") => ("text/plain", &b"a short letter "[..], 0),
        _ => (
            "application/octet-stream",
            &b"a part of the answer"[..],
            300,
        ),
    };
    let length = part.len() * 8;
    let mut stream = reader.into_inner();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    )?;
    for _ in 0..8 {
        stream.write_all(part)?;
        stream.flush()?;
        thread::sleep(Duration::from_millis(pause));
    }
    Ok(())
}

/// The tool that has a name of the suite behind the proxy.
fn spec(name: &str, binding: &Value) -> ToolSpec {
    let (_, name) = NAMES
        .into_iter()
        .find(|(theirs, _)| *theirs == name)
        .unwrap();
    serde_json::from_value(json!({
        "name": name, "service": "suite", "title": "Get an answer",
        "short": "Gets an answer.", "description": "Gets an answer.", "section": "Suite",
        "category": "observe", "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false,
                  "idempotentHint": true, "openWorldHint": false},
        "enabled_by_default": true, "input_schema": {"type": "object", "properties": {}},
        "binding": binding, "origin": {"document": "suite", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

/// A tool whose answer is a file.
fn download(name: &str, url: &str, path: &str, media_type: &str) -> ToolSpec {
    let binding = json!({"http": {
        "method": "GET", "path": path, "base_url": url, "parameters": [],
        "answers": [{"status": "200", "media_types": [media_type], "content": "binary"}],
    }});
    spec(name, &binding)
}
