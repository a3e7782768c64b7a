//! A gRPC server that describes itself, or answers anything else that a test wants.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, header::CONTENT_TYPE},
    response::Response,
};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use prost::Message;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    runtime::Runtime,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

/// The longest request, in bytes.
const LONGEST: usize = 1 << 24;

/// A question of a client.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Question {
    #[prost(string, optional, tag = "3")]
    pub(crate) file: Option<String>,
    #[prost(string, optional, tag = "4")]
    pub(crate) symbol: Option<String>,
    #[prost(string, optional, tag = "7")]
    pub(crate) list: Option<String>,
}

/// An answer to a question.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Reflected {
    #[prost(message, optional, tag = "4")]
    pub(crate) files: Option<Files>,
    #[prost(message, optional, tag = "6")]
    pub(crate) services: Option<Services>,
    #[prost(message, optional, tag = "7")]
    pub(crate) error: Option<Problem>,
}

/// The descriptors of files.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Files {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(crate) file: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Services {
    #[prost(message, repeated, tag = "1")]
    pub(crate) service: Vec<Named>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Named {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Problem {
    #[prost(string, tag = "2")]
    pub(crate) message: String,
}

impl Reflected {
    pub(crate) fn services(names: impl IntoIterator<Item = String>) -> Self {
        let service = names.into_iter().map(|name| Named { name }).collect();
        Self {
            services: Some(Services { service }),
            ..Self::default()
        }
    }

    pub(crate) fn files(file: Vec<Vec<u8>>) -> Self {
        Self {
            files: Some(Files { file }),
            ..Self::default()
        }
    }

    pub(crate) fn error(message: String) -> Self {
        Self {
            error: Some(Problem { message }),
            ..Self::default()
        }
    }
}

type Answerer = dyn Fn(Question) -> Reflected + Send + Sync;

/// A running server. It ends with this value.
pub(crate) struct Reflector {
    address: SocketAddr,
    /// The certificate of a server over TLS, as PEM.
    pub(crate) certificate: Option<String>,
    _runtime: Runtime,
}

impl Reflector {
    /// Starts a server without TLS that gives these answers.
    pub(crate) fn start(answer: impl Fn(Question) -> Reflected + Send + Sync + 'static) -> Self {
        Self::serve(Arc::new(answer), None)
    }

    /// Starts a server over TLS.
    pub(crate) fn start_with_tls(
        answer: impl Fn(Question) -> Reflected + Send + Sync + 'static,
    ) -> Self {
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certified.cert.der().clone()],
                PrivateKeyDer::Pkcs8(key),
            )
            .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let mut server = Self::serve(Arc::new(answer), Some(acceptor));
        server.certificate = Some(certified.cert.pem());
        server
    }

    /// Returns the address with its scheme.
    pub(crate) fn url(&self) -> String {
        match self.certificate {
            Some(_) => format!("grpcs://localhost:{}", self.address.port()),
            None => format!("grpc://{}", self.address),
        }
    }

    fn serve(answer: Arc<Answerer>, tls: Option<TlsAcceptor>) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(move |request: Request| {
            let answer = Arc::clone(&answer);
            async move { respond(request, &*answer).await }
        });
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (app, tls) = (app.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => converse(stream, app).await,
                        // A client that does not trust the certificate ends the connection.
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                converse(stream, app).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            address,
            certificate: None,
            _runtime: runtime,
        }
    }
}

/// Speaks HTTP/2 over a connection until it ends.
async fn converse<S>(stream: S, app: Router)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(app);
    let server = Builder::new(TokioExecutor::new()).http2_only();
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

/// Answers all questions of a request, as reflection of the first version.
async fn respond(request: Request, answer: &Answerer) -> Response {
    let is_known =
        request.uri().path() == "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    let asked = to_bytes(request.into_body(), LONGEST).await.unwrap();
    let (mut rest, mut body) = (asked.as_ref(), Vec::new());
    while let Some((head, after)) = rest.split_at_checked(5).filter(|_| is_known) {
        let length = u32::from_be_bytes(head[1..].try_into().unwrap());
        let (message, after) = after.split_at(length.try_into().unwrap());
        rest = after;
        let reflected = answer(Question::decode(message).unwrap()).encode_to_vec();
        body.push(0);
        body.extend(u32::try_from(reflected.len()).unwrap().to_be_bytes());
        body.extend(reflected);
    }
    let mut trailers = HeaderMap::new();
    let status = if is_known { "0" } else { "12" };
    trailers.insert("grpc-status", HeaderValue::from_static(status));
    let body = Full::from(body).with_trailers(async { Some(Ok(trailers)) });
    Response::builder()
        .header(CONTENT_TYPE, "application/grpc")
        .body(Body::new(body))
        .unwrap()
}
