//! Mutual TLS: a real TLS server that requires a certificate of its own authority.

use std::{fs, path::Path, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    server::WebPkiClientVerifier,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;
use toolwright::{
    Credentials, Registry, ToolError, ToolSpec, config::ServiceConfig,
    credentials::CredentialsError, private, target::Allowance,
};

use crate::support::{builder, get_item, role, with_binding};

/// A certificate authority, and a server that only its clients may connect to.
pub(crate) struct Guarded {
    authority: CertifiedIssuer<'static, KeyPair>,
    pub(crate) url: String,
}

/// A certificate and its key, as PEM.
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

fn named(name: &str) -> CertificateParams {
    let mut parameters = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters
}

impl Guarded {
    /// Starts a server that answers with the common name of the client's certificate.
    pub(crate) async fn start() -> Self {
        let mut parameters = named("authority");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = named("server").signed_by(&key, &authority).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let provider = Arc::new(ring::default_provider());
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(config))));
        Self { authority, url }
    }

    pub(crate) fn client(&self, name: &str) -> Pair {
        let key = KeyPair::generate().unwrap();
        let certificate = named(name).signed_by(&key, &self.authority).unwrap();
        Pair {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    /// A registry whose role `clerk` has an account of its own.
    pub(crate) fn registry(&self, root: &Path, spec: ToolSpec) -> Registry {
        let service = ServiceConfig {
            base_url: Some(self.url.clone()),
            allow: [Allowance::UnverifiedTls].into(),
            ..ServiceConfig::default()
        };
        let config = "[roles.reader]\ngrant = [\"*\"]\n[roles.clerk]\ngrant = [\"*\"]\ncredentials = \"clerk\"";
        let config =
            toolwright::config::Config::parse(Path::new("toolwright.toml"), config).unwrap();
        builder(&Arc::default())
            .credentials(Credentials::new(root).with_variables(|_| None))
            .specs([spec])
            .config(config)
            .service("depot".parse().unwrap(), service)
            .build()
            .unwrap()
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor) {
    while let Ok((stream, _)) = listener.accept().await {
        let Ok(mut stream) = acceptor.accept(stream).await else {
            continue;
        };
        let peer = stream.get_ref().1.peer_certificates();
        let peer = peer.unwrap()[0].to_vec();
        let name = ["first", "second", "clerk"].into_iter().find(|name| {
            let name = name.as_bytes();
            peer.windows(name.len()).any(|window| window == name)
        });
        let body = json!(name).to_string();
        let length = body.len();
        let _ = stream.read(&mut [0; 4096]).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        let answer = format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}");
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    }
}

/// Writes the auth file of an account, with its certificate and its key.
fn write(root: &Path, account: &str, pair: &Pair) {
    private::write(&root.join("client.pem"), &pair.certificate).unwrap();
    private::write(&root.join("client.key"), &pair.key).unwrap();
    let auth = json!({"client_certificate": "client.pem", "client_certificate_key": "client.key",
                      "verify_ssl": false});
    write_auth(root, account, &auth);
}

pub(crate) fn write_auth(root: &Path, account: &str, auth: &Value) {
    let file = root.join(format!(".local/depot/{account}-auth.json"));
    private::write(&file, auth.to_string()).unwrap();
}

pub(crate) async fn call(registry: &Registry, name: &str) -> Result<Value, ToolError> {
    let view = registry.for_agent(&role(name));
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    output.map(|output| output.value)
}

fn mutual(spec: ToolSpec) -> ToolSpec {
    let security = json!([[{"scheme": "m", "kind": {"other": "mutualTLS"}}]]);
    with_binding(spec, |binding| {
        binding.security = serde_json::from_value(security).unwrap();
    })
}

async fn detail(registry: &Registry) -> String {
    match call(registry, "reader").await {
        Err(ToolError::Credentials(error @ CredentialsError::Invalid { .. })) => error.detail(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_certificate_of_the_account_is_presented_and_its_rotation_is_noticed() {
    let (server, folder) = (Guarded::start().await, tempfile::tempdir().unwrap());
    let root = folder.path();
    let registry = server.registry(root, mutual(get_item()));
    write_auth(root, "admin", &json!({"verify_ssl": false}));
    let error = call(&registry, "reader").await.unwrap_err();
    assert_eq!(error.code(), "credentials_missing");
    for name in ["first", "second", "first"] {
        write(root, "admin", &server.client(name));
        assert_eq!(call(&registry, "reader").await.unwrap(), name);
    }
    // The certificate and the key as PEM, for sources that are not files.
    let pair = server.client("clerk");
    let auth = json!({"client_certificate": pair.certificate, "client_certificate_key": pair.key,
                      "verify_ssl": false});
    write_auth(root, "clerk", &auth);
    assert_eq!(call(&registry, "clerk").await.unwrap(), "clerk");
    assert_eq!(call(&registry, "reader").await.unwrap(), "first");
}

#[tokio::test]
async fn a_client_without_a_certificate_or_with_a_strange_one_is_refused() {
    let (server, other) = (Guarded::start().await, Guarded::start().await);
    let folder = tempfile::tempdir().unwrap();
    let registry = server.registry(folder.path(), get_item());
    write_auth(folder.path(), "admin", &json!({"verify_ssl": false}));
    assert!(call(&registry, "reader").await.is_err());
    write(folder.path(), "admin", &other.client("first"));
    assert!(call(&registry, "reader").await.is_err());
    write(folder.path(), "admin", &server.client("first"));
    assert_eq!(call(&registry, "reader").await.unwrap(), "first");
}

#[tokio::test]
async fn an_unusable_certificate_is_reported_without_its_key() {
    let server = Guarded::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (root, pair) = (folder.path(), server.client("first"));
    let registry = server.registry(root, get_item());
    let strange = server.client("second").key;
    for (certificate, key, problem) in [
        (
            Some("no.pem"),
            Some(pair.key.as_str()),
            "`client_certificate`: No such file",
        ),
        (
            Some(pair.certificate.as_str()),
            None,
            "`client_certificate_key` is missing",
        ),
        (
            None,
            Some(pair.key.as_str()),
            "`client_certificate` is missing",
        ),
        (
            Some(pair.key.as_str()),
            Some(pair.key.as_str()),
            "`client_certificate` holds no certificate as PEM",
        ),
        (
            Some(pair.certificate.as_str()),
            Some(pair.certificate.as_str()),
            "`client_certificate_key` holds no private key as PEM",
        ),
        (
            Some(pair.certificate.as_str()),
            Some(strange.as_str()),
            "`client_certificate_key` is not the key of `client_certificate`",
        ),
    ] {
        let mut auth = json!({"verify_ssl": false});
        for (name, value) in [
            ("client_certificate", certificate),
            ("client_certificate_key", key),
        ] {
            if let Some(value) = value {
                auth[name] = value.into();
            }
        }
        write_auth(root, "admin", &auth);
        let detail = detail(&registry).await;
        assert!(detail.contains(problem), "{detail}");
        assert!(!detail.contains("BEGIN"), "{detail}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_key_must_be_private_and_the_certificate_must_be_protected() {
    use std::os::unix::fs::PermissionsExt as _;

    let server = Guarded::start().await;
    let folder = tempfile::tempdir().unwrap();
    let registry = server.registry(folder.path(), get_item());
    write(folder.path(), "admin", &server.client("first"));
    for (file, bad, good) in [("client.key", 0o644, 0o600), ("client.pem", 0o666, 0o644)] {
        let set = |mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.path().join(file), permissions).unwrap();
        };
        set(bad);
        let detail = detail(&registry).await;
        assert!(detail.contains("client_certificate"), "{detail}");
        set(good);
        assert_eq!(call(&registry, "reader").await.unwrap(), "first");
    }
}
