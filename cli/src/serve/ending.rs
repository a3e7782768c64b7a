//! The end of the server: signals, and the calls in flight.

use std::{future::Future, io, time::Duration};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

use tokio::time::{sleep, timeout};

use super::{calls::Calls, tell};

/// The time in which the futures of cancelled calls must be dropped.
const MOMENT: Duration = Duration::from_secs(2);

/// Listens for SIGINT and SIGTERM.
pub(super) struct Ending {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Ending {
    /// Starts to listen.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits until the server is asked to end, again each time.
    #[cfg(unix)]
    pub(super) async fn requested(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Waits until the server is asked to end, again each time.
    #[cfg(not(unix))]
    pub(super) async fn requested(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Refuses further calls and waits until the work has ended: for as long as the limits allow, or
/// until the server is asked to end once more.
pub(super) async fn drain(calls: &Calls, work: impl Future<Output = ()>, ending: &mut Ending) {
    calls.stop();
    let (seconds, running) = (calls.limits().shutdown(), calls.in_flight());
    if running > 0 {
        let noun = if running == 1 { "call" } else { "calls" };
        tell(&format!(
            "waiting up to {} s for {running} {noun} in flight; a second signal ends this at once",
            seconds.as_secs()
        ));
    }
    tokio::select! {
        () = work => {}
        () = sleep(seconds) => {}
        () = ending.requested() => {}
    }
}

/// Waits until calls that were cancelled are recorded as abandoned, but for no more than a moment:
/// a tool may block its thread.
pub(super) async fn abandoned(calls: &Calls) {
    calls.stop();
    let _ = timeout(MOMENT, calls.ended()).await;
}
