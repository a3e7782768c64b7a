//! The HTTP clients, each made when it is first needed: one for each way of checking certificates,
//! each Unix socket, each proxy and each network that may be reached.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Client, Proxy, Url, redirect};
use rustls::{
    ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    sign::SingleCertAndKey,
};
use rustls_platform_verifier::Verifier;

use super::{
    Sending, fault,
    resolver::{Guarded, Network},
};
use crate::{
    error::ToolError,
    target::{Allowance, ClientIdentity, Egress, Reach, reach_of},
    workspace::ServiceWorkspace,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most clients that present certificates.
const MOST_IDENTITIES: usize = 32;
/// The most clients of named workspaces.
const MOST_POOLS: usize = 512;

const USER_AGENT: &str = concat!("toolwright/", env!("CARGO_PKG_VERSION"));

/// The clients, each made at most once. That a client cannot be made is remembered too.
#[derive(Debug, Default)]
pub(super) struct Clients {
    made: Mutex<BTreeMap<ClientKey, Result<Client, String>>>,
}

/// The properties of a request that need a client of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ClientKey {
    trust: Trust,
    /// The Unix socket that is used rather than the network.
    socket: Option<PathBuf>,
    /// The URL of the proxy.
    proxy: Option<String>,
    network: Network,
    /// The certificate that the client presents.
    identity: Option<ClientIdentity>,
    /// The named workspace that the connections belong to.
    pool: Option<ServiceWorkspace>,
    /// True for gRPC, which needs HTTP/2 even without TLS.
    http2_only: bool,
}

/// The check of a service's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    /// It has none: the URL begins with `http://`, and redirects stay on one origin.
    Nobody,
    /// Certificates that the machine trusts.
    Platform,
    /// Any certificate: the operator has disabled the check.
    Anybody,
}

impl Clients {
    /// The client for a request.
    pub(super) fn client(&self, sending: &Sending<'_>) -> Result<Client, ToolError> {
        self.client_of(ClientKey::from_sending(sending))
    }

    /// The client for requests to a URL.
    pub(super) fn client_for(&self, url: &Url, egress: &Egress) -> Result<Client, ToolError> {
        self.client_of(ClientKey::for_url(url, egress))
    }

    /// The client for gRPC to a URL.
    #[cfg(feature = "grpc")]
    pub(super) fn grpc_client_for(&self, url: &Url, egress: &Egress) -> Result<Client, ToolError> {
        self.client_of(ClientKey {
            http2_only: true,
            ..ClientKey::for_url(url, egress)
        })
    }

    fn client_of(&self, route: ClientKey) -> Result<Client, ToolError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.get(&route) {
            return client.clone().map_err(|problem| fault::no_client(&problem));
        }
        let client = build(&route, Guarded::new(route.network));
        if route.identity.is_some() {
            forget(&mut made, MOST_IDENTITIES, |route| route.identity.is_some());
        }
        if route.pool.is_some() {
            forget(&mut made, MOST_POOLS, |route| route.pool.is_some());
        }
        made.insert(route, client.clone());
        client.map_err(|problem| fault::no_client(&problem))
    }
}

impl ClientKey {
    fn from_sending(sending: &Sending<'_>) -> Self {
        if let Some(socket) = sending.socket {
            return Self {
                trust: Trust::Nobody,
                socket: Some(socket.to_owned()),
                proxy: None,
                network: Network::ANY,
                identity: None,
                pool: sending.egress.pool.clone(),
                http2_only: false,
            };
        }
        Self {
            http2_only: sending.grpc.is_some(),
            ..Self::for_url(&sending.request.url, sending.egress)
        }
    }

    /// The route over the network. Loopback is never reached through a proxy.
    fn for_url(url: &Url, egress: &Egress) -> Self {
        let proxy = egress.proxy.as_ref();
        let proxy = proxy.filter(|_| reach_of(url) != Some(Reach::Loopback));
        let trust = match (url.scheme(), egress.verify_tls) {
            ("http", _) if proxy.is_none() => Trust::Nobody,
            ("https", false) => Trust::Anybody,
            _ => Trust::Platform,
        };
        let network = match proxy {
            Some(_) => Network::ANY,
            None => Network {
                private: egress.allow.contains(&Allowance::PrivateNetwork),
                link_local: egress.allow.contains(&Allowance::LinkLocal),
            },
        };
        Self {
            trust,
            socket: None,
            proxy: proxy.map(ToString::to_string),
            network,
            identity: egress.identity.clone().filter(|_| url.scheme() == "https"),
            pool: egress.pool.clone(),
            http2_only: false,
        }
    }
}

