//! Random corruption of the wire format: handshakes for the client's reader, and requests for a
//! service. The tests of the runtime corrupt responses, the generator's tests corrupt documents.

use std::{env, time::Duration};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use toolwright::{
    binding::TransportKind,
    eab::{Client, read_handshake},
};
use toolwright_eab::crates::Crates;

use crate::support::{handshake, packages, start};

/// Returns the number of random rounds; `FUZZ_FACTOR=100` multiplies it by a hundred.
fn rounds(usual: usize) -> usize {
    let factor = env::var("FUZZ_FACTOR").ok();
    usual * factor.and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// The bytes with a few changes: some set, dropped, doubled or put in, or the end cut off.
fn corrupt(bytes: &[u8], random: &mut StdRng) -> Vec<u8> {
    const WORDS: &[&[u8]] = &[
        b"null", b"{}", b"[]", b"\"", b",", b":", b"-1", b"1e999", b"\\ud800", b"\xff",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.random_range(0..3) {
        let at = random.random_range(0..bytes.len().max(1));
        let end = (at + random.random_range(0..20)).min(bytes.len());
        match random.random_range(0..6) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(random.random_range(0..256)).unwrap(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => bytes.truncate(at),
            _ => {
                let word = WORDS[random.random_range(0..WORDS.len())];
                bytes.splice(at..end, word.to_vec());
            }
        }
    }
    bytes
}

#[test]
fn broken_handshakes_are_read_or_refused_with_the_place() {
    let good = handshake().to_string().into_bytes();
    let mut random = StdRng::seed_from_u64(1);
    let (mut read, mut placed) = (0, 0);
    for _ in 0..rounds(20_000) {
        match read_handshake(&corrupt(&good, &mut random)) {
            Ok(_) => read += 1,
            Err(fault) => {
                assert_eq!(fault.0.len(), 1);
                assert!(!fault.0[0].message.is_empty());
                placed += usize::from(!fault.0[0].pointer.is_empty());
            }
        }
    }
    assert!(read > 0, "some changes are within texts");
    assert!(placed > 0, "some changes leave it JSON");
}

#[tokio::test]
async fn broken_requests_are_answered_in_the_protocol() {
    let (run, folder) = (tempfile::tempdir().unwrap(), packages());
    let endpoint = start(Crates, TransportKind::Unix, run.path()).await;
    let client = Client::new(endpoint, Duration::from_secs(20), 1 << 20);
    let good = json!({
        "request_id": "6f9f3c0a-1f5e-4b7e-9f0a-0d9b7f4f2a11", "api_version": "1.0",
        "method": "explain_rule", "caller": {"system": "toolwright", "role": "linter"},
        "repository": {"path": folder.path(), "ref": "main"},
        "params": {"rule": "package-name"}, "interface_contracts": {"a": {"kind": "library"}},
    });
    let good = good.to_string().into_bytes();
    let mut random = StdRng::seed_from_u64(1);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..rounds(2_000) {
        let body = corrupt(&good, &mut random);
        let sent = String::from_utf8_lossy(&body).into_owned();
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let reply = client.post("explain_rule", body).await.unwrap();
        assert!(reply.status < 500, "{}: {sent}", reply.status);
        let answer: Value = serde_json::from_slice(&reply.bytes).unwrap();
        let id = asked.get("request_id").unwrap_or(&Value::Null);
        assert_eq!(answer["request_id"], *id, "{sent}");
        match answer["status"].as_str() {
            Some("success") => ran += 1,
            Some("error") => {
                assert!(answer["error"]["message"].is_string(), "{answer}");
                refused += 1;
            }
            _ => panic!("{answer} to {sent}"),
        }
    }
    assert!(ran > 0, "some changes are within texts");
    assert!(refused > ran, "most changes break something");
}
