//! The server of the views of roles, before it has a transport.

#[cfg(unix)]
use std::path::Path;
use std::{fmt, sync::Arc, time::Duration};

use rmcp::{
    RoleServer,
    transport::{IntoTransport, stdio_pipes},
};
use tokio::sync::watch;
use toolwright::{
    Registry, Role, ScopedToolView, approval::ApprovalPage, eab::RunContext, error::OpenError,
    render::mcp::OutputSchemas,
};

#[cfg(unix)]
use crate::socket;
use crate::{
    access::Access,
    caller::Token,
    calls::Calls,
    changes::Changes,
    error::ServeError,
    handler::Handler,
    http::{HttpParts, HttpServer},
    limits::{CallLimits, HttpLimits},
    lines::{LONGEST_LINE, Lines},
    notices::{Notices, Uses},
    shutdown::Shutdown,
    status::PolicyStatus,
    stdio,
    views::{RoleView, Views},
};

/// A server of the views of roles of a registry.
#[derive(Clone, Debug)]
pub struct Server {
    registry: Registry,
    views: Views,
    limits: CallLimits,
    changes: Changes,
    policy: watch::Receiver<PolicyStatus>,
    notices: Notices,
    uses: Uses,
}

/// Serves a role's tools to the MCP client on standard input and output, until it closes standard
/// input or the process receives SIGINT or SIGTERM.
///
/// # Errors
///
/// Fails if signals cannot be received, or if the client does not speak MCP.
pub async fn serve_stdio(registry: &Registry, role: &Role) -> Result<(), ServeError> {
    let shutdown = Shutdown::on_signals().map_err(ServeError::Signals)?;
    Server::new(registry, role).serve_stdio(shutdown).await
}

impl Server {
    /// Creates a server of the tools that the registry grants to a role. A role that is not declared
    /// has none.
    #[must_use]
    pub fn new(registry: &Registry, role: &Role) -> Self {
        Self::of(registry, Some(registry.for_agent(role)))
    }

    /// Creates a server over HTTP whose clients have the role of their token: see
    /// [`Access::Holders`]. A client without a role has no tools.
    #[must_use]
    pub fn of_each_role(registry: &Registry) -> Self {
        Self::of(registry, None)
    }

    fn of(registry: &Registry, own: Option<ScopedToolView>) -> Self {
        let policy = watch::Sender::new(PolicyStatus::loaded_now(None));
        Self {
            registry: registry.clone(),
            views: Views::new(own, Views::open_in(registry)),
            limits: CallLimits::default(),
            changes: Changes::new(),
            policy: policy.subscribe(),
            notices: Notices::default(),
            uses: Uses::default(),
        }
    }

    /// Records the calls of the server's role as those of a run.
    #[must_use]
    pub fn in_run(self, run: RunContext) -> Self {
        Self {
            views: self.views.with_own(|view| view.in_run(run)),
            ..self
        }
    }

    /// Serves the tools of a view that the program opened, such as one with variables.
    #[must_use]
    pub fn of_view(self, view: ScopedToolView) -> Self {
        Self {
            views: self.views.with_own(|_| view),
            ..self
        }
    }

