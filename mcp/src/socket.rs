//! A Unix socket for programs of agents, which call tools by their names.
//!
//! A connection carries one call. The request and the answer are JSON after their lengths, four bytes with
//! the most significant first: `{"tool": …, "arguments": …}`, then `{"result": …}` or `{"error": …}`. A client
//! that goes away before the answer cancels its call.

use std::{
    fs, io,
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
        net::UnixStream as BlockingStream,
    },
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolwright::{ScopedToolView, audit::ClientContext};

use crate::{
    aside::{aside, is_large},
    calls::Calls,
    error::ServeError,
    notices::Notices,
    shutdown::{Shutdown, abandoned, drain},
    views::RoleView,
};

/// The longest request, in bytes.
const LONGEST_REQUEST: usize = 4 << 20;

/// The most connections at a time. Others wait.
const MOST_CONNECTIONS: usize = 64;

/// The time within which a request must arrive.
const ARRIVAL: Duration = Duration::from_secs(30);

/// The socket in the file system. It is removed at the end.
struct SocketFile(PathBuf);

/// What the connections have in common.
struct Desk {
    view: ScopedToolView,
    calls: Calls,
    /// The user who may connect.
    user: u32,
}

/// Serves a view at a path until the shutdown.
pub(crate) async fn serve(
    path: &Path,
    own: &RoleView,
    calls: Calls,
    mut shutdown: Shutdown,
    notices: &Notices,
) -> Result<(), ServeError> {
    let failed = |error| ServeError::Socket {
        path: path.to_owned(),
        error,
    };
    let (listener, file, user) = bind(path).map_err(failed)?;
    let client = ClientContext {
        name: Some("socket".to_owned()),
        principal: Some(format!("os:{}", toolwright::system::user())),
        ..ClientContext::default()
    };
    let view = own.view.clone().for_client(client).with_whole_answers();
    let desk = Arc::new(Desk {
        view: view.waiting_for(own.wait),
        calls: calls.clone(),
        user,
    });
    let (open, abandon) = (TaskTracker::new(), CancellationToken::new());
    let accepting = accept(listener, desk, &open, &abandon);
    tokio::select! {
        never = accepting => match never {},
        () = shutdown.requested() => {}
    }
    drop(file);
    drain(&calls, calls.ended(), &mut shutdown, notices).await;
    abandon.cancel();
    abandoned(&calls).await;
    Ok(())
}

/// Creates the socket for the user of this process alone. One that a process left behind is replaced.
fn bind(path: &Path) -> io::Result<(UnixListener, SocketFile, u32)> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket && BlockingStream::connect(path).is_err() {
        fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    let file = SocketFile(path.to_owned());
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    let user = fs::symlink_metadata(path)?.uid();
    Ok((listener, file, user))
}

async fn accept(
    listener: UnixListener,
    desk: Arc<Desk>,
    open: &TaskTracker,
    abandon: &CancellationToken,
) -> std::convert::Infallible {
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&room).acquire_owned().await else {
            return std::future::pending().await;
        };
        let Ok((connection, _)) = listener.accept().await else {
            // The process has too many open files for now.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (desk, abandon) = (Arc::clone(&desk), abandon.clone());
        open.spawn(async move {
            tokio::select! {
                // A client that goes away has harmed only itself.
                _ = desk.answer(connection) => {}
                () = abandon.cancelled() => {}
            }
            drop(permit);
        });
    }
}

impl Desk {
    async fn answer(&self, mut connection: UnixStream) -> io::Result<()> {
        // The permissions of the file apply after it was created.
        if connection.peer_cred()?.uid() != self.user {
            return Ok(());
        }
        let request = timeout(ARRIVAL, read(&mut connection)).await;
        let answer = match request {
            Ok(Ok(Ok(request))) => {
                let mut more = [0];
                tokio::select! {
                    answer = self.call(request) => answer,
                    _ = connection.read(&mut more) => return Ok(()),
                }
            }
            Ok(Ok(Err(refusal))) => refusal,
            Ok(Err(error)) => return Err(error),
            Err(_) => refusal("request_timeout", "the request did not arrive in time"),
        };
        let answer = answer.to_string();
        let length = u32::try_from(answer.len()).map_err(io::Error::other)?;
        connection.write_u32(length).await?;
        connection.write_all(answer.as_bytes()).await?;
        connection.shutdown().await
    }

    async fn call(&self, mut request: Value) -> Value {
        let Some(tool) = request.get("tool").and_then(Value::as_str) else {
            return refusal("malformed_request", "a request has the name of a `tool`");
        };
        let tool = tool.to_owned();
        let _in_flight = match self.calls.begin() {
            Ok(call) => call,
            Err(busy) => return refusal("server_busy", &busy.to_string()),
        };
        let arguments = request.get_mut("arguments").map(Value::take);
        let arguments = arguments.unwrap_or_default();
        let is_large = is_large(&arguments);
        let call = self.view.call_json(&tool, arguments);
        let called = if is_large {
            aside(call).await
        } else {
            call.await
        };
        match called {
            Ok(output) => json!({ "result": output.value }),
            Err(error) => error.to_json(),
        }
    }
}

/// Reads a request, or returns the answer that refuses it.
async fn read(connection: &mut UnixStream) -> io::Result<Result<Value, Value>> {
    let length = usize::try_from(connection.read_u32().await?).unwrap_or(usize::MAX);
    if length > LONGEST_REQUEST {
        let message = "a request has at most 4 MiB";
        return Ok(Err(refusal("request_too_long", message)));
    }
    let mut request = Vec::new();
    let mut rest = connection.take(length as u64);
    if rest.read_to_end(&mut request).await? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let request = serde_json::from_slice(&request);
    Ok(request.map_err(|error| refusal("malformed_request", &error.to_string())))
}

fn refusal(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
