//! The pulse of the state: how many calls wait, as it last reported.

use std::{
    collections::BTreeMap,
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use toolwright_state::{State as Store, WaitingNow};

/// The time between two attempts to reach a state that could not be reached.
const RETRY: Duration = Duration::from_millis(500);

/// The time for which a sign-in through a provider is remembered after its use. Its cookie is forgotten
/// earlier.
const SIGN_IN: Duration = Duration::from_secs(3_600);

/// The most sign-ins that are remembered. The provider takes each code once in any case.
const MOST_SIGN_INS: usize = 10_000;

/// The interval between records of refused sign-ins.
const RECORDING: Duration = Duration::from_secs(10);

/// The calls that wait, as the state last reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pulse {
    /// The number of calls that wait.
    pub(crate) now: WaitingNow,
    /// True if the state could not be reached the last time.
    pub(crate) lost: bool,
}

/// The source of the events of all pages.
#[derive(Debug)]
pub(crate) struct Live {
    pulse: OnceLock<watch::Receiver<Pulse>>,
    pub(crate) ended: watch::Sender<bool>,
    /// The sign-ins through a provider that were used, by their `state`.
    used: Mutex<BTreeMap<String, Instant>>,
    /// The number of sign-ins that were refused since the last record, and the time of that record.
    refused: Mutex<(u64, Option<Instant>)>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            pulse: OnceLock::new(),
            ended: watch::Sender::new(false),
            used: Mutex::default(),
            refused: Mutex::default(),
        }
    }
}

impl Live {
    /// Returns the pulse of the state. The first call begins to follow the state, until the console is
    /// dropped.
    pub(crate) fn follow(&self, state: &Store) -> watch::Receiver<Pulse> {
        let begin = || {
            let (sender, receiver) = watch::channel(Pulse::default());
            tokio::spawn(follow(state.clone(), sender));
            receiver
        };
        self.pulse.get_or_init(begin).clone()
    }

    /// Uses a sign-in through a provider up. Returns false if it was used before.
    pub(crate) fn use_up(&self, state: &str) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= MOST_SIGN_INS {
            used.retain(|_, time| time.elapsed() < SIGN_IN);
        }
        if used.len() >= MOST_SIGN_INS {
            used.pop_first();
        }
        used.insert(state.to_owned(), Instant::now()).is_none()
    }

    /// Counts a refused sign-in. Returns the number of those to record, at most once in
    /// [`RECORDING`]: a flood of guesses is few events.
    pub(crate) fn refused_sign_ins(&self) -> Option<u64> {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, recorded) = &mut *refused;
        *count += 1;
        if recorded.is_some_and(|recorded| recorded.elapsed() < RECORDING) {
            return None;
        }
        *recorded = Some(Instant::now());
        Some(std::mem::take(count))
    }

    /// Returns the number of calls that wait.
    pub(crate) async fn waiting(&self, state: &Store) -> u64 {
        let known = *self.follow(state).borrow();
        if known != Pulse::default() {
            return known.now.total;
        }
        let now = state.waiting_now(Timestamp::now()).await;
        now.map_or(0, |now| now.total)
    }

    /// Ends the events of all pages. A server then ends without waiting for them.
    pub(crate) fn end(&self) {
        self.ended.send_replace(true);
    }
}

async fn follow(state: Store, pulse: watch::Sender<Pulse>) {
    while !pulse.is_closed() {
        if let Ok(mut changes) = state.changes().await {
            while !pulse.is_closed() {
                let Ok(now) = state.waiting_now(Timestamp::now()).await else {
                    break;
                };
                send(&pulse, Pulse { now, lost: false });
                if changes.next().await.is_err() {
                    break;
                }
            }
        }
        let last = *pulse.borrow();
        send(&pulse, Pulse { lost: true, ..last });
        sleep(RETRY).await;
    }
}

fn send(pulse: &watch::Sender<Pulse>, new: Pulse) {
    pulse.send_if_modified(|known| std::mem::replace(known, new) != new);
}
