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

use std::{fmt, io, net::Ipv4Addr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{Request, State},
    http::StatusCode,
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::get,
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::{net::TcpListener, sync::watch, time::interval};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolwright::Registry;

use crate::{
    access::Access,
    admission::{Admission, LOOK},
    calls::Calls,
    changes::Changes,
    error::ServeError,
    handler::Handler,
    limits::HttpLimits,
    notices::{Notices, Uses},
    shutdown::{Shutdown, abandoned, drain},
    status::PolicyStatus,
    views::{RoleView, Views},
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

/// The path below which clients find the metadata of a protected resource, as RFC 9728 describes it.
const METADATA: &str = "/.well-known/oauth-protected-resource";

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
    pub(crate) views: Views,
    pub(crate) calls: Calls,
    pub(crate) changes: Changes,
    /// The audit of refused requests is that of this registry.
    pub(crate) registry: Registry,
    /// Who may use the server.
    pub(crate) access: watch::Receiver<Access>,
    pub(crate) policy: watch::Receiver<PolicyStatus>,
    pub(crate) limits: HttpLimits,
    pub(crate) notices: Notices,
    pub(crate) uses: Uses,
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
        url(self.port)
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

/// Returns the address of a server for clients.
fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}{PATH}")
}

/// A server on a port.
struct Site {
    calls: Calls,
    changes: Changes,
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
            views,
            calls,
            changes,
            registry,
            access,
            policy,
            limits,
            notices,
            uses,
        } = parts;
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
        let sessions = Arc::new(Sessions::new(limits.sessions, limits.session_idle));
        let connections = Connections::new(limits.connections);
        let memory = Memory::new(limits.memory.div_ceil(1024));
        let availability = Arc::clone(registry.availability());
        let refusals = Refusals::new(registry, notices.clone());
        let (followed, own) = (access.clone(), Arc::clone(&sessions));
        let logins = Logins::new(followed, own, refusals, uses, &url(port));
        let logins = Arc::new(logins);
        let health = Health {
            logins: Arc::clone(&logins),
            policy,
            availability,
            sessions: Arc::clone(&sessions),
            connections: connections.clone(),
            calls: calls.clone(),
            memory: memory.clone(),
            hosts: hosts.clone(),
        };
        let bodies = Bodies {
            memory,
            patience: limits.body,
        };
        let transport = transport(hosts);
        let abandon = transport.cancellation_token.clone();
        let handler = handlers(views, &calls, &changes, &notices);
        let mcp = StreamableHttpService::new(handler, sessions, transport);
        let listener = Listener {
            router: router(mcp, bodies, health),
            connections,
            header_patience: limits.header,
            draining: CancellationToken::new(),
            served: TaskTracker::new(),
        };
        Self {
            calls,
            changes,
            listener,
            logins,
            access,
            abandon,
            notices,
        }
    }

    /// Ends the streams of clients that may not use the server any more: their token has changed, was
    /// revoked, or its time is over. Their calls end as they would; further requests are refused.
    async fn follow_access(&self) {
        let mut access = self.access.clone();
        let mut looks = interval(LOOK);
        let mut is_fixed = false;
        loop {
            tokio::select! {
                changed = access.changed(), if !is_fixed => is_fixed = changed.is_err(),
                _ = looks.tick() => {}
            }
            self.listener.connections.distrust_invalid();
        }
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
        self.changes.end_subscriptions();
        self.listener.connections.close_streams();
    }

    /// Ends the server: accepts no more calls, waits for running ones, then ends the rest.
    async fn end(&self, shutdown: &mut Shutdown) {
        let (calls, served) = (&self.calls, &self.listener.served);
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

/// The service of the protocol.
type Mcp = StreamableHttpService<Handler, Sessions>;

/// A request passes the token first, then its body is read, then it may ask for a session.
fn router(mcp: Mcp, bodies: Bodies, health: Health) -> Router {
    let logins = Arc::clone(&health.logins);
    let mcp = Router::new()
        .route_service(PATH, mcp)
        .layer(from_fn(bound_sessions))
        .layer(from_fn_with_state(Arc::clone(&logins), login::check_again))
        .layer(from_fn_with_state(bodies, body::bound))
        .layer(from_fn_with_state(logins, login::check));
    let metadata = get(metadata).with_state(Arc::clone(&health.logins));
    Router::new()
        .route(HEALTH, get(health::report))
        .with_state(health)
        .route(METADATA, metadata.clone())
        .route(&format!("{METADATA}{PATH}"), metadata)
        .merge(mcp)
}

/// Answers with the metadata of the server, if it accepts access tokens. It is public.
async fn metadata(State(logins): State<Arc<Logins>>) -> Response {
    match logins.metadata() {
        Some(metadata) => Json(metadata).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Returns the function that creates the handler of a client, with the view of the client's role.
fn handlers(
    views: Views,
    calls: &Calls,
    changes: &Changes,
    notices: &Notices,
) -> impl Fn() -> io::Result<Handler> + Send + Sync + use<> {
    let (calls, changes, notices) = (calls.clone(), changes.clone(), notices.clone());
    move || {
        let admission = Sessions::client();
        let view = view_for(&views, admission.as_ref());
        let view = view.inspect_err(|error| notices.tell(&error.to_string()))?;
        let calls = calls.of_client(admission.as_ref());
        Ok(Handler::new(view, &calls, &changes))
    }
}

/// Returns the view for a client: that of its role, with its workspace.
fn view_for(views: &Views, admission: Option<&Admission>) -> io::Result<RoleView> {
    let caller = admission.map(|admission| &admission.caller);
    let role = caller.and_then(|caller| caller.role.as_ref());
    let opened = views.of(role).map_err(io::Error::other)?;
    let mut opened = opened.ok_or_else(|| io::Error::other("a client has no role"))?;
    if let Some(workspace) = caller.and_then(|caller| caller.workspace.as_deref()) {
        opened.view = opened.view.for_workspace(workspace);
    }
    Ok(opened)
}

/// Responds to a request that needs a session if there are too many.
async fn bound_sessions(request: Request, next: Next) -> Response {
    let admission = request.extensions().get().cloned();
    match Sessions::watch(admission, next.run(request)).await {
        Served::Answered(answer) => answer,
        Served::TooManySessions => {
            refusal::busy("too many sessions are open; end one, or try again later")
        }
    }
}
