//! A stream of NATS JetStream.
#![cfg(test)]

use std::{
    net::TcpListener,
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use async_nats::{
    ConnectOptions,
    jetstream::{
        self,
        consumer::{AckPolicy, pull},
    },
};
use tokio::net::TcpStream;

use crate::{
    support::{Place, Wire, goes_away_and_returns, is_killed_and_resumes},
    tls::Certificate,
};

/// A server of its own, with a stream in a folder of its own.
struct Server {
    child: Child,
    port: u16,
    /// The certificate that clients must trust.
    certificate: Option<PathBuf>,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts a server. None, with a message, if the program is not on this machine.
    async fn start() -> Option<Self> {
        Self::start_with(None).await
    }

    /// Starts a server that encrypts with a certificate.
    async fn start_with(certificate: Option<&Certificate>) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let port = {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            free.local_addr().unwrap().port()
        };
        let program = [
            "/usr/sbin/nats-server",
            "/usr/bin/nats-server",
            "/usr/local/bin/nats-server",
        ];
        let Some(program) = program
            .into_iter()
            .find(|path| std::path::Path::new(path).exists())
        else {
            eprintln!("skipped: the tests with NATS: there is no `nats-server`");
            return None;
        };
        let mut command = Command::new(program);
        command
            .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
            .arg(folder.path())
            .stderr(Stdio::null());
        if let Some(certificate) = certificate {
            command.args(["--tls", "--tlscert"]).arg(certificate.file());
            command.arg("--tlskey").arg(certificate.key());
        }
        let child = command.spawn().unwrap();
        let server = Self {
            child,
            port,
            certificate: certificate.map(Certificate::file),
            _folder: folder,
        };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        Some(server)
    }

    fn address(&self) -> &'static str {
        format!("127.0.0.1:{}", self.port).leak()
    }

    /// Returns the payloads of the stream, each with its subject.
    async fn messages(&self) -> Vec<(String, String)> {
        let mut options = ConnectOptions::new();
        if let Some(certificate) = &self.certificate {
            options = options.add_root_certificates(certificate.clone());
        }
        let client = options.connect(format!("localhost:{}", self.port)).await;
        let client = client.unwrap();
        let context = jetstream::new(client);
        let mut stream = context.get_stream("TOOLWRIGHT_AUDIT").await.unwrap();
        let count = stream.info().await.unwrap().state.messages;
        let mut messages = Vec::new();
        let config = pull::Config {
            ack_policy: AckPolicy::None,
            ..pull::Config::default()
        };
        let consumer = stream.create_consumer(config).await.unwrap();
        let mut batch = consumer.stream().messages().await.unwrap();
        while (messages.len() as u64) < count {
            let message = next(&mut batch).await;
            messages.push((
                message.subject.to_string(),
                String::from_utf8(message.payload.to_vec()).unwrap(),
            ));
        }
        messages
    }

    async fn lines(&self) -> Vec<String> {
        self.messages()
            .await
            .into_iter()
            .map(|(_, line)| line)
            .collect()
    }
}

async fn next(batch: &mut pull::Stream) -> jetstream::Message {
    use futures_core::Stream as _;
    use std::{future::poll_fn, pin::Pin};
    let next = poll_fn(|context| Pin::new(&mut *batch).poll_next(context));
    next.await.unwrap().unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn table(port: u16) -> String {
    format!("[audit.nats]\nurl = \"nats://127.0.0.1:{port}\"\nmost_waiting = 40\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_goes_away_misses_nothing() {
    let Some(server) = Server::start().await else {
        return;
    };
    let wire = Wire::to(server.address()).await;
    let place = Place::new(&table(wire.port));
    let written = goes_away_and_returns(&place, &wire).await;
    assert_eq!(server.lines().await, written);
}

fn encrypted(port: u16) -> Place {
    Place::new(&format!("[audit.nats]\nurl = \"tls://localhost:{port}\"\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_tls_is_verified() {
    let certificate = Certificate::new();
    let Some(server) = Server::start_with(Some(&certificate)).await else {
        return;
    };
    let place = encrypted(server.port);
    place.record(&place.audit.open(), 3);
    // Not trusted by this process.
    place.refused().await;
    assert_eq!(place.waiting(), 3);
    place.forward_trusting(&certificate).await;
    assert_eq!(server.lines().await, place.lines());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_encrypt_receives_nothing_by_tls() {
    let Some(server) = Server::start().await else {
        return;
    };
    let place = encrypted(server.port);
    place.record(&place.audit.open(), 3);
    place.refused().await;
    assert_eq!(place.waiting(), 3);
    let client = async_nats::connect(server.address()).await.unwrap();
    let stream = jetstream::new(client).get_stream("TOOLWRIGHT_AUDIT").await;
    assert!(stream.is_err(), "no stream was created");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_resumes_at_its_cursor() {
    let Some(server) = Server::start().await else {
        return;
    };
    let place = Place::new(&table(server.port));
    let written = is_killed_and_resumes(&place).await;
    assert_eq!(server.lines().await, written);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_sent_twice_is_one_message() {
    let Some(server) = Server::start().await else {
        return;
    };
    let place = Place::new(&format!("instance = \"build-1\"\n{}", table(server.port)));
    place.record(&place.audit.open(), 3);
    for _ in 0..2 {
        for mut forwarder in toolwright_sinks::forwarders(&place.audit).unwrap() {
            assert_eq!(forwarder.drain().await, Ok(Some(3)));
        }
        std::fs::remove_file(toolwright_audit::Cursor::path(&place.audit.file, "nats")).unwrap();
    }
    let messages = server.messages().await;
    let lines: Vec<&String> = messages.iter().map(|(_, line)| line).collect();
    assert_eq!(lines, place.lines().iter().collect::<Vec<_>>());
    assert!(
        messages
            .iter()
            .all(|(subject, _)| subject == "toolwright.audit.build-1")
    );
}
