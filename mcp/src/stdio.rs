//! MCP with one client, such as the one on standard input and output.

use std::pin::pin;

use rmcp::{
    RoleServer,
    service::{ServerInitializeError, serve_server_with_ct},
    transport::IntoTransport,
};
use tokio_util::sync::CancellationToken;

use crate::{
    error::ServeError,
    handler::Handler,
    notices::Notices,
    shutdown::{Shutdown, abandoned, drain},
};

/// Serves the client at the other end of a transport, until it goes away or the server is asked to
/// end.
pub(crate) async fn serve<E, A>(
    handler: Handler,
    transport: impl IntoTransport<RoleServer, E, A>,
    mut shutdown: Shutdown,
    notices: &Notices,
) -> Result<(), ServeError>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let calls = handler.calls().clone();
    let abandon = CancellationToken::new();
    let mut served = pin!(serve_over(handler, transport, abandon.clone()));
    let result = tokio::select! {
        result = &mut served => result,
        () = shutdown.requested() => {
            drain(&calls, calls.ended(), &mut shutdown, notices).await;
            abandon.cancel();
            served.await
        }
    };
    abandoned(&calls).await;
    result
}

/// Serves one client, until it goes away or is abandoned.
pub(crate) async fn serve_over<E, A>(
    handler: Handler,
    transport: impl IntoTransport<RoleServer, E, A>,
    abandon: CancellationToken,
) -> Result<(), ServeError>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let running = match serve_server_with_ct(handler, transport, abandon).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            return Ok(());
        }
        Err(error) => {
            return Err(ServeError::Client(error.to_string()));
        }
    };
    match running.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(ServeError::Failed(error.to_string())),
    }
}
