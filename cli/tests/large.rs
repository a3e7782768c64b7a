//! Files of 500 MB, up and down, by the command and by a program, in bounded memory.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    thread,
};

use ring::digest::{Context, SHA256};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, Role, ToolSpec,
    audit::MemoryAudit,
    files::{AnswerWriter, FileLimits, FileStore},
};
use toolwright_model::hex;
use wait4::Wait4;

/// The size of the files.
const LARGE: u64 = 500_000_000;

/// A file that fits into one message.
const SMALL: u64 = 1_000;

/// The memory that a large transfer may take in addition to that of a small one.
const MORE: u64 = 32 << 20;

const BLOCK: usize = 1 << 16;

const SPEC: &str = r##"
openapi: 3.1.0
info: { title: Archive, version: "1" }
paths:
  /files/{size}:
    get:
      operationId: getFile
      summary: Get a file
      parameters: [{ name: size, in: path, required: true, schema: { type: string } }]
      responses:
        "200": { description: The file., content: { application/octet-stream: { schema: { type: string, format: binary } } } }
  /files:
    post:
      operationId: createFile
      summary: Create a file
      requestBody:
        required: true
        content: { application/octet-stream: { schema: { type: string, format: binary } } }
      responses:
        "201": { description: The file., content: { application/json: { schema: { type: object } } } }
components:
  securitySchemes: { bearer: { type: http, scheme: bearer } }
security: [{ bearer: [] }]
"##;

/// The block of content at a number. No two are equal.
fn block(number: u64) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (at, word) in block.chunks_exact_mut(8).enumerate() {
        let value = (number << 13 | at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word.copy_from_slice(&value.to_be_bytes());
    }
    block
}

/// Writes a file of this size, and returns its digest.
fn write_content(size: u64, destination: &mut dyn Write) -> std::io::Result<String> {
    let mut digest = Context::new(&SHA256);
    // The same blocks again and again, so that generating them takes no time.
    let blocks: Vec<_> = (0..16).map(block).collect();
    let mut left = size;
    for block in blocks.iter().cycle() {
        let part = &block[..BLOCK.min(usize::try_from(left).unwrap())];
        digest.update(part);
        destination.write_all(part)?;
        left -= part.len() as u64;
        if left == 0 {
            break;
        }
    }
    Ok(hex(digest.finish()))
}

fn digest_of(mut content: impl Read) -> String {
    let mut digest = Context::new(&SHA256);
    let mut buffer = vec![0; BLOCK];
    loop {
        let read = content.read(&mut buffer).unwrap();
        if read == 0 {
            return hex(digest.finish());
        }
        digest.update(&buffer[..read]);
    }
}

/// Starts a service that sends and receives files of any size, and keeps none.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap()));
        }
    });
    url
}

fn answer(stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.to_lowercase());
    }
    let mut stream = stream;
    if let Some(size) = head[0].strip_prefix("get /files/") {
        let size: u64 = size.split(' ').next().unwrap().parse().unwrap();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The client may go away.
        let _ = write_content(size, &mut stream);
        return;
    }
    let length = head
        .iter()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: u64 = length.unwrap().trim().parse().unwrap();
    let sha256 = digest_of(reader.take(length));
    let body = json!({"size": length, "sha256": sha256}).to_string();
    let answer = format!(
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).unwrap();
}

/// A trusted project whose service is the archive.
struct Project {
    folder: TempDir,
    trust: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
            trust: tempfile::tempdir().unwrap(),
        };
        let auth = json!({"base_url": serve(), "api_token": "s3cret-t0ken-of-the-archive"});
        for (path, text) in [
            (
                "toolwright.toml",
                "[roles.clerk]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n".to_owned(),
            ),
            ("specs/archive/openapi.yaml", SPEC.to_owned()),
            (
                "specs/archive/overlay.toml",
                "service = \"archive\"\n[operations.getFile]\nname = \"get-archive-file\"\n[operations.createFile]\napproval_required = false\nreason = \"a test\"\n".to_owned(),
            ),
            (".local/archive/admin-auth.json", auth.to_string()),
        ] {
            toolwright::private::write(&project.folder.path().join(path), text).unwrap();
        }
        project.run(&["trust"]);
        project
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the command, and returns its output and its peak memory in bytes.
    fn run(&self, arguments: &[&str]) -> (String, u64) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolwright"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_CONFIG_HOME", self.trust.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = String::new();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_to_string(&mut output).unwrap();
        let mut messages = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut messages).unwrap();
        let ended = child.wait4().unwrap();
        assert!(ended.status.success(), "{arguments:?}: {output}{messages}");
        (output, ended.rusage.maxrss)
    }

    fn json(&self, arguments: &[&str]) -> (Value, u64) {
        let (output, memory) = self.run(&[arguments, &["--role", "clerk", "--json"]].concat());
        (serde_json::from_str(&output).unwrap(), memory)
    }
}