/// Drops the clients of a kind if there are too many, so that replaced keys and workspaces do not stay
/// in memory.
fn forget(
    made: &mut BTreeMap<ClientKey, Result<Client, String>>,
    most: usize,
    is_of_kind: fn(&ClientKey) -> bool,
) {
    if made.keys().filter(|route| is_of_kind(route)).count() >= most {
        made.retain(|route, _| !is_of_kind(route));
    }
}

fn build(route: &ClientKey, resolver: Guarded) -> Result<Client, String> {
    let tls = tls(route).map_err(|error| error.to_string())?;
    // The environment does not choose a proxy; the operator's configuration does.
    let builder = Client::builder().no_proxy();
    let builder = match &route.socket {
        #[cfg(unix)]
        Some(socket) => builder.unix_socket(socket.as_path()),
        #[cfg(not(unix))]
        Some(_) => return Err("it does not support Unix sockets".to_owned()),
        None => builder,
    };
    let builder = match &route.proxy {
        Some(url) => builder.proxy(Proxy::all(url).map_err(|error| error.to_string())?),
        None => builder,
    };
    #[cfg(feature = "grpc")]
    let builder = match route.http2_only {
        true => builder.http2_prior_knowledge(),
        false => builder,
    };
    // Other crates may enable further features of the HTTP client. It must not decompress: the limits
    // are checked here.
    let builder = builder.no_gzip().no_brotli().no_deflate().no_zstd();
    builder
        .tls_backend_preconfigured(tls)
        .dns_resolver(Arc::new(resolver))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| error.to_string())
}

fn tls(route: &ClientKey) -> Result<ClientConfig, Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let builder = match route.trust {
        Trust::Nobody => builder.with_root_certificates(RootCertStore::empty()),
        Trust::Platform => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::new(provider)?)),
        Trust::Anybody => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider))),
    };
    let mut tls = match &route.identity {
        Some(identity) => builder
            .with_client_cert_resolver(Arc::new(SingleCertAndKey::from(identity.certified()))),
        None => builder.with_no_client_auth(),
    };
    // A service chooses among the protocols that are offered, so only those of this build are.
    if cfg!(feature = "http2") {
        tls.alpn_protocols.push(b"h2".to_vec());
    }
    if !route.http2_only {
        tls.alpn_protocols.push(b"http/1.1".to_vec());
    }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio::net::TcpListener;

    use super::{super::resolver::Lookup, *};
    use crate::target::Origin;

    fn route(url: &str, allow: &[Allowance], proxy: Option<&str>) -> ClientKey {
        let egress = Egress {
            verify_tls: true,
            allow: allow.iter().copied().collect::<BTreeSet<_>>(),
            proxy: proxy.map(|url| url.parse::<Origin>().unwrap()),
            identity: None,
            pool: None,
        };
        ClientKey::for_url(&Url::parse(url).unwrap(), &egress)
    }

    #[test]
    fn loopback_is_never_reached_through_a_proxy() {
        let proxy = Some("http://proxy.example:3128");
        for (url, proxied) in [
            ("https://api.example", true),
            ("http://10.0.0.1", true),
            ("http://localhost:80", false),
            ("https://127.1", false),
            ("http://[::ffff:127.0.0.1]", false),
        ] {
            assert_eq!(route(url, &[], proxy).proxy.is_some(), proxied, "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_that_is_rebound_to_loopback_is_not_connected_to() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let lookup: Arc<Lookup> = Arc::new(move |_| Box::pin(async move { Ok(vec![address]) }));
        let url = format!("http://rebound.example:{}/", address.port());
        for (allow, expected) in [(&[][..], false), (&[Allowance::PrivateNetwork], true)] {
            let route = route(&url, allow, None);
            let resolver = Guarded::with_lookup(route.network, Arc::clone(&lookup));
            let client = build(&route, resolver).unwrap();
            let request = tokio::spawn(client.get(&url).send());
            tokio::select! {
                accepted = listener.accept() => {
                    accepted.unwrap();
                    assert!(expected, "{allow:?}: a connection was made");
                }
                answered = request => {
                    let error = answered.unwrap().unwrap_err();
                    assert!(!expected, "{allow:?}: {error}");
                    let error = fault::unanswered(&url, &error);
                    assert_eq!(error.code(), "target_refused", "{error}");
                    let ToolError::Credentials(error) = error else {
                        panic!("{error}");
                    };
                    assert!(error.detail().contains("rebound.example (127.0.0.1)"));
                    assert!(error.help().unwrap().contains("private-network"));
                }
            }
        }
    }
}
