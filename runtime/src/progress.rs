//! The progress of a call: of its transfers, and of what it prints.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// The time between two reports of a transfer, and before the first one.
const INTERVAL: Duration = Duration::from_millis(250);

/// The longest output of one report, in bytes.
const LONGEST_OUTPUT: usize = 4 << 10;

/// The progress of a call: of a transfer, or of the output that it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The direction.
    pub direction: Direction,
    /// The bytes that were transferred so far; of a compressed answer, after decompression.
    pub bytes: u64,
    /// The bytes of the whole transfer, if they are known.
    pub total: Option<u64>,
    /// The output since the last report, if the call prints any. A long one is cut at its start.
    pub output: Option<Arc<str>>,
}

/// The direction of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The body of a request, with the files that it sends.
    Sent,
    /// The body of an answer.
    Received,
    /// The output of a program.
    Printed,
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
            output,
        } = self;
        if let Some(output) = output {
            return f.write_str(output.trim_end());
        }
        let word = match direction {
            Direction::Sent => "sent",
            Direction::Received => "received",
            Direction::Printed => "printed",
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
                output: None,
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
            listener(self.progress.clone());
        }
    }
}

/// Reports output of a call that comes before its result: at most four times a second, and as text.
pub struct Printing {
    meter: Meter,
    unreported: Vec<u8>,
    clean: Box<dyn Fn(String) -> String + Send>,
}

impl Printing {
    pub(crate) fn new(
        listener: Option<&Listener>,
        clean: impl Fn(String) -> String + Send + 'static,
    ) -> Self {
        Self {
            clean: Box::new(clean),
            meter: Meter::new(listener, Direction::Printed, None),
            unreported: Vec::new(),
        }
    }

    /// Takes more output, and reports what came since the last report if it is time to.
    pub fn print(&mut self, output: &[u8]) {
        let Some(Listener(listener)) = &self.meter.listener else {
            return;
        };
        let excess = (self.unreported.len() + output.len()).saturating_sub(LONGEST_OUTPUT);
        self.unreported.drain(..excess.min(self.unreported.len()));
        let kept = output.len().min(LONGEST_OUTPUT);
        let kept = output.get(output.len() - kept..).unwrap_or_default();
        self.unreported.extend_from_slice(kept);
        self.meter.progress.bytes += output.len() as u64;
        let now = Instant::now();
        if now >= self.meter.next {
            self.meter.next = now + INTERVAL;
            let text = String::from_utf8_lossy(&self.unreported).into_owned();
            listener(Progress {
                output: Some((self.clean)(text).into()),
                ..self.meter.progress.clone()
            });
            self.unreported.clear();
        }
    }
}

impl fmt::Debug for Printing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printing")
            .field("bytes", &self.meter.progress.bytes)
            .finish_non_exhaustive()
    }
}
