//! Forwards the events of an audit to a sink.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{sleep, timeout},
};
use toolwright_audit::{Cursor, Tail, TailEvent, last_event, line};

use crate::{
    cursor_file::CursorFile,
    sink::{Sink, SinkError},
};

/// The greatest number of events of one delivery.
const BATCH: usize = 500;

/// The pause after which the file is read again when there is nothing to deliver.
const PAUSE: Duration = Duration::from_millis(200);

/// The time after which a delivery counts as failed.
const DELIVERY_LIMIT: Duration = Duration::from_secs(30);

/// The pause after the first failed delivery. It doubles with each further one.
const FIRST_RETRY: Duration = Duration::from_millis(250);

/// The longest pause after a failed delivery.
const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// The pause after which it is tried again to forward in place of another process.
const TAKEOVER: Duration = Duration::from_secs(1);

/// Forwards the events of an audit to a sink, in order and at least once.
///
/// Of several processes with the same audit, one forwards. If it ends, another one continues.
pub struct Forwarder {
    audit: PathBuf,
    name: String,
    destination: String,
    instance: Option<String>,
    sink: Box<dyn Sink>,
    status: watch::Sender<SinkStatus>,
}

/// The state of a sink, as the forwarder of this process knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SinkStatus {
    /// The number of events that this process has delivered.
    pub delivered: u64,
    /// The reason why the last delivery failed; none after one that succeeded.
    pub error: Option<SinkError>,
}

/// The place in the audit that a forwarder has reached.
struct Place {
    file: CursorFile,
    cursor: Cursor,
    tail: Tail,
    /// True before the first delivery.
    is_new: bool,
}

impl Place {
    /// Checks whether an event is the one after the cursor in the chain.
    fn precedes(&self, event: &TailEvent) -> bool {
        let Cursor { seq, hash, .. } = &self.cursor;
        let sealed = line::parse(event.line.as_bytes());
        *seq == 0 || sealed.is_some_and(|sealed| sealed.prev.to_string() == *hash)
    }

    /// Begins again with the first event.
    fn restart(&mut self, audit: &Path) -> Result<(), SinkError> {
        self.cursor.seq = 0;
        self.cursor.hash.clear();
        self.tail = Tail::after(audit, 0);
        self.file.write(&self.cursor).map_err(cursor_fault)
    }
}

impl Forwarder {
    /// A forwarder of the audit in a file to a sink. `name` is a part of the name of its cursor. If
    /// `destination` changes, all events that the files have are delivered to the new one.
    pub fn new(audit: &Path, name: &str, destination: &str, sink: Box<dyn Sink>) -> Self {
        Self {
            audit: audit.to_owned(),
            name: name.to_owned(),
            destination: destination.to_owned(),
            instance: None,
            sink,
            status: watch::Sender::default(),
        }
    }

    /// The same forwarder, with this name of the audit. The default is the id of the key that wrote
    /// the first event that it delivers.
    #[must_use]
    pub fn instance(mut self, instance: impl Into<String>) -> Self {
        self.instance = Some(instance.into());
        self
    }

    /// The name of the sink.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the state of the sink from now on.
    pub fn status(&self) -> watch::Receiver<SinkStatus> {
        self.status.subscribe()
    }

    /// Forwards until it is dropped. A delivery that fails is tried again.
    pub async fn run(mut self) {
        let mut retry = FIRST_RETRY;
        let mut place = None;
        loop {
            match self.step(&mut place).await {
                Ok(Step::Delivered(count)) => {
                    retry = FIRST_RETRY;
                    self.status.send_modify(|status| {
                        status.delivered += count;
                        status.error = None;
                    });
                }
                Ok(Step::Idle) => sleep(PAUSE).await,
                Ok(Step::Elsewhere) => sleep(TAKEOVER).await,
                Err(error) => {
                    self.status.send_if_modified(|status| {
                        let is_new = status.error.as_ref() != Some(&error);
                        status.error = Some(error);
                        is_new
                    });
                    sleep(retry).await;
                    retry = (retry * 2).min(LONGEST_RETRY);
                }
            }
        }
    }

