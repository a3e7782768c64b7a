//! The memory cost of a hostile response. A process of its own makes the call and reports the
//! largest growth of its resident memory, as the kernel counts it.
#![cfg(target_os = "linux")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{UnixListener, UnixStream},
};
use toolwright::eab::Endpoint;

use crate::{
    hostile::{ok, request},
    support::{at, handshake, rules, socket, view},
};

/// The variable that names the service's socket for the calling process.
const SOCKET: &str = "TOOLWRIGHT_TEST_HOSTILE_SOCKET";

/// The number of bytes from a service that never stops.
const HUGE: usize = 100 << 20;

/// The permitted growth in KiB if more is sent than is read. At most 1 MiB is read; the rest is
/// overhead of the client and the allocator.
const OF_MUCH: u64 = 16 << 10;

/// The same if all of it is read: a value takes up to a hundred times the room of its JSON.
const OF_MANY_VALUES: u64 = 100 << 10;

/// The bytes of a service: a first part, and maybe one byte repeated until the end.
struct Sent {
    head: Vec<u8>,
    then: Option<(u8, usize)>,
}

fn once(body: &str) -> Sent {
    let head = ok(body.as_bytes());
    Sent { head, then: None }
}

/// A response of a declared length, with one byte repeated after its beginning.
fn endless(begin: &str, byte: u8) -> Sent {
    let length = begin.len() + HUGE;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{begin}");
    Sent {
        head: head.into_bytes(),
        then: Some((byte, HUGE)),
    }
}

/// An answer that is right but for what is put in the place of `metadata`.
fn with_metadata(envelope: &Value, metadata: &str) -> String {
    let mut answer = rules(envelope);
    answer["metadata"] = json!("METADATA");
    answer.to_string().replace("\"METADATA\"", metadata)
}

/// So many times the same, within the bound of an answer.
fn many_items(item: &str, between: &str) -> String {
    let count = 1_000_000 / (item.len() + between.len());
    vec![item; count].join(between)
}

type Answer = fn(&Value) -> Sent;

/// The response, the code of the error, and the permitted growth.
const CASES: &[(&str, Answer, &str, u64)] = &[
    (
        "a hundred megabytes",
        |_| endless("\"", b'x'),
        "answer_too_large",
        OF_MUCH,
    ),
    (
        "a gigantic text in an answer that is right so far",
        |envelope| {
            let answer = with_metadata(envelope, "{\"text\": \"");
            let begin = answer.split_inclusive("{\"text\": \"").next().unwrap();
            endless(begin, b'x')
        },
        "answer_too_large",
        OF_MUCH,
    ),
    (
        "a nesting that does not end",
        |_| endless("[", b'['),
        "answer_too_large",
        OF_MUCH,
    ),
    (
        "a header that does not end",
        |_| Sent {
            head: b"HTTP/1.1 200 OK\r\nx-text: ".to_vec(),
            then: Some((b'x', HUGE)),
        },
        "connection_broken",
        OF_MUCH,
    ),
    (
        "a chunk that does not end",
        |_| Sent {
            head: b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7fffffff\r\n".to_vec(),
            then: Some((b'x', HUGE)),
        },
        "answer_too_large",
        OF_MUCH,
    ),
    (
        "a nesting as deep as the bound lets it be",
        |envelope| once(&with_metadata(envelope, &"[".repeat(1_000_000))),
        "unusable_answer",
        OF_MUCH,
    ),
    (
        "as many values as the bound lets there be",
        |envelope| {
            let values = format!("{{\"values\": [{}]}}", many_items("{\"\":0}", ","));
            once(&with_metadata(envelope, &values))
        },
        "",
        OF_MANY_VALUES,
    ),
    (
        "as many faults as the bound lets there be",
        |envelope| {
            let answer = rules(envelope).to_string();
            let faults = format!("\"rules\":[{}]", many_items("0", ","));
            once(&answer.replace("\"rules\":[]", &faults))
        },
        "unusable_answer",
        OF_MANY_VALUES,
    ),
];

#[tokio::test]
async fn no_answer_grows_the_memory_past_the_bound() {
    let mut wrong = Vec::new();
    for (what, answer, code, bound) in CASES {
        let folder = tempfile::tempdir().unwrap();
        serve(folder.path(), *answer);
        let output = call_in_subprocess(socket(folder.path())).await;
        let said = String::from_utf8_lossy(&output.stdout);
        let found = said.lines().find_map(|line| {
            let (found, grown) = line.strip_prefix("called: ")?.split_once(' ')?;
            Some((found.trim_matches('`'), grown.parse::<u64>().ok()?))
        });
        let Some((found, grown)) = found else {
            panic!("{what}: {said} {}", String::from_utf8_lossy(&output.stderr));
        };
        println!("{what}: {grown} KiB");
        if found != *code || grown > *bound {
            wrong.push(format!("{what}: `{found}`, the memory grew by {grown} KiB"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A service that shakes hands, and answers so.
fn serve(folder: &Path, answer: Answer) {
    let listener = UnixListener::bind(socket(folder)).unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(speak(stream, answer));
        }
    });
}

async fn speak(mut stream: UnixStream, answer: Answer) {
    while let Some((method, envelope)) = request(&mut stream).await {
        if method == "handshake" {
            let bytes = ok(handshake().to_string().as_bytes());
            stream.write_all(&bytes).await.unwrap();
            continue;
        }
        let Sent { head, then } = answer(&envelope);
        let mut open = stream.write_all(&head).await.is_ok();
        let (byte, count) = then.unwrap_or_default();
        let chunk = vec![byte; 64 << 10];
        for _ in 0..count / chunk.len() {
            open = open && stream.write_all(&chunk).await.is_ok();
        }
    }
}

/// Calls the service from another process: this program, which then runs the test below alone.
async fn call_in_subprocess(socket: PathBuf) -> Output {
    let call = move || {
        Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "memory::subprocess_calls_a_service",
                "--nocapture",
            ])
            .env(SOCKET, socket)
            .output()
            .unwrap()
    };
    tokio::task::spawn_blocking(call).await.unwrap()
}

/// The process that calls. Run as a test like any other it finds no service, and has nothing to do.
#[tokio::test]
async fn subprocess_calls_a_service() {
    let Some(socket) = env::var_os(SOCKET) else {
        return;
    };
    let socket = PathBuf::from(socket);
    let view = view(at(&Endpoint::Unix(socket.clone())), &socket);
    let schema = view.spec("review-crates-rules");
    assert!(schema.is_some());
    // The peak is counted from here on.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = kibibytes("VmHWM:");
    let result = view.call_json("review-crates-rules", json!({})).await;
    let grown = kibibytes("VmHWM:") - before;
    let code = result.as_ref().err().map_or("", |error| error.code());
    println!("\ncalled: `{code}` {grown}");
}

/// Returns a figure of this process from the kernel.
fn kibibytes(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse().unwrap()
}