fn size_argument(size: u64) -> String {
    json!({"size": size.to_string()}).to_string()
}

#[track_caller]
fn assert_bounded(small: u64, large: u64) {
    eprintln!("peak memory: {} KiB and {} KiB", small >> 10, large >> 10);
    assert!(large < small + MORE, "{small} and {large} bytes of memory");
}

#[test]
fn the_command_downloads_and_uploads_in_bounded_memory() {
    let project = Project::new();
    let download = |size: u64, name: &str| {
        let arguments = size_argument(size);
        project.json(&[
            "call",
            "get-archive-file",
            "--args",
            &arguments,
            "--output",
            name,
        ])
    };
    let (_, small) = download(SMALL, "small.zip");
    let (saved, large) = download(LARGE, "large.zip");
    assert_bounded(small, large);
    let digest = digest_of(File::open(project.path("large.zip")).unwrap());
    assert_eq!(saved["sha256"], digest.as_str());
    assert_eq!(saved["size"], LARGE);

    let upload = |name: &str| {
        let file = format!("body=@{name}");
        project.json(&["call", "create-archive-file", "--file", &file])
    };
    let (_, small) = upload("small.zip");
    let (sent, large) = upload("large.zip");
    assert_bounded(small, large);
    assert_eq!(sent, json!({"size": LARGE, "sha256": digest}));
    let (left, _) = project.run(&["files", "list", "--role", "clerk", "--json"]);
    assert_eq!(left, "", "files of one call do not stay in the store");
}

#[test]
fn the_command_stores_and_sends_a_file_in_bounded_memory() {
    let project = Project::new();
    let call = |size: u64| {
        let arguments = size_argument(size);
        project.json(&["call", "get-archive-file", "--args", &arguments])
    };
    let (_, small) = call(SMALL);
    let (stored, large) = call(LARGE);
    assert_bounded(small, large);
    let handle = stored["file"].as_str().unwrap();
    let arguments = json!({"body": handle}).to_string();
    let (sent, large) = project.json(&["call", "create-archive-file", "--args", &arguments]);
    assert_bounded(small, large);
    assert_eq!(sent, json!({"size": LARGE, "sha256": stored["sha256"]}));
}

/// The peak memory of this process in bytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<u64>().unwrap() << 10
}

/// The tool of the archive that downloads or uploads.
fn tool(name: &str, http: Value, properties: Value) -> ToolSpec {
    serde_json::from_value(json!({
        "name": name, "service": "archive", "title": name, "short": "Handles a file.",
        "description": "Handles a file.", "section": "Files", "category": "observe", "effect": "read",
        "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true},
        "enabled_by_default": true,
        "input_schema": {"type": "object", "properties": properties},
        "binding": {"http": http}, "origin": {"document": "archive", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

#[test]
fn a_program_downloads_and_uploads_in_bounded_memory() {
    let url = serve();
    let get = json!({
        "method": "GET", "path": "/files/{size}", "base_url": url,
        "parameters": [{"name": "size", "location": "path", "value": {"argument": "size"}, "required": true,
                        "style": "simple", "explode": false}],
        "answers": [{"status": "200", "media_types": ["application/octet-stream"], "content": "binary"}],
    });
    let add = json!({
        "method": "POST", "path": "/files", "base_url": url,
        "body": {"media_type": "application/octet-stream", "content": "binary", "required": true,
                 "shape": {"whole": {"argument": "body"}}},
        "answers": [{"status": "2XX", "media_types": ["application/json"], "content": "json"}],
    });
    let text = json!({"type": "string"});
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::builder()
        .specs([
            tool("get-archive-file", get, json!({"size": text})),
            tool("add-archive-file", add, json!({"body": text})),
        ])
        .grant("clerk", "*")
        .credentials(Credentials::new(folder.path()).with_variables(|_| None))
        .audit(MemoryAudit::new())
        .files(FileStore::new(
            folder.path().join("files"),
            FileLimits::default(),
        ))
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("clerk").unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let transfer = async |size: u64| {
            let arguments = json!({"size": size.to_string()});
            let writer = AnswerWriter::new(std::io::sink());
            let saved = view.call_to("get-archive-file", arguments.clone(), writer);
            let saved = saved.await.unwrap().file.unwrap();
            let stored = view.call_json("get-archive-file", arguments).await;
            let stored = stored.unwrap().file.unwrap();
            assert_eq!((saved.size, &saved.sha256), (size, &stored.sha256));
            let handle = json!({"body": stored.handle.unwrap()});
            let sent = view.call_json("add-archive-file", handle).await.unwrap();
            assert_eq!(sent.value, json!({"size": size, "sha256": saved.sha256}));
        };
        transfer(SMALL).await;
        let small = peak();
        transfer(LARGE).await;
        assert_bounded(small, peak());
    });
}
