//! A proxy that renames: the official suite calls tools by names that are outside of the grammar of names.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

/// The names that the suite uses, and the names of the tools. Both have the same length, so a message keeps its
/// length whatever it is framed with.
pub(crate) const NAMES: [(&str, &str); 8] = [
    ("test_simple_text", "get-suite-simple"),
    ("test_logging_tool", "get-suite-logging"),
    ("test_streaming_elicitation", "get-suite-stream-questions"),
    ("test_error_handling", "get-suite-bad-error"),
    ("test_image_content", "get-suite-pictures"),
    ("test_audio_content", "get-suite-melodies"),
    ("test_embedded_resource", "get-suite-short-letter"),
    ("test_tool_with_progress", "get-suite-slow-download"),
];

type Pairs = Arc<[(Vec<u8>, Vec<u8>)]>;

/// Starts a proxy of a server on the loopback interface. Returns its port.
pub(crate) fn start(server: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let hosts = [port, server].map(|port| format!("127.0.0.1:{port}"));
    assert_eq!(hosts[0].len(), hosts[1].len());
    let pair = |(theirs, ours): (&str, &str)| {
        assert_eq!(theirs.len(), ours.len(), "{theirs}");
        (theirs.as_bytes().to_vec(), ours.as_bytes().to_vec())
    };
    let names = NAMES.into_iter().map(pair);
    let host = pair((hosts[0].as_str(), hosts[1].as_str()));
    let sent: Pairs = names.clone().chain([host]).collect();
    let received: Pairs = names.map(|(theirs, ours)| (ours, theirs)).collect();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let upstream = TcpStream::connect(("127.0.0.1", server)).unwrap();
            for (from, to, pairs) in [
                (
                    client.try_clone().unwrap(),
                    upstream.try_clone().unwrap(),
                    &sent,
                ),
                (upstream, client, &received),
            ] {
                let pairs = Arc::clone(pairs);
                thread::spawn(move || copy(from, to, &pairs));
            }
        }
    });
    port
}

/// Copies a stream, with each name replaced.
fn copy(mut from: TcpStream, mut to: TcpStream, pairs: &[(Vec<u8>, Vec<u8>)]) {
    let mut kept = Vec::new();
    let mut block = [0; 8192];
    loop {
        let read = from.read(&mut block).unwrap_or(0);
        kept.extend_from_slice(&block[..read]);
        for (old, new) in pairs {
            while let Some(at) = kept.windows(old.len()).position(|part| part == old) {
                kept[at..at + old.len()].copy_from_slice(new);
            }
        }
        // The beginning of a name waits for its end.
        let split = (0..kept.len())
            .find(|&at| read > 0 && pairs.iter().any(|(old, _)| old.starts_with(&kept[at..])));
        let rest = kept.split_off(split.unwrap_or(kept.len()));
        if to.write_all(&kept).is_err() || read == 0 {
            // The other direction of the connection goes on.
            let _ = to.shutdown(Shutdown::Write);
            return;
        }
        kept = rest;
    }
}
