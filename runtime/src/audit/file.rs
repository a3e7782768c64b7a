//! The audit in a file: one line of JSON per event, chained, in segments.

mod head_file;
mod key_file;
mod lock;
mod log;
mod packing;
mod recovery;
mod statements;
mod sync;
mod writer;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sync::Syncer;
use toolwright_audit::{Cursor, last_event};
use toolwright_model::words;
use writer::Writer;

use super::{AuditError, AuditEvent, AuditSink, DigestKey, Pending, What};

/// An audit file: events are appended, one line of JSON each.
///
/// The file, its folder, the key (`<file>.key`), the head (`<file>.head`) and the signed statements
/// (`<file>.statements`) are created with the first event. All must belong to this user, or to root;
/// other users must not be able to read or change the files, or to change the folder. A symbolic
/// link, a device or a pipe is refused.
///
/// Several processes may append to one file: each line is written under an advisory lock of the
/// file. Before each line the file is compared with the path. If it was renamed, deleted, replaced,
/// shortened or overwritten, an event records it in the file that the path names now. A last line
/// that a killed process left incomplete is cut off, and an event records it.
///
/// A full file is closed: it becomes a segment next to it, and is compressed on another thread.
#[derive(Debug)]
pub struct AuditFile {
    path: PathBuf,
    mode: AuditMode,
    spools: Vec<Spool>,
    syncer: Arc<Syncer>,
    writer: Mutex<Writer>,
}

words! {
    /// The events that are on the disk before the call goes on.
    #[derive(Default)]
    AuditMode {
        /// None: they are handed to the operating system, which survives the end of the process. A
        /// loss of power loses the last ones.
        Buffered = "buffered",
        /// Those that precede a change: an allowed call of a tool that changes state, and a person's
        /// decision, with all events before them.
        #[default]
        Changes = "changes",
        /// All but outcomes, which are written to the disk at once but not waited for.
        Durable = "durable",
    }
}

/// The settings of an audit file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditOptions {
    /// The events that are on the disk before the call goes on.
    pub mode: AuditMode,
    /// The file of the key. By default it is next to the audit.
    pub key: Option<PathBuf>,
    /// The length after which a file is closed, in bytes.
    pub segment_bytes: u64,
    /// The time after which a file is closed.
    pub segment_age: Duration,
    /// The time for which closed segments are kept; forever if it is not set.
    pub keep: Option<Duration>,
    /// The number of events after which a checkpoint is signed.
    pub checkpoint_events: u64,
    /// The time after which the next event is followed by a checkpoint.
    pub checkpoint_age: Duration,
    /// The sinks that receive the events of the file.
    pub spools: Vec<Spool>,
}

/// The events of an audit file that wait for a sink. They are spooled in the file itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spool {
    /// The name of the sink, in the name of its [`Cursor`].
    pub sink: String,
    /// The number of waiting events from which calls that change something are refused.
    pub most_waiting: u64,
}

impl Spool {
    /// The spool of a sink.
    pub fn new(sink: impl Into<String>, most_waiting: u64) -> Self {
        Self {
            sink: sink.into(),
            most_waiting,
        }
    }

    /// Returns the number of events of an audit that wait for the sink.
    ///
    /// # Errors
    /// When the cursor or the head of the audit cannot be read.
    pub fn waiting(&self, audit: &Path) -> io::Result<u64> {
        let cursor = Cursor::read(audit, &self.sink)?;
        Ok(last_event(audit)?.saturating_sub(cursor.seq))
    }

    /// Checks whether calls that change something are refused while so many events wait.
    #[must_use]
    pub const fn stops_changes(&self, waiting: u64) -> bool {
        waiting >= self.most_waiting
    }

    /// Returns why calls that change something must not pass.
    fn overdue(&self, audit: &Path) -> Option<String> {
        let sink = &self.sink;
        match self.waiting(audit) {
            Ok(waiting) if !self.stops_changes(waiting) => None,
            Ok(waiting) => Some(format!("{waiting} events wait for the sink `{sink}`")),
            Err(error) => Some(format!(
                "cannot count the events that wait for the sink `{sink}`: {error}"
            )),
        }
    }
}

impl Default for AuditOptions {
    fn default() -> Self {
        Self {
            mode: AuditMode::default(),
            key: None,
            segment_bytes: 64 << 20,
            segment_age: Duration::from_hours(24 * 7),
            keep: None,
            checkpoint_events: 256,
            checkpoint_age: Duration::from_secs(60),
            spools: Vec::new(),
        }
    }
}

impl AuditFile {
    /// Events go to this file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let syncer = Arc::new(Syncer::default());
        Self {
            writer: Mutex::new(Writer::new(
                path.clone(),
                AuditOptions::default(),
                Arc::clone(&syncer),
            )),
            path,
            mode: AuditMode::default(),
            spools: Vec::new(),
            syncer,
        }
    }

    /// The same file with these settings.
    #[must_use]
    pub fn options(mut self, options: AuditOptions) -> Self {
        self.mode = options.mode;
        self.spools.clone_from(&options.spools);
        self.writer_mut().set_options(options);
        self
    }

    /// The same file, with this choice of the events that wait for the disk.
    #[must_use]
    pub const fn mode(mut self, mode: AuditMode) -> Self {
        self.mode = mode;
        self
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn writer_mut(&mut self) -> &mut Writer {
        self.writer
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn waits_for_disk(&self, event: &AuditEvent) -> bool {
        match self.mode {
            AuditMode::Buffered => false,
            AuditMode::Changes => event.precedes_change(),
            AuditMode::Durable => !matches!(event.what, What::Outcome(_)),
        }
    }

    /// Writes an event, and returns its ticket for the disk if it waits for it.
    fn write(&self, event: &AuditEvent) -> Result<Option<u64>, AuditError> {
        let encoded = serde_json::to_string(event).map_err(|error| self.failed(&error))?;
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writer.append(event.time, &encoded);
        let ticket = written.map_err(|error| self.failed(&error))?;
        drop(writer);
        if self.waits_for_disk(event) {
            return Ok(Some(ticket));
        }
        if self.mode == AuditMode::Durable {
            self.syncer.begin();
        }
        Ok(None)
    }

    fn failed(&self, error: &dyn fmt::Display) -> AuditError {
        AuditError(format!("{}: {error}", self.path.display()))
    }
}

impl AuditSink for AuditFile {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        match self.write(event)? {
            Some(ticket) => {
                let synced = self.syncer.wait(ticket);
                synced.map_err(|reason| self.failed(&reason))
            }
            None => Ok(()),
        }
    }

    fn record_soon(&self, event: &AuditEvent) -> Result<Pending, AuditError> {
        let Some(ticket) = self.write(event)? else {
            return Ok(Pending::Recorded);
        };
        if tokio::runtime::Handle::try_current().is_err() {
            let synced = self.syncer.wait(ticket);
            return synced
                .map(|()| Pending::Recorded)
                .map_err(|reason| self.failed(&reason));
        }
        let (syncer, path) = (Arc::clone(&self.syncer), self.path.clone());
        Ok(Pending::Waiting(Box::pin(async move {
            let synced = syncer.wait_async(ticket).await;
            synced.map_err(|reason| AuditError(format!("{}: {reason}", path.display())))
        })))
    }

    fn backlog(&self) -> Option<String> {
        let mut spools = self.spools.iter();
        spools.find_map(|spool| spool.overdue(&self.path))
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.digest_key().map_err(|error| self.failed(&error))
    }
}