    /// Opens the view of each role of a token with a function, such as with variables. It is called once
    /// for each role. Without it, views are those of [`Registry::for_agent`].
    #[must_use]
    pub fn opening_views(
        self,
        open: impl Fn(&Role) -> Result<ScopedToolView, OpenError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            views: self.views.opened_by(Arc::new(open)),
            ..self
        }
    }

    /// Lets calls that need an approval wait for the decision, at most this long, rather than refuse
    /// them at once. Clients have limits of their own for the time that a call may take.
    #[must_use]
    pub fn waiting_for(self, limit: Duration) -> Self {
        Self {
            views: self.views.waiting_for(limit),
            ..self
        }
    }

    /// Lets clients show their users the page of a waiting call, if they can: a person decides there. Clients
    /// that cannot receive its URL in the error.
    #[must_use]
    pub fn approval_page(self, page: ApprovalPage) -> Self {
        Self {
            views: self.views.with_page(page),
            ..self
        }
    }

    /// Shows clients this much of the output schemas.
    #[must_use]
    pub fn output_schemas(self, output_schemas: OutputSchemas) -> Self {
        Self {
            views: self.views.with_schemas(output_schemas),
            ..self
        }
    }

    /// Limits the calls.
    #[must_use]
    pub fn limits(self, limits: CallLimits) -> Self {
        Self { limits, ..self }
    }

    /// Gives notices for the operator to a function, such as that calls in flight are waited for at
    /// the end.
    #[must_use]
    pub fn on_notice(self, receiver: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            notices: Notices::new(receiver),
            ..self
        }
    }

    /// Gives the token of each request that is let in to a function, which must be quick.
    #[must_use]
    pub fn on_token_use(self, receiver: impl Fn(Token) + Send + Sync + 'static) -> Self {
        Self {
            uses: Uses::new(receiver),
            ..self
        }
    }

    /// Reports this state of the policy at `/health`.
    #[must_use]
    pub fn policy_status(self, policy: watch::Receiver<PolicyStatus>) -> Self {
        Self { policy, ..self }
    }

    /// Returns the clients, to tell them that the list of tools has changed.
    #[must_use]
    pub fn changes(&self) -> Changes {
        self.changes.clone()
    }

    /// Serves the client on standard input and output, until it closes standard input or the
    /// shutdown is requested.
    ///
    /// # Errors
    ///
    /// Fails if the server has no role, or if the client does not speak MCP.
    pub async fn serve_stdio(self, shutdown: Shutdown) -> Result<(), ServeError> {
        let (read, write) = stdio_pipes();
        let lines = Lines::new(read, write, LONGEST_LINE);
        self.serve(lines, shutdown).await
    }

    /// Serves the client at the other end of a transport of `rmcp`, such as a pipe.
    ///
    /// # Errors
    ///
    /// Fails if the server has no role, or if the client does not speak MCP.
    pub async fn serve<E, A>(
        self,
        transport: impl IntoTransport<RoleServer, E, A>,
        shutdown: Shutdown,
    ) -> Result<(), ServeError>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let own = self.views.own().ok_or(ServeError::NoRole)?;
        let handler = Handler::new(own.clone(), &Calls::new(self.limits), &self.changes);
        stdio::serve(handler, transport, shutdown, &self.notices).await
    }

    /// Serves programs of this user at a Unix socket, which call tools by their names: see `docs/code.md`. The
    /// socket is created at the path and removed at the end.
    ///
    /// # Errors
    ///
    /// Fails if the server has no role, or if the socket cannot be created.
    #[cfg(unix)]
    pub async fn serve_socket(self, path: &Path, shutdown: Shutdown) -> Result<(), ServeError> {
        let own = self.views.own().ok_or(ServeError::NoRole)?;
        let calls = Calls::new(self.limits);
        socket::serve(path, own, calls, shutdown, &self.notices).await
    }

    /// Takes a port of the loopback interface for streamable HTTP; 0 takes any that is free. Clients
    /// that `access` allows are served once [`HttpServer::serve`] runs.
    ///
    /// # Errors
    ///
    /// Fails if the port cannot be taken.
    pub async fn bind_http(
        self,
        port: u16,
        access: Access,
        limits: HttpLimits,
    ) -> Result<HttpServer, ServeError> {
        let access = watch::Sender::new(access).subscribe();
        self.bind_http_with(port, access, limits).await
    }

    /// The same with an access that may change: a change ends the streams of clients that were
    /// allowed before.
    ///
    /// # Errors
    ///
    /// Fails if the port cannot be taken.
    pub async fn bind_http_with(
        self,
        port: u16,
        access: watch::Receiver<Access>,
        limits: HttpLimits,
    ) -> Result<HttpServer, ServeError> {
        let parts = HttpParts {
            views: self.views,
            calls: Calls::new(self.limits),
            changes: self.changes,
            registry: self.registry,
            access,
            policy: self.policy,
            limits: limits.bounded(),
            notices: self.notices,
            uses: self.uses,
        };
        HttpServer::bind(port, parts).await
    }
}

/// The number of tools and the role: 3 tools of the role `reader`; or that of roles.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(RoleView { view, .. }) = self.views.own() else {
            let number = self.registry.roles().len();
            let roles = if number == 1 { "role" } else { "roles" };
            return write!(
                f,
                "the tools of {number} {roles}, by the token of the client,"
            );
        };
        let (number, role) = (view.specs().len(), view.role());
        let tools = if number == 1 { "tool" } else { "tools" };
        write!(f, "{number} {tools} of the role `{role}`")
    }
}
