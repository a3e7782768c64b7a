//! MCP over standard input and output.

use std::io::{IsTerminal, stdin};

use rmcp::{
    RoleServer, serve_server,
    service::ServerInitializeError,
    transport::{IntoTransport, stdio_pipes},
};

use super::server::ViewServer;
use crate::Failure;

/// Serves the client that started this program, until it closes standard input.
pub(super) async fn serve(server: ViewServer) -> Result<(), Failure> {
    if stdin().is_terminal() {
        anstream::eprintln!(
            "{server}; waiting for an MCP client on standard input, Ctrl-D ends this"
        );
    }
    serve_over(server, stdio_pipes()).await
}

/// Serves one client, until it goes away.
pub(super) async fn serve_over<E, A>(
    server: ViewServer,
    transport: impl IntoTransport<RoleServer, E, A>,
) -> Result<(), Failure>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let running = match serve_server(server, transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => {
            return Err(Failure::new(format!(
                "the client was not understood: {error}"
            )));
        }
    };
    match running.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(format!("the server broke off: {error}"))),
    }
}
