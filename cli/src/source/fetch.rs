//! Fetches a specification from a URL that the user named, with limits of size, time and redirects.

use std::{error::Error, sync::Arc, time::Duration};

use reqwest::{Client, Response, StatusCode, Url, header::LOCATION, redirect::Policy};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::Verifier;

use super::{LARGEST, too_large};
use crate::{Failure, asynchronous::runtime, failure::Code};

/// The most redirects that are followed. They stay on one origin.
const MOST_REDIRECTS: usize = 5;

/// The limits of a fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct FetchLimits {
    /// The largest answer, in bytes.
    pub(super) bytes: u64,
    /// The time for all of it.
    pub(super) time: Duration,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            bytes: LARGEST,
            time: Duration::from_secs(60),
        }
    }
}

/// Fetches the content of a URL. No credentials are sent.
pub(super) fn fetch(url: &Url, limits: FetchLimits) -> Result<Vec<u8>, Failure> {
    runtime()?.block_on(async {
        let fetched = tokio::time::timeout(limits.time, follow(url, limits.bytes));
        fetched.await.unwrap_or_else(|_| {
            let seconds = limits.time.as_secs();
            Err(
                fetch_failed(format!("`{url}` was not received within {seconds} s"))
                    .help("download the file yourself and pass its path"),
            )
        })
    })
}

async fn follow(url: &Url, limit: u64) -> Result<Vec<u8>, Failure> {
    let client = client(url)?;
    let mut at = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        let answer = client.get(at.clone()).send().await;
        let answer = answer.map_err(|error| unanswered(&at, &error))?;
        if !answer.status().is_redirection() {
            return body(answer, &at, limit).await;
        }
        at = target(&answer, &at)?;
    }
    Err(fetch_failed(format!(
        "`{url}` redirects more than {MOST_REDIRECTS} times"
    ))
    .help("download the file yourself and pass its path"))
}

/// Returns the target of a redirect. Another origin was not named by the user.
fn target(answer: &Response, at: &Url) -> Result<Url, Failure> {
    let location = answer.headers().get(LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    let Some(target) = location.and_then(|location| at.join(location).ok()) else {
        return Err(fetch_failed(format!("`{at}` redirects to no valid URL")));
    };
    if target.origin() != at.origin() {
        return Err(fetch_failed(format!("`{at}` redirects to another server"))
            .help(format!("if you trust it, pass its URL instead: `{target}`")));
    }
    Ok(target)
}

/// Reads the content, and stops at the limit.
async fn body(mut answer: Response, at: &Url, limit: u64) -> Result<Vec<u8>, Failure> {
    let status = answer.status();
    if status != StatusCode::OK {
        return Err(fetch_failed(format!("`{at}` answers {status}"))
            .note("no credentials are sent")
            .help("download the file yourself and pass its path"));
    }
    let mut bytes = Vec::new();
    loop {
        let chunk = answer.chunk().await;
        let Some(chunk) = chunk.map_err(|error| unanswered(at, &error))? else {
            return Ok(bytes);
        };
        if (bytes.len() + chunk.len()) as u64 > limit {
            return Err(too_large(at.as_str(), limit));
        }
        bytes.extend_from_slice(&chunk);
    }
}

/// The environment does not choose a proxy, as for calls of tools.
fn client(url: &Url) -> Result<Client, Failure> {
    let failed = |error: &dyn Error| fetch_failed(format!("cannot fetch `{url}`: {error}"));
    let provider = Arc::new(ring::default_provider());
    let tls = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?;
    let tls = if url.scheme() == "http" {
        // Redirects stay on the origin, so no certificate is ever checked.
        tls.with_root_certificates(RootCertStore::empty())
    } else {
        let verifier = Verifier::new(provider).map_err(|error| failed(&error))?;
        tls.dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
    };
    Client::builder()
        .no_proxy()
        .tls_backend_preconfigured(tls.with_no_client_auth())
        .redirect(Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .user_agent(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| failed(&error))
}

fn unanswered(url: &Url, error: &reqwest::Error) -> Failure {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    fetch_failed(format!("cannot fetch `{url}`: {cause}"))
        .help("check the URL, or download the file yourself and pass its path")
}

fn fetch_failed(message: String) -> Failure {
    Failure::new(message).code(Code::FetchFailed)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        net::TcpListener,
        thread,
    };

    use super::*;

    /// Answers all requests alike. `{port}` in the answer is its own port.
    fn server(answer: &'static str) -> Url {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let answer = answer.replace("{port}", &port.to_string());
                let _ = stream.write_all(answer.as_bytes());
                if answer.ends_with("slowly") {
                    thread::sleep(Duration::from_secs(30));
                }
            }
        });
        Url::parse(&format!("http://127.0.0.1:{port}/openapi.yaml")).unwrap()
    }

    fn fetched(answer: &'static str) -> Result<Vec<u8>, String> {
        let limits = FetchLimits {
            bytes: 1024 * 1024,
            time: Duration::from_secs(2),
        };
        fetch(&server(answer), limits).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_document_is_fetched() {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\na: 1";
        assert_eq!(fetched(answer).unwrap(), b"a: 1");
    }

    #[test]
    fn each_limit_ends_the_fetch() {
        let huge = format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}",
            "x".repeat(1024 * 1024 + 1)
        );
        for (answer, problem) in [
            (&*huge.leak(), "larger than 1 MiB"),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nslowly",
                "not received within 2 s",
            ),
            (
                "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "redirects more than 5 times",
            ),
            (
                "HTTP/1.1 302 Found\r\nLocation: http://localhost:{port}/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "redirects to another server",
            ),
            (
                "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "redirects to no valid URL",
            ),
            (
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                "answers 401",
            ),
        ] {
            let failure = fetched(answer).unwrap_err();
            assert!(failure.contains(problem), "no `{problem}` in {failure}");
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let failure = fetch(
            &Url::parse("http://127.0.0.1:9/x.yaml").unwrap(),
            FetchLimits::default(),
        );
        let failure = failure.unwrap_err().to_string();
        assert!(
            failure.contains("cannot fetch `http://127.0.0.1:9/x.yaml`"),
            "{failure}"
        );
    }
}
