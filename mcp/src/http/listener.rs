//! Accepts connections and serves HTTP on them, within bounds of number and time.

use std::{
    io::{self, Write},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    time::sleep,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::connections::{Connection, Connections};

/// The memory for the header of a request and for what arrives after it, in bytes.
const HEADER_BYTES: usize = 64 << 10;

/// The pause of the listener after the operating system could not give it a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// The answer to a connection that is one too many.
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\
    Content-Length: 0\r\nConnection: close\r\n\r\n";

/// Serves connections.
pub(super) struct Listener {
    pub(super) router: Router,
    pub(super) connections: Connections,
    /// The longest time for the header of a request, from the end of the previous request.
    pub(super) header_patience: Duration,
    /// Makes every connection end after the request that it serves.
    pub(super) draining: CancellationToken,
    /// The connections that are served.
    pub(super) served: TaskTracker,
}

impl Listener {
    /// Accepts connections until it is dropped.
    pub(super) async fn accept(&self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => match self.connections.open(peer) {
                    Some(connection) => self.begin(stream, connection),
                    None => turn_away(stream),
                },
                // There are too many open files, or the client is gone already.
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    fn begin(&self, stream: TcpStream, connection: Connection) {
        if prepare(&stream).is_err() {
            return;
        }
        let router = TowerToHyperService::new(self.router.clone());
        let (patience, draining) = (self.header_patience, self.draining.clone());
        self.served
            .spawn(serve(stream, connection, router, patience, draining));
    }
}

/// Makes every part of an answer leave at once. Otherwise the system holds back the second part
/// until the client has acknowledged the first, which it does 40 ms later.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)
}

/// Serves a connection until it ends, the server closes it, or the header of a request is late.
async fn serve(
    stream: TcpStream,
    connection: Connection,
    router: TowerToHyperService<Router>,
    header_patience: Duration,
    draining: CancellationToken,
) {
    let connection = Arc::new(connection);
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&connection));
        router.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_patience)
        .max_buf_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut served = pin!(served);
    tokio::select! {
        _ = &mut served => return,
        () = connection.closing() => return,
        () = draining.cancelled() => served.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = served => {}
        () = connection.closing() => {}
    }
}

/// Tells a client that there are too many connections, if that needs no waiting.
fn turn_away(stream: TcpStream) {
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write(TOO_MANY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_parts_of_an_answer_leave_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (_client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let stream = accepted.unwrap().0;
        assert!(!stream.nodelay().unwrap());
        prepare(&stream).unwrap();
        assert!(stream.nodelay().unwrap());
    }
}
