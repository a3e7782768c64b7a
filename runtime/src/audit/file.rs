//! The audit in a file, one line of JSON per event.

mod key_file;
mod lock;
mod log;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use key_file::KeyFile;
use lock::Lock;
use log::{FileState, Log};

use toolwright_model::words;

use super::{AuditError, AuditEvent, AuditSink, DigestKey, Gap, ReopenReason, Reopened};

/// The number of times the file is opened again if other processes keep replacing it.
const ATTEMPTS: u32 = 8;

/// An audit file: events are appended, one line of JSON each.
///
/// The file, its folder and the key next to it (`<file>.key`) are created with the first event.
/// All three must belong to this user, or to root; other users must not be able to read or change
/// the files, or to change the folder. A symbolic link, a device or a pipe is refused.
///
/// Several processes may append to one file: each line is written under an advisory lock of the
/// file. Before each line the file is compared with the path. If it was renamed, as rotation
/// does, deleted, replaced, shortened or overwritten, an event records it in the file that the path
/// names now. A line that another process left incomplete is closed first.
#[derive(Debug)]
pub struct AuditFile {
    path: PathBuf,
    sync: AuditSync,
    state: Mutex<OpenFiles>,
}

words! {
    /// The events that are on the disk before the call goes on.
    #[derive(Default)]
    AuditSync {
        /// None: the operating system writes them when it likes. A loss of power loses the last
        /// ones.
        Never = "never",
        /// Those that precede a change: an allowed call of a tool that is neither `observe` nor
        /// `report`, and a person's decision, with all events before them.
        #[default]
        Changes = "changes",
        /// All events.
        All = "all",
    }
}

/// This process's view of the files.
#[derive(Debug, Default)]
struct OpenFiles {
    log: Option<Log>,
    key: Option<KeyFile>,
    /// Changes of the file that are not recorded yet.
    unrecorded: Vec<Reopened>,
}

impl AuditFile {
    /// Events go to this file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            sync: AuditSync::default(),
            state: Mutex::default(),
        }
    }

    /// The same file, with this choice of the events that wait for the disk.
    #[must_use]
    pub const fn sync(mut self, sync: AuditSync) -> Self {
        self.sync = sync;
        self
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn waits_for_disk(&self, event: &AuditEvent) -> bool {
        match self.sync {
            AuditSync::Never => false,
            AuditSync::Changes => event.precedes_change(),
            AuditSync::All => true,
        }
    }

    fn failed(&self, error: &dyn fmt::Display) -> AuditError {
        AuditError(format!("{}: {error}", self.path.display()))
    }
}

impl AuditSink for AuditFile {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = state.append(&self.path, event, self.waits_for_disk(event));
        recorded.map_err(|error| self.failed(&error))
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = state.digest_key(&self.path);
        key.map_err(|error| self.failed(&error))
    }
}

impl OpenFiles {
    fn append(&mut self, path: &Path, event: &AuditEvent, sync: bool) -> io::Result<()> {
        let (mut log, lock) = self.lock(path)?;
        let appended = self.append_to(&mut log, path, event, sync);
        self.log = Some(log);
        drop(lock);
        appended
    }

    fn append_to(
        &mut self,
        log: &mut Log,
        path: &Path,
        event: &AuditEvent,
        sync: bool,
    ) -> io::Result<()> {
        if log.is_empty() {
            self.begin(path)?;
        }
        let text = self.text(event, log.is_torn()?)?;
        log.append(text, sync)?;
        self.unrecorded.clear();
        match &mut self.key {
            Some(key) if !key.is_used => key.mark_used(path),
            _ => Ok(()),
        }
    }

    /// Prepares an empty file: it has a key, and if that was used, events are missing.
    fn begin(&mut self, path: &Path) -> io::Result<()> {
        let key = match KeyFile::read(path)? {
            Some(key) => key,
            None => KeyFile::create(path)?,
        };
        if key.is_used && self.unrecorded.is_empty() {
            self.unrecorded.push(Reopened {
                reason: ReopenReason::Missing,
                bytes: None,
            });
        }
        self.key = Some(key);
        Ok(())
    }

    /// Returns the lines of an event, after the lines about changes of the file.
    fn text(&self, event: &AuditEvent, is_torn: bool) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        if is_torn {
            text.push(b'\n');
            let gap = Gap {
                torn_lines: 1,
                ..Gap::default()
            };
            write_line(&AuditEvent::audit_gap(event.time, gap), &mut text)?;
        }
        for reopened in &self.unrecorded {
            write_line(
                &AuditEvent::audit_reopened(event.time, *reopened),
                &mut text,
            )?;
        }
        write_line(event, &mut text)?;
        Ok(text)
    }

    /// Returns the key that is in the file now.
    fn digest_key(&mut self, path: &Path) -> io::Result<DigestKey> {
        if let Some(known) = &self.key
            && known.is_current(path)?
        {
            return Ok(known.key.clone());
        }
        let (log, lock) = self.lock(path)?;
        let is_empty = log.is_empty();
        self.log = Some(log);
        let key = match KeyFile::read(path)? {
            Some(key) => key,
            None if is_empty => KeyFile::create(path)?,
            None => return Err(KeyFile::absent(path)),
        };
        drop(lock);
        Ok(self.key.insert(key).key.clone())
    }

    /// Takes the file that the path names now, opened and locked. What has become of the one that
    /// was open before is noted, to be recorded with the next event.
    fn lock(&mut self, path: &Path) -> io::Result<(Log, Lock)> {
        for _ in 0..ATTEMPTS {
            let mut log = match self.log.take() {
                Some(log) => log,
                None => Log::open(path)?,
            };
            let compared = Lock::acquire(log.file())
                .and_then(|lock| log.compare(path).map(|standing| (lock, standing)));
            match compared {
                Ok((lock, FileState::Same)) => return Ok((log, lock)),
                Ok((lock, FileState::Changed(reopened))) => {
                    self.unrecorded.push(reopened);
                    return Ok((log, lock));
                }
                Ok((_, FileState::Gone(reopened))) => self.unrecorded.extend(reopened),
                Err(error) => {
                    self.log = Some(log);
                    return Err(error);
                }
            }
        }
        Err(io::Error::other("other processes keep replacing it"))
    }
}

fn write_line(event: &AuditEvent, text: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer(&mut *text, event)?;
    text.push(b'\n');
    Ok(())
}
