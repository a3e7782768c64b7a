//! A Unix socket for programs of agents, which call tools by their names.
//!
//! A connection carries one call, in the protocol of [`toolwright::socket`]. A client that goes away before the answer
//! cancels its call.

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

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{UnixListener, UnixStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolwright::{
    ScopedToolView,
    audit::ClientContext,
    socket::{CallAnswer, CallRequest, read_request, write_answer},
};

use crate::{
    aside::{aside, is_large},
    calls::Calls,
    error::ServeError,
    notices::Notices,
    shutdown::{Shutdown, abandoned, drain},
    views::RoleView,
};

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
        let request = timeout(ARRIVAL, read_request(&mut connection)).await;
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
            Err(_) => CallAnswer::refusal("request_timeout", "the request did not arrive in time"),
        };
        write_answer(&mut connection, &answer).await?;
        connection.shutdown().await
    }

    async fn call(&self, request: CallRequest) -> CallAnswer {
        let CallRequest { tool, arguments } = request;
        let _in_flight = match self.calls.begin() {
            Ok(call) => call,
            Err(busy) => return CallAnswer::refusal("server_busy", &busy.to_string()),
        };
        let is_large = is_large(&arguments);
        let call = self.view.call_json(&tool, arguments);
        let called = if is_large {
            aside(call).await
        } else {
            call.await
        };
        match called {
            Ok(output) => CallAnswer::Success(output.value),
            Err(error) => CallAnswer::failure(&error),
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
