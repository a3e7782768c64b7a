//! MCP over streamable HTTP on the loopback interface, within bounds.

mod body;
mod connections;
mod health;
mod listener;
mod login;
mod memory;
mod refusal;
mod refusals;
mod sessions;
#[cfg(test)]
mod tests;
mod throttle;

use std::{fmt, net::Ipv4Addr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn, from_fn_with_state},
    response::Response,
    routing::get,
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::{net::TcpListener, sync::watch, time::interval};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolwright::Registry;

use crate::{
    access::Access,
    error::ServeError,
    handler::Handler,
    limits::HttpLimits,
    notices::Notices,
    shutdown::{Shutdown, abandoned, drain},
    status::PolicyStatus,
};
use body::Bodies;
use connections::Connections;
use health::Health;
use listener::Listener;
use login::Logins;
use memory::{LONGEST_BODY, Memory};
use refusals::Refusals;
use sessions::{Served, Sessions};

/// The path at which clients find the server.
const PATH: &str = "/mcp";

/// The path at which monitoring finds the server.
const HEALTH: &str = "/health";

/// The interval between records of refused requests.
const RECORDING: Duration = Duration::from_secs(5);

/// A server that holds its port and serves nobody yet: see [`Server::bind_http`](crate::Server::bind_http).
pub struct HttpServer {
    listener: TcpListener,
    port: u16,
    site: Site,
}

/// What a server over HTTP is made of.
pub(crate) struct HttpParts {
    pub(crate) handler: Handler,
    /// The audit of refused requests is that of this registry.
    pub(crate) registry: Registry,
    /// Who may use the server.
    pub(crate) access: watch::Receiver<Access>,
    pub(crate) policy: watch::Receiver<PolicyStatus>,
    pub(crate) limits: HttpLimits,
    pub(crate) notices: Notices,
}

impl HttpServer {
    /// Takes a port of the loopback interface; 0 takes any that is free.
    pub(crate) async fn bind(port: u16, parts: HttpParts) -> Result<Self, ServeError> {
        let refused = |error| ServeError::Bind { port, error };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
        let listener = listener.map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        Ok(Self {
            site: Site::new(parts, port),
            listener,
            port,
        })
    }

    /// Returns the port on 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the address for clients, such as `http://127.0.0.1:7181/mcp`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Serves clients until the shutdown is requested. Calls in flight then have the time of
    /// [`CallLimits::shutdown`](crate::CallLimits::shutdown) to end; further ones are refused.
    pub async fn serve(self, mut shutdown: Shutdown) {
        let Self { listener, site, .. } = self;
        tokio::select! {
            () = site.listener.accept(&listener) => {}
            () = site.follow_access() => {}
            () = site.record_refusals() => {}
            () = shutdown.requested() => {}
        }
        drop(listener);
        site.end(&mut shutdown).await;
    }
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// A server on a port.
struct Site {
    handler: Handler,
    listener: Listener,
    logins: Arc<Logins>,
    access: watch::Receiver<Access>,
    /// Ends all sessions and the calls of requests.
    abandon: CancellationToken,
    notices: Notices,
}

impl Site {
    fn new(parts: HttpParts, port: u16) -> Self {
        let HttpParts {
            handler,
            registry,
            access,
            policy,
            limits,
            notices,
        } = parts;
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
        let sessions = Arc::new(Sessions::new(limits.sessions, limits.session_idle));
        let connections = Connections::new(limits.connections);
        let memory = Memory::new(limits.memory.div_ceil(1024));
        let availability = Arc::clone(registry.availability());
        let refusals = Refusals::new(registry, notices.clone());
        let health = Health {
            logins: Arc::new(Logins::new(access.clone(), refusals)),
            policy,
            availability,
            sessions: Arc::clone(&sessions),
            connections: connections.clone(),
            calls: handler.calls().clone(),
            memory: memory.clone(),
            hosts: hosts.clone(),
        };
        let bodies = Bodies {
            memory,
            patience: limits.body,
        };
        let (transport, logins) = (transport(hosts), Arc::clone(&health.logins));
        let abandon = transport.cancellation_token.clone();
        let listener = Listener {
            router: router(handler.clone(), sessions, transport, bodies, health),
            connections,
            header_patience: limits.header,
            draining: CancellationToken::new(),
            served: TaskTracker::new(),
        };
        Self {
            handler,
            listener,
            logins,
            access,
            abandon,
            notices,
        }
    }

    /// Ends the streams of clients that were let in by a token that has changed. Their calls end
    /// as they would; further requests are refused.
    async fn follow_access(&self) {
        let mut access = self.access.clone();
        while access.changed().await.is_ok() {
            self.end_streams();
        }
        // Nobody changes it any more.
        std::future::pending::<()>().await;
    }

    /// Records the requests that were refused, many at a time.
    async fn record_refusals(&self) {
        let mut ticks = interval(RECORDING);
        loop {
            ticks.tick().await;
            self.logins.refusals().flush(false);
        }
    }

    fn end_streams(&self) {
        self.handler.changes().end_subscriptions();
        self.listener.connections.distrust();
    }

    /// Ends the server: accepts no more calls, waits for running ones, then ends the rest.
    async fn end(&self, shutdown: &mut Shutdown) {
        let (calls, served) = (self.handler.calls(), &self.listener.served);
        served.close();
        calls.stop();
        self.end_streams();
        self.listener.draining.cancel();
        let work = async {
            tokio::join!(served.wait(), calls.ended());
        };
        drain(calls, work, shutdown, &self.notices).await;
        self.abandon.cancel();
        abandoned(calls).await;
        self.logins.refusals().flush(true);
    }
}

/// The transport, which answers only requests that were addressed to this server and that no web
/// page of another origin made.
fn transport(hosts: [String; 2]) -> StreamableHttpServerConfig {
    let origins = hosts.clone().map(|host| format!("http://{host}"));
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(LONGEST_BODY)
}

/// A request passes the token first, then its body is read, then it may ask for a session.
fn router(
    handler: Handler,
    sessions: Arc<Sessions>,
    config: StreamableHttpServerConfig,
    bodies: Bodies,
    health: Health,
) -> Router {
    let logins = Arc::clone(&health.logins);
    let mcp = StreamableHttpService::new(move || Ok(handler.for_session()), sessions, config);
    let mcp = Router::new()
        .route_service(PATH, mcp)
        .layer(from_fn(bound_sessions))
        .layer(from_fn_with_state(Arc::clone(&logins), login::check_again))
        .layer(from_fn_with_state(bodies, body::bound))
        .layer(from_fn_with_state(logins, login::check));
    Router::new()
        .route(HEALTH, get(health::report))
        .with_state(health)
        .merge(mcp)
}

/// Responds to a request that needs a session if there are too many.
async fn bound_sessions(request: Request, next: Next) -> Response {
    match Sessions::watch(next.run(request)).await {
        Served::Answered(answer) => answer,
        Served::TooManySessions => {
            refusal::busy("too many sessions are open; end one, or try again later")
        }
    }
}
