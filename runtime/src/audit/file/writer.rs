//! Appends events: locks the file, continues the chain, and closes full files.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use jiff::Timestamp;
use toolwright_audit::{
    AuditKey, Hash, Head, Statement, line,
    segment::{closed, key_path, plain_path},
};

use super::{
    AuditOptions,
    head_file::HeadFile,
    key_file::KeyFile,
    lock::Lock,
    log::{FileState, Log},
    packing::Packing,
    recovery, statements,
    sync::{Syncer, sync_folder},
};
use crate::{
    audit::{AuditEvent, DigestKey, Gap, ReopenReason, Reopened},
    private,
};

/// The number of times the file is opened again if other processes keep replacing it.
const ATTEMPTS: u32 = 256;

/// This process's view of the files.
pub(super) struct Writer {
    path: PathBuf,
    options: AuditOptions,
    syncer: Arc<Syncer>,
    log: Option<Log>,
    key: Option<KeyFile>,
    head_file: Option<HeadFile>,
    /// The end of the chain, as this process last wrote or read it.
    head: Option<Head>,
    /// True if this process has written events after the last checkpoint.
    unsigned: bool,
    pub(super) found: Found,
    /// What became of the file that was open before, until it is known whether another process closed it.
    gone: Option<Reopened>,
    packing: Packing,
}

/// What was found in the file, and is not recorded yet.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) reopened: Vec<Reopened>,
    pub(super) torn_lines: u64,
}

impl Found {
    /// Notes a change from outside, unless one is known already.
    pub(super) fn note(&mut self, reason: ReopenReason, bytes: Option<u64>) {
        if self.reopened.is_empty() {
            self.reopened.push(Reopened { reason, bytes });
        }
    }
}

impl Writer {
    pub(super) fn new(path: PathBuf, options: AuditOptions, syncer: Arc<Syncer>) -> Self {
        Self {
            path,
            options,
            syncer,
            log: None,
            key: None,
            head_file: None,
            head: None,
            unsigned: false,
            found: Found::default(),
            gone: None,
            packing: Packing::default(),
        }
    }

    pub(super) fn set_options(&mut self, options: AuditOptions) {
        self.options = options;
    }

    fn key_path(&self) -> PathBuf {
        self.options
            .key
            .clone()
            .unwrap_or_else(|| key_path(&self.path))
    }

    /// Appends an event, and returns its ticket for the disk.
    pub(super) fn append(&mut self, time: Timestamp, event: &str) -> io::Result<u64> {
        let (mut log, mut lock) = self.lock()?;
        let mut loaded = self.load(&mut log);
        if matches!(&loaded, Ok(head) if self.is_due(&log, head)) {
            (log, lock) = self.rotate(log, lock)?;
            loaded = self.load(&mut log);
        }
        let appended = loaded.and_then(|head| self.append_to(&mut log, head, time, event));
        let folder = log.take_folder();
        let ticket = self.syncer.written(log.file(), folder);
        self.log = Some(log);
        drop(lock);
        appended.map(|()| ticket)
    }

    /// Appends an event after the head. If that fails, what is on the disk is read again before the
    /// next event.
    fn append_to(
        &mut self,
        log: &mut Log,
        mut head: Head,
        time: Timestamp,
        event: &str,
    ) -> io::Result<()> {
        let key = self.lines_key()?;
        let known = self.head.take();
        let mut text = Vec::with_capacity(event.len() + 256);
        for encoded in self.found.encode(time)? {
            push(&mut text, &key, &mut head, &encoded);
        }
        push(&mut text, &key, &mut head, event);
        let length = text.len() as u64;
        if let Err(error) = log.append(text) {
            self.head = known;
            return Err(error);
        }
        self.found = Found::default();
        self.unsigned = true;
        head.end += length;
        if self.is_checkpoint_due(&head) {
            self.sign(&mut head, &key);
        }
        self.write_head(&head, &key)?;
        self.head = Some(head);
        self.mark_used()
    }

    /// Notes in the file of the key that an event was recorded.
    fn mark_used(&mut self) -> io::Result<()> {
        if self.key.as_ref().is_none_or(|key| key.is_used) {
            return Ok(());
        }
        let path = self.key_path();
        self.key.as_mut().map_or(Ok(()), |key| key.mark_used(&path))
    }

    fn lines_key(&self) -> io::Result<Arc<AuditKey>> {
        let key = self.key.as_ref().map(|key| Arc::clone(&key.lines));
        key.ok_or_else(|| KeyFile::absent(&self.key_path()))
    }

