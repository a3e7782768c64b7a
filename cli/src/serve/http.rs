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

use std::{net::Ipv4Addr, sync::Arc, time::Duration};

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

use super::{
    access::Access,
    ending::{Ending, abandoned, drain},
    limits::HttpLimits,
    policy::Policy,
    server::ViewServer,
    tell,
};
use crate::Failure;
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

/// The settings of the HTTP server.
#[derive(Clone, Debug)]
pub(super) struct HttpConfig {
    /// The port on the loopback interface; 0 takes any that is free.
    pub(super) port: u16,
    /// Who may use the server.
    pub(super) access: watch::Receiver<Access>,
    /// The bounds.
    pub(super) limits: HttpLimits,
}

/// Serves clients on the loopback interface until the program is asked to end.
pub(super) async fn serve(
    server: ViewServer,
    policy: Arc<Policy>,
    config: HttpConfig,
    mut ending: Ending,
) -> Result<(), Failure> {
    let port = config.port;
    let refused = |error| Failure::new(format!("cannot bind port {port}: {error}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = listener.map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?.port();
    tell(&format!(
        "{server} at http://127.0.0.1:{port}{PATH}, Ctrl-C ends this"
    ));
    let site = Site::new(server, policy, config, port);
    tokio::select! {
        () = site.listener.accept(&listener) => {}
        () = site.follow_access() => {}
        () = site.record_refusals() => {}
        () = ending.requested() => {}
    }
    drop(listener);
    site.end(&mut ending).await;
    Ok(())
}

/// A server on a port.
struct Site {
    server: ViewServer,
    listener: Listener,
    logins: Arc<Logins>,
    access: watch::Receiver<Access>,
    /// Ends all sessions and the calls of requests.
    abandon: CancellationToken,
}

impl Site {
    fn new(server: ViewServer, policy: Arc<Policy>, config: HttpConfig, port: u16) -> Self {
        let HttpConfig { access, limits, .. } = config;
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
        let sessions = Arc::new(Sessions::new(limits.sessions(), limits.session_idle()));
        let connections = Connections::new(limits.connections());
        let memory = Memory::new(limits.memory_kib());
        let refusals = Refusals::new(policy.registry().clone());
        let health = Health {
            logins: Arc::new(Logins::new(access.clone(), refusals)),
            policy,
            sessions: Arc::clone(&sessions),
            connections: connections.clone(),
            calls: server.calls().clone(),
            memory: memory.clone(),
            hosts: hosts.clone(),
        };
        let bodies = Bodies {
            memory,
            patience: limits.body(),
        };
        let (transport, logins) = (transport(hosts), Arc::clone(&health.logins));
        let abandon = transport.cancellation_token.clone();
        let listener = Listener {
            router: router(server.clone(), sessions, transport, bodies, health),
            connections,
            header_patience: limits.header(),
            draining: CancellationToken::new(),
            served: TaskTracker::new(),
        };
        Self {
            server,
            listener,
            logins,
            access,
            abandon,
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
        self.server.changes().end_subscriptions();
        self.listener.connections.distrust();
    }

    /// Ends the server: accepts no more calls, waits for running ones, then ends the rest.
    async fn end(&self, ending: &mut Ending) {
        let (calls, served) = (self.server.calls(), &self.listener.served);
        served.close();
        calls.stop();
        self.end_streams();
        self.listener.draining.cancel();
        let work = async {
            tokio::join!(served.wait(), calls.ended());
        };
        drain(calls, work, ending).await;
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
    server: ViewServer,
    sessions: Arc<Sessions>,
    config: StreamableHttpServerConfig,
    bodies: Bodies,
    health: Health,
) -> Router {
    let logins = Arc::clone(&health.logins);
    let mcp = StreamableHttpService::new(move || Ok(server.for_session()), sessions, config);
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
