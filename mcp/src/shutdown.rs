//! The end of a server: what asks for it, and the calls in flight.

use std::{future::Future, io, time::Duration};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};

use crate::{calls::Calls, notices::Notices};

/// The time in which the futures of cancelled calls must be dropped.
const MOMENT: Duration = Duration::from_secs(2);

/// Asks a server to end. The first request lets calls in flight end, the second ends them at once.
#[derive(Debug)]
pub struct Shutdown(Source);

#[derive(Debug)]
enum Source {
    #[cfg(unix)]
    Signals {
        interrupt: Signal,
        terminate: Signal,
    },
    #[cfg(not(unix))]
    Interrupt,
    Requests(mpsc::Receiver<()>),
}

/// Requests the shutdown of a server from the program that runs it.
#[derive(Clone, Debug)]
pub struct ShutdownHandle(mpsc::Sender<()>);

impl Shutdown {
    /// Listens for SIGINT and SIGTERM from now on; where there are no signals, for Ctrl-C.
    ///
    /// # Errors
    ///
    /// Fails if the operating system refuses to deliver the signals.
    pub fn on_signals() -> io::Result<Self> {
        #[cfg(unix)]
        let source = Source::Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        };
        #[cfg(not(unix))]
        let source = Source::Interrupt;
        Ok(Self(source))
    }

    /// Creates a shutdown that the program requests itself. Without a request the server runs on,
    /// also after the handle was dropped.
    #[must_use]
    pub fn on_request() -> (ShutdownHandle, Self) {
        let (handle, requests) = mpsc::channel(2);
        (ShutdownHandle(handle), Self(Source::Requests(requests)))
    }

    /// Waits until the server is asked to end, again each time.
    pub(crate) async fn requested(&mut self) {
        match &mut self.0 {
            #[cfg(unix)]
            Source::Signals {
                interrupt,
                terminate,
            } => tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            },
            #[cfg(not(unix))]
            Source::Interrupt => {
                if tokio::signal::ctrl_c().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
            Source::Requests(requests) => {
                if requests.recv().await.is_none() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}

impl ShutdownHandle {
    /// Requests the shutdown. A second request ends calls in flight at once; further ones have no
    /// effect.
    pub fn request(&self) {
        let _ = self.0.try_send(());
    }
}

/// Refuses further calls and waits until the work has ended: for as long as the limits allow, or
/// until the server is asked to end once more.
pub(crate) async fn drain(
    calls: &Calls,
    work: impl Future<Output = ()>,
    shutdown: &mut Shutdown,
    notices: &Notices,
) {
    calls.stop();
    let (seconds, running) = (calls.limits().shutdown, calls.in_flight());
    if running > 0 {
        let noun = if running == 1 { "call" } else { "calls" };
        notices.tell(&format!(
            "waiting up to {} s for {running} {noun} in flight; a second signal ends this at once",
            seconds.as_secs()
        ));
    }
    tokio::select! {
        () = work => {}
        () = sleep(seconds) => {}
        () = shutdown.requested() => {}
    }
}

/// Ends the tasks, and waits until calls that were cancelled are recorded as abandoned, but for no more than a
/// moment: a tool may block its thread.
pub(crate) async fn abandoned(calls: &Calls) {
    calls.stop();
    calls.tasks().end();
    let _ = timeout(MOMENT, calls.ended()).await;
}