    fn write_head(&mut self, head: &Head, key: &AuditKey) -> io::Result<()> {
        let file = match self.head_file.take() {
            Some(file) => file,
            None => HeadFile::open(&self.path)?,
        };
        self.head_file.insert(file).write(head, key)
    }

    /// Returns the end of the chain on the disk, and forgets a head file that is not in its place.
    fn load(&mut self, log: &mut Log) -> io::Result<Head> {
        self.head_file = self.head_file.take().filter(HeadFile::is_in_place);
        if let Some(head) = &self.head
            && head.end == log.length()
            && log.ends_with_ours()
            && self.head_file.is_some()
        {
            return Ok(*head);
        }
        let key = self.key_for(log)?;
        let known = self.head;
        let mut head = recovery::head(&self.path, log, &key, known, &mut self.found)?;
        if self.key.as_ref().is_some_and(|key| key.is_used) && head.seq == 0 {
            self.found.note(ReopenReason::Missing, None);
        }
        if head.seq == 0 && log.is_empty() {
            // A process that is killed between its first event and the head leaves a head before it.
            self.write_head(&head, &key)?;
        }
        recovery::reconcile(log, &key, &mut head, &mut self.found)?;
        Ok(head)
    }

    /// Returns the key for the lines, and creates it if the audit is empty.
    fn key_for(&mut self, log: &Log) -> io::Result<Arc<AuditKey>> {
        let path = self.key_path();
        let is_current = match &self.key {
            Some(known) => known.is_current(&path)?,
            None => false,
        };
        if !is_current {
            let key = match KeyFile::read(&path)? {
                Some(key) => key,
                None if log.is_empty() && closed(&self.path)?.is_empty() => KeyFile::create(&path)?,
                None => return Err(KeyFile::absent(&path)),
            };
            self.key = Some(key);
        }
        self.lines_key()
    }

    /// Returns the key that is in the file now.
    pub(super) fn digest_key(&mut self) -> io::Result<DigestKey> {
        if let Some(known) = &self.key
            && known.is_current(&self.key_path())?
        {
            return Ok(known.key.clone());
        }
        let (log, lock) = self.lock()?;
        let key = self.key_for(&log);
        self.log = Some(log);
        drop(lock);
        key?;
        match &self.key {
            Some(known) => Ok(known.key.clone()),
            None => Err(KeyFile::absent(&self.key_path())),
        }
    }

    /// Takes the file that the path names now, opened and locked. What has become of the one that
    /// was open before is noted, to be recorded with the next event.
    fn lock(&mut self) -> io::Result<(Log, Lock)> {
        for _ in 0..ATTEMPTS {
            let mut log = match self.log.take() {
                Some(log) => log,
                None => Log::open(&self.path)?,
            };
            let compared = Lock::acquire(log.file())
                .and_then(|lock| log.compare(&self.path).map(|standing| (lock, standing)));
            match compared {
                Ok((lock, FileState::Same)) => {
                    self.judge_gone()?;
                    return Ok((log, lock));
                }
                Ok((lock, FileState::Changed(reopened))) => {
                    self.found.note(reopened.reason, reopened.bytes);
                    return Ok((log, lock));
                }
                Ok((_, FileState::Gone(reopened))) => self.gone = self.gone.take().or(reopened),
                Err(error) => {
                    self.log = Some(log);
                    return Err(error);
                }
            }
        }
        Err(io::Error::other("other processes keep replacing it"))
    }

    /// Notes what became of the file that was open before, unless another process has closed it. The current
    /// file must be locked: the others write the head under its lock.
    fn judge_gone(&mut self) -> io::Result<()> {
        let Some(gone) = &self.gone else {
            return Ok(());
        };
        if !self.is_rotation()? {
            self.found.note(gone.reason, gone.bytes);
        }
        self.gone = None;
        Ok(())
    }

    /// Checks whether another process has closed the file that this one wrote to.
    fn is_rotation(&self) -> io::Result<bool> {
        let (Some(key), Some(known)) = (&self.key, &self.head) else {
            return Ok(false);
        };
        let head = HeadFile::read(&self.path, &key.lines)?;
        Ok(head.is_some_and(|head| head.segment > known.segment && head.seq >= known.seq))
    }

