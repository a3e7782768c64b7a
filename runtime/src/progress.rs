//! The progress of the transfers of a call.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// The time between two reports of a transfer, and before the first one.
const INTERVAL: Duration = Duration::from_millis(250);

/// The progress of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The direction.
    pub direction: Direction,
    /// The bytes that were transferred so far; of a compressed answer, after decompression.
    pub bytes: u64,
    /// The bytes of the whole transfer, if they are known.
    pub total: Option<u64>,
}

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The body of a request, with the files that it sends.
    Sent,
    /// The body of an answer.
    Received,
}

/// A function that receives the progress of calls.
#[derive(Clone)]
pub(crate) struct Listener(Arc<dyn Fn(Progress) + Send + Sync>);

/// Counts the bytes of a transfer, and reports them at intervals.
pub(crate) struct Meter {
    listener: Option<Listener>,
    progress: Progress,
    next: Instant,
}

/// For people: `received 5 of 10 bytes`.
impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            direction,
            bytes,
            total,
        } = self;
        let word = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
        };
        match total {
            Some(total) => write!(f, "{word} {bytes} of {total} bytes"),
            None => write!(f, "{word} {bytes} bytes"),
        }
    }
}

impl Listener {
    pub(crate) fn new(listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

impl Meter {
    pub(crate) fn new(
        listener: Option<&Listener>,
        direction: Direction,
        total: Option<u64>,
    ) -> Self {
        Self {
            listener: listener.cloned(),
            progress: Progress {
                direction,
                bytes: 0,
                total,
            },
            next: Instant::now() + INTERVAL,
        }
    }

    /// Counts bytes, and reports them if it is time to.
    pub(crate) fn add(&mut self, bytes: usize) {
        let Some(Listener(listener)) = &self.listener else {
            return;
        };
        self.progress.bytes += bytes as u64;
        let now = Instant::now();
        if now >= self.next {
            self.next = now + INTERVAL;
            listener(self.progress);
        }
    }
}
