//! The calls in flight: how many there are, how many there may be, and when the last has ended.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

use crate::{
    admission::Admission,
    limits::CallLimits,
    shares::{Shares, semaphore},
    tasks::Tasks,
};

/// The calls in flight of one session, which count for the server as well. Clones share the counts.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    shared: Arc<Shared>,
    session: Arc<Semaphore>,
    /// The share of the client, if it has a token of its own.
    client: Option<Arc<Semaphore>>,
}

#[derive(Debug)]
struct Shared {
    limits: CallLimits,
    all: Arc<Semaphore>,
    shares: Shares,
    /// The calls in flight; closed when further ones are refused.
    running: TaskTracker,
    refused: AtomicU64,
    /// The calls that have become tasks.
    tasks: Tasks,
}

/// A call in flight. It counts until it is dropped.
#[derive(Debug)]
pub(crate) struct InFlight {
    _all: OwnedSemaphorePermit,
    _session: OwnedSemaphorePermit,
    _client: Option<OwnedSemaphorePermit>,
    _running: TaskTrackerToken,
}

/// The reason why a call is not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Busy {
    /// All sessions together have this many calls in flight.
    Server(usize),
    /// The session has this many calls in flight.
    Session(usize),
    /// The client has this many calls in flight.
    Client(usize),
    /// The server is about to end.
    Stopping,
}

impl Calls {
    /// Counts the calls of a server with these limits.
    pub(crate) fn new(limits: CallLimits) -> Self {
        let shared = Shared {
            all: semaphore(limits.all),
            shares: Shares::new(limits.all),
            running: TaskTracker::new(),
            refused: AtomicU64::new(0),
            tasks: Tasks::default(),
            limits,
        };
        Self {
            session: semaphore(shared.limits.per_session),
            client: None,
            shared: Arc::new(shared),
        }
    }

    /// Returns the calls of a client of the same server.
    pub(crate) fn of_client(&self, admission: Option<&Admission>) -> Self {
        Self {
            client: self.shared.shares.of(admission),
            ..self.clone()
        }
    }

    /// Returns the calls of a new session of the same client.
    pub(crate) fn for_session(&self) -> Self {
        Self {
            session: semaphore(self.shared.limits.per_session),
            client: self.client.clone(),
            shared: Arc::clone(&self.shared),
        }
    }

    /// Begins a call, or reports which limit is reached.
    pub(crate) fn begin(&self) -> Result<InFlight, Busy> {
        let call = self.admit();
        if call.is_err() {
            self.shared.refused.fetch_add(1, Ordering::Relaxed);
        }
        call
    }

    fn admit(&self) -> Result<InFlight, Busy> {
        let Shared {
            limits,
            all,
            shares,
            ..
        } = &*self.shared;
        if self.shared.running.is_closed() {
            return Err(Busy::Stopping);
        }
        let session = Arc::clone(&self.session).try_acquire_owned();
        let session = session.map_err(|_| Busy::Session(limits.per_session))?;
        let client = self.client.clone().map(Semaphore::try_acquire_owned);
        let client = client
            .transpose()
            .map_err(|_| Busy::Client(shares.share()))?;
        let all = Arc::clone(all).try_acquire_owned();
        let all = all.map_err(|_| Busy::Server(limits.all))?;
        Ok(InFlight {
            _all: all,
            _session: session,
            _client: client,
            _running: self.shared.running.token(),
        })
    }

    /// Refuses all further calls.
    pub(crate) fn stop(&self) {
        self.shared.running.close();
    }

    /// Waits until no call is in flight, after [`Calls::stop`].
    pub(crate) async fn ended(&self) {
        self.shared.running.wait().await;
    }

    /// The calls that have become tasks.
    pub(crate) fn tasks(&self) -> &Tasks {
        &self.shared.tasks
    }

    /// The limits.
    pub(crate) fn limits(&self) -> &CallLimits {
        &self.shared.limits
    }

    /// The number of calls in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.shared.running.len()
    }

    /// The number of calls that were refused since the start.
    pub(crate) fn refused(&self) -> u64 {
        self.shared.refused.load(Ordering::Relaxed)
    }
}

/// Creates a semaphore of this many permits, or of the most that one can have.
impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(limit) => write!(
                f,
                "the server is busy: {limit} calls are in flight; call again later"
            ),
            Self::Session(limit) => write!(
                f,
                "this session is busy: {limit} of its calls are in flight; wait for one of them to end"
            ),
            Self::Client(limit) => write!(
                f,
                "this client is busy: {limit} of its calls are in flight; wait for one of them to end"
            ),
            Self::Stopping => f.write_str("the server is about to end; call again later"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(all: usize, per_session: usize) -> CallLimits {
        CallLimits {
            all,
            per_session,
            ..CallLimits::default()
        }
    }

    #[test]
    fn limits_beyond_a_semaphore_do_not_panic() {
        let calls = Calls::new(limits(usize::MAX, usize::MAX));
        assert!(calls.begin().is_ok());
        assert!(calls.for_session().begin().is_ok());
    }

    #[test]
    fn a_session_cannot_take_the_calls_of_another() {
        let first = Calls::new(limits(3, 2));
        let second = first.for_session();
        let kept = [first.begin().unwrap(), first.begin().unwrap()];
        assert_eq!(first.begin().unwrap_err(), Busy::Session(2));
        let last = second.begin().unwrap();
        assert_eq!(second.begin().unwrap_err(), Busy::Server(3));
        assert_eq!((first.in_flight(), first.refused()), (3, 2));
        drop(last);
        assert!(second.begin().is_ok());
        drop(kept);
        assert_eq!(first.in_flight(), 0);
    }

    #[test]
    fn a_client_cannot_take_the_calls_of_others() {
        let calls = Calls::new(limits(4, 9));
        let [one, other] = ["one", "other"].map(Admission::with_name);
        // The client begins further sessions.
        let _kept = [(); 2].map(|()| calls.of_client(Some(&one)).for_session().begin().unwrap());
        let refused = calls.of_client(Some(&one)).for_session().begin();
        assert_eq!(refused.unwrap_err(), Busy::Client(2));
        assert!(calls.of_client(Some(&other)).begin().is_ok());
        let _shared = [(); 2].map(|()| calls.of_client(None).begin().unwrap());
    }

    #[tokio::test]
    async fn a_server_that_ends_waits_for_calls_and_begins_none() {
        let calls = Calls::new(limits(2, 2));
        let call = calls.begin().unwrap();
        calls.stop();
        assert_eq!(calls.for_session().begin().unwrap_err(), Busy::Stopping);
        let waiting = tokio::spawn({
            let calls = calls.clone();
            async move { calls.ended().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(call);
        waiting.await.unwrap();
    }
}
