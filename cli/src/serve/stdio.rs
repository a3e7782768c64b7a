//! MCP over standard input and output.

use std::pin::pin;

use rmcp::{
    RoleServer,
    service::{ServerInitializeError, serve_server_with_ct},
    transport::{IntoTransport, stdio_pipes},
};
use tokio_util::sync::CancellationToken;

use super::{
    ending::{Ending, abandoned, drain},
    server::ViewServer,
    tell,
};
use crate::Failure;

/// Serves the client that started this program, until it closes standard input or the program is
/// asked to end.
pub(super) async fn serve(server: ViewServer, mut ending: Ending) -> Result<(), Failure> {
    tell(&format!(
        "{server}; waiting for an MCP client on standard input, Ctrl-D ends this"
    ));
    let calls = server.calls().clone();
    let abandon = CancellationToken::new();
    let mut served = pin!(serve_over(server, stdio_pipes(), abandon.clone()));
    let result = tokio::select! {
        result = &mut served => result,
        () = ending.requested() => {
            drain(&calls, calls.ended(), &mut ending).await;
            abandon.cancel();
            served.await
        }
    };
    abandoned(&calls).await;
    result
}

/// Serves one client, until it goes away or is abandoned.
pub(super) async fn serve_over<E, A>(
    server: ViewServer,
    transport: impl IntoTransport<RoleServer, E, A>,
    abandon: CancellationToken,
) -> Result<(), Failure>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let running = match serve_server_with_ct(server, transport, abandon).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => {
            return Err(Failure::new(format!(
                "cannot understand the client: {error}"
            )));
        }
    };
    match running.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(format!("the server failed: {error}"))),
    }
}
