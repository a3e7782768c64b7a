//! The HTTP clients: one for each way of checking certificates, and one for each Unix
//! socket, made when it is first needed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use reqwest::{Client, redirect};
use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use rustls_platform_verifier::Verifier;

use super::{Sending, fault};
use crate::error::ToolError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const USER_AGENT: &str = concat!("toolwright/", env!("CARGO_PKG_VERSION"));

/// The clients, each made at most once. That a client cannot be made is remembered too.
#[derive(Debug, Default)]
pub(super) struct Clients {
    plain: Slot,
    verified: Slot,
    unverified: Slot,
    sockets: Mutex<BTreeMap<PathBuf, Client>>,
}

type Slot = OnceLock<Result<Client, String>>;

/// How the certificate of a service is checked.
#[derive(Clone, Copy)]
enum Trust {
    /// It has none: the URL begins with `http://`, and redirects stay on one origin.
    Nobody,
    /// By the certificates that the machine trusts.
    Platform,
    /// Not at all, since the operator said so.
    Anybody,
}

impl Clients {
    /// The client for a request.
    pub(super) fn client(&self, sending: &Sending<'_>) -> Result<Client, ToolError> {
        if let Some(socket) = sending.socket {
            return self.of_socket(socket);
        }
        let (slot, trust) = if sending.request.url.starts_with("http://") {
            (&self.plain, Trust::Nobody)
        } else if sending.verify_tls {
            (&self.verified, Trust::Platform)
        } else {
            (&self.unverified, Trust::Anybody)
        };
        let client = slot.get_or_init(|| build(trust, None));
        client.clone().map_err(|problem| fault::no_client(&problem))
    }

    /// The client of a Unix socket.
    fn of_socket(&self, socket: &Path) -> Result<Client, ToolError> {
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = sockets.get(socket) {
            return Ok(client.clone());
        }
        let client = build(Trust::Nobody, Some(socket));
        let client = client.map_err(|problem| fault::no_client(&problem))?;
        sockets.insert(socket.to_owned(), client.clone());
        Ok(client)
    }
}

fn build(trust: Trust, socket: Option<&Path>) -> Result<Client, String> {
    let tls = tls(trust).map_err(|error| error.to_string())?;
    let builder = Client::builder();
    let builder = match socket {
        #[cfg(unix)]
        Some(socket) => builder.unix_socket(socket),
        #[cfg(not(unix))]
        Some(_) => return Err("it has no Unix sockets".to_owned()),
        None => builder,
    };
    builder
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| error.to_string())
}

fn tls(trust: Trust) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = match trust {
        Trust::Nobody => builder.with_root_certificates(RootCertStore::empty()),
        Trust::Platform => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::new(provider)?)),
        Trust::Anybody => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider))),
    };
    let mut tls = builder.with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

/// Accepts any certificate; that the service holds its key is still checked.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