    /// Checks whether the file is to be closed before the next event.
    fn is_due(&self, log: &Log, head: &Head) -> bool {
        let age = Timestamp::now().as_second().saturating_sub(head.opened);
        let is_old = is_over(age, self.options.segment_age);
        let is_large = log.length() >= self.options.segment_bytes;
        (is_large || is_old) && !log.is_empty() && self.found.reopened.is_empty()
    }

    /// Closes the file, and returns the next one, locked.
    fn rotate(&mut self, mut log: Log, lock: Lock) -> io::Result<(Log, Lock)> {
        let rotated = self.close(&mut log);
        drop(lock);
        if rotated.is_err() {
            self.log = Some(log);
            self.head = None;
        }
        rotated?;
        let next = self.lock()?;
        let key = self.lines_key()?;
        self.packing.start(&self.path, &key, &self.options);
        Ok(next)
    }

    fn close(&mut self, log: &mut Log) -> io::Result<()> {
        let mut head = self.load(log)?;
        let key = self.lines_key()?;
        let target = plain_path(&self.path, head.segment);
        if target.exists() {
            let target = target.display();
            let message = format!("cannot close the file: `{target}` exists; move it away");
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
        self.sign(&mut head, &key);
        log.file().sync_data()?;
        self.syncer.all_synced();
        let next = Head {
            segment: head.segment + 1,
            end: 0,
            opened: Timestamp::now().as_second(),
            ..head
        };
        // The head comes first: other processes must know the new file as soon as it has the name.
        self.write_head(&next, &key)?;
        if let Err(error) = fs::rename(&self.path, target) {
            self.write_head(&head, &key)?;
            return Err(error);
        }
        self.head = Some(next);
        sync_folder(&private::parent(&self.path).to_owned())
    }

    fn is_checkpoint_due(&self, head: &Head) -> bool {
        let age = Timestamp::now()
            .as_second()
            .saturating_sub(head.checkpoint_time);
        head.seq - head.checkpoint_seq >= self.options.checkpoint_events
            || is_over(age, self.options.checkpoint_age)
    }

    /// Signs a checkpoint. If that fails, the next event tries again.
    fn sign(&mut self, head: &mut Head, key: &AuditKey) {
        if head.seq == head.checkpoint_seq {
            return;
        }
        let (seq, hash) = (head.seq, head.hash);
        let statement = Statement::Checkpoint { seq, hash };
        if let Ok(number) = statements::append(&self.path, key, statement) {
            head.statement = number;
            head.checkpoint_seq = seq;
            head.checkpoint_time = Timestamp::now().as_second();
            self.unsigned = false;
        }
    }

    /// Signs a checkpoint if this process has written events after the last one.
    fn finish(&mut self) -> io::Result<()> {
        if !self.unsigned || !self.path.exists() {
            return Ok(());
        }
        let (mut log, lock) = self.lock()?;
        // What was changed from outside is left for the next event.
        if self.found.reopened.is_empty() {
            let mut head = self.load(&mut log)?;
            let key = self.lines_key()?;
            self.sign(&mut head, &key);
            self.write_head(&head, &key)?;
        }
        drop(lock);
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without the checkpoint, the head still states the end.
        let _ = self.finish();
        self.packing.finish();
    }
}

/// Appends an event to lines.
fn push(text: &mut Vec<u8>, key: &AuditKey, head: &mut Head, event: &str) {
    let hash: Hash = line::seal(text, key, head.seq + 1, &head.hash, event);
    text.push(b'\n');
    head.seq += 1;
    head.hash = hash;
}

impl Found {
    /// Returns the events about what was found, encoded.
    fn encode(&self, time: Timestamp) -> io::Result<Vec<String>> {
        let mut events = Vec::new();
        if self.torn_lines > 0 {
            let gap = Gap {
                torn_lines: self.torn_lines,
                ..Gap::default()
            };
            events.push(AuditEvent::audit_gap(time, gap));
        }
        let reopened = self.reopened.iter();
        events.extend(reopened.map(|reopened| AuditEvent::audit_reopened(time, *reopened)));
        let encoded = events.iter().map(serde_json::to_string);
        encoded.collect::<Result<_, _>>().map_err(io::Error::from)
    }
}

fn is_over(seconds: i64, limit: Duration) -> bool {
    u64::try_from(seconds).is_ok_and(|seconds| seconds >= limit.as_secs().max(1))
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: &Path = &self.path;
        f.debug_struct("Writer")
            .field("path", &path)
            .finish_non_exhaustive()
    }
}
