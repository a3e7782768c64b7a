//! Certificates: one that the machine does not trust is refused, unless the operator allows it.

use std::{process::Stdio, sync::Arc};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    process::Command,
};
use tokio_rustls::TlsAcceptor;
use toolwright::{ToolError, config::ServiceConfig, error::TransportFault, target::Allowance};

use crate::support::{auth_file, builder, get_item, role};

/// Names the server to the process that trusts it.
const URL_VARIABLE: &str = "TOOLWRIGHT_TEST_TLS_URL";

/// A server with a certificate of its own making; its URL, and the certificate as PEM.
async fn start() -> (String, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let _ = stream.read(&mut [0; 4096]).await;
            let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 6\r\nconnection: close\r\n\r\n\"safe\"";
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    (url, cert.pem())
}

async fn call(auth: Value) -> Result<Value, ToolError> {
    call_allowing(auth, &[]).await
}

async fn call_allowing(auth: Value, allow: &[Allowance]) -> Result<Value, ToolError> {
    let (_folder, credentials) = auth_file(&auth);
    let service = ServiceConfig {
        allow: allow.iter().copied().collect(),
        ..ServiceConfig::default()
    };
    let registry = builder(&Arc::default())
        .credentials(credentials)
        .specs([get_item()])
        .service("depot".parse().unwrap(), service)
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

#[tokio::test]
async fn an_untrusted_certificate_is_refused() {
    let (url, _) = start().await;
    let error = call(json!({"base_url": url, "api_token": "t"}))
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            ToolError::Transport {
                fault: TransportFault::Connect,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[tokio::test]
async fn any_certificate_is_accepted_only_if_the_operator_allows_it() {
    let (url, _) = start().await;
    let unverified = json!({"base_url": url, "verify_ssl": false});
    let refused = call(unverified.clone()).await.unwrap_err();
    assert_eq!(refused.code(), "target_refused");
    let answer = call_allowing(unverified, &[Allowance::UnverifiedTls]).await;
    assert_eq!(answer.unwrap(), "safe");
    let allowed = call_allowing(json!({"base_url": url}), &[Allowance::UnverifiedTls]).await;
    assert!(allowed.is_err(), "the word alone turns nothing off");
    let strict = call(json!({"base_url": url, "verify_ssl": true})).await;
    assert!(strict.is_err(), "one service's setting is not another's");
}

/// The machine's trust is read from the environment, so a second process makes the call: this test
/// again, with the address of the server.
#[tokio::test]
async fn a_certificate_that_the_machine_trusts_is_accepted() {
    if let Ok(url) = std::env::var(URL_VARIABLE) {
        assert_eq!(call(json!({"base_url": url})).await.unwrap(), "safe");
        return;
    }
    let (url, pem) = start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trusted.pem");
    std::fs::write(&file, pem).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "tls::a_certificate_that_the_machine_trusts_is_accepted",
        ])
        .env(URL_VARIABLE, url)
        .env("SSL_CERT_FILE", file)
        .stdout(Stdio::null())
        .status()
        .await
        .unwrap();
    assert!(status.success());
}
