//! The server of one role's view, before it has a transport.

use std::{fmt, time::Duration};

use rmcp::{
    RoleServer,
    transport::{IntoTransport, stdio_pipes},
};
use tokio::sync::watch;
use toolwright::{Registry, Role, ScopedToolView, eab::RunContext, render::mcp::OutputSchemas};

use crate::{
    access::Access,
    calls::Calls,
    changes::Changes,
    error::ServeError,
    handler::Handler,
    http::{HttpParts, HttpServer},
    limits::{CallLimits, HttpLimits},
    notices::Notices,
    shutdown::Shutdown,
    status::PolicyStatus,
    stdio,
};

/// A server of one role's view of a registry.
#[derive(Clone, Debug)]
pub struct Server {
    registry: Registry,
    view: ScopedToolView,
    output_schemas: OutputSchemas,
    limits: CallLimits,
    changes: Changes,
    policy: watch::Receiver<PolicyStatus>,
    notices: Notices,
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
        let policy = watch::Sender::new(PolicyStatus::loaded_now(None));
        Self {
            registry: registry.clone(),
            view: registry.for_agent(role),
            output_schemas: OutputSchemas::default(),
            limits: CallLimits::default(),
            changes: Changes::new(),
            policy: policy.subscribe(),
            notices: Notices::default(),
        }
    }

    /// Records the calls as those of a run.
    #[must_use]
    pub fn in_run(self, run: RunContext) -> Self {
        Self {
            view: self.view.in_run(run),
            ..self
        }
    }

    /// Serves the tools of a view that the program opened, such as one with variables.
    #[must_use]
    pub fn of_view(self, view: ScopedToolView) -> Self {
        Self { view, ..self }
    }

    /// Lets calls that need an approval wait for the decision, at most this long, rather than refuse
    /// them at once. Clients have limits of their own for the time that a call may take.
    #[must_use]
    pub fn waiting_for(self, limit: Duration) -> Self {
        Self {
            view: self.view.waiting_for(limit),
            ..self
        }
    }

    /// Shows clients this much of the output schemas.
    #[must_use]
    pub fn output_schemas(self, output_schemas: OutputSchemas) -> Self {
        Self {
            output_schemas,
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
    /// Fails if the client does not speak MCP.
    pub async fn serve_stdio(self, shutdown: Shutdown) -> Result<(), ServeError> {
        self.serve(stdio_pipes(), shutdown).await
    }

    /// Serves the client at the other end of a transport of `rmcp`, such as a pipe.
    ///
    /// # Errors
    ///
    /// Fails if the client does not speak MCP.
    pub async fn serve<E, A>(
        self,
        transport: impl IntoTransport<RoleServer, E, A>,
        shutdown: Shutdown,
    ) -> Result<(), ServeError>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        stdio::serve(self.handler(), transport, shutdown, &self.notices).await
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
            handler: self.handler(),
            registry: self.registry,
            access,
            policy: self.policy,
            limits: limits.bounded(),
            notices: self.notices,
        };
        HttpServer::bind(port, parts).await
    }

    fn handler(&self) -> Handler {
        let calls = Calls::new(self.limits);
        Handler::new(
            self.view.clone(),
            self.output_schemas,
            calls,
            self.changes.clone(),
        )
    }
}

/// The number of tools and the role: 3 tools of the role `reader`.
impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, role) = (self.view.specs().len(), self.view.role());
        let tools = if number == 1 { "tool" } else { "tools" };
        write!(f, "{number} {tools} of the role `{role}`")
    }
}