    /// Forwards the events that wait, and returns their number; none if another process forwards.
    ///
    /// # Errors
    /// When a delivery fails.
    pub async fn drain(&mut self) -> Result<Option<u64>, SinkError> {
        let mut place = None;
        let mut delivered = 0;
        loop {
            match self.step(&mut place).await? {
                Step::Delivered(count) => delivered += count,
                Step::Idle => return Ok(Some(delivered)),
                Step::Elsewhere => return Ok(None),
            }
        }
    }

    async fn step(&mut self, place: &mut Option<Place>) -> Result<Step, SinkError> {
        let current = match place.take() {
            Some(place) => place,
            None => match self.begin()? {
                Some(place) => place,
                None => return Ok(Step::Elsewhere),
            },
        };
        let (mut current, mut events) = read(current).await?;
        if current.is_new && events.first().is_some_and(|event| !current.precedes(event)) {
            // It is another audit, or was changed: the sink receives all of it.
            current.restart(&self.audit)?;
            (current, events) = read(current).await?;
        }
        let Some((first, last)) = events.first().zip(events.last()) else {
            *place = Some(current);
            return Ok(Step::Idle);
        };
        if current.cursor.instance.is_empty() {
            current.cursor.instance = key_of(first);
        }
        let delivery = self.sink.deliver(&current.cursor.instance, &events);
        let delivered = timeout(DELIVERY_LIMIT, delivery).await;
        let delivered = delivered.unwrap_or_else(|_| {
            let seconds = DELIVERY_LIMIT.as_secs();
            Err(SinkError(format!("it does not answer within {seconds} s")))
        });
        if let Err(error) = delivered {
            // No other process forwards meanwhile.
            current.tail = Tail::after(&self.audit, current.cursor.seq);
            *place = Some(current);
            return Err(error);
        }
        current.is_new = false;
        current.cursor.seq = last.seq;
        current.cursor.hash = last.hash.to_string();
        current.file.write(&current.cursor).map_err(cursor_fault)?;
        *place = Some(current);
        Ok(Step::Delivered(events.len() as u64))
    }

    /// Begins after the cursor. None if another process forwards.
    fn begin(&self) -> Result<Option<Place>, SinkError> {
        let file = CursorFile::lock(&self.audit, &self.name).map_err(cursor_fault)?;
        let Some(mut file) = file else {
            return Ok(None);
        };
        let known = Cursor::read(&self.audit, &self.name).map_err(cursor_fault)?;
        let is_same = known.destination == self.destination
            && known.seq <= last_event(&self.audit).map_err(cursor_fault)?
            && self
                .instance
                .as_ref()
                .is_none_or(|name| *name == known.instance);
        let cursor = if is_same {
            known
        } else {
            let cursor = Cursor {
                destination: self.destination.clone(),
                instance: self.instance.clone().unwrap_or_default(),
                ..Cursor::default()
            };
            file.write(&cursor).map_err(cursor_fault)?;
            cursor
        };
        let tail = Tail::after(&self.audit, cursor.seq);
        Ok(Some(Place {
            file,
            cursor,
            tail,
            is_new: true,
        }))
    }
}

/// What one step has done.
enum Step {
    /// So many events were delivered.
    Delivered(u64),
    /// No event waits.
    Idle,
    /// Another process forwards.
    Elsewhere,
}

/// Reads the next events. A segment may have to be searched for them.
async fn read(mut place: Place) -> Result<(Place, Vec<TailEvent>), SinkError> {
    let reading = spawn_blocking(move || {
        let events = place.tail.next(BATCH);
        events.map(|events| (place, events))
    });
    let read = reading
        .await
        .map_err(|error| SinkError(error.to_string()))?;
    read.map_err(|error| SinkError(format!("cannot read the audit: {error}")))
}

/// Returns the id of the key that wrote an event.
fn key_of(event: &TailEvent) -> String {
    let sealed = line::parse(event.line.as_bytes());
    sealed.map_or_else(String::new, |sealed| sealed.key.to_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn cursor_fault(error: io::Error) -> SinkError {
    SinkError(format!("cannot use the cursor of the sink: {error}"))
}

impl fmt::Debug for Forwarder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forwarder")
            .field("audit", &self.audit)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
