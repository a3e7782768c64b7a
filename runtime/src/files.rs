//! The store of files: answers that are too large for a model, and files that are uploaded.
//!
//! A file has a random handle. It resolves only for the role, the run and the person that own the
//! file: an unknown handle, the handle of another owner and an expired one look the same. The store
//! is a private folder. A file appears in it complete or not at all, it never changes, and each read
//! of it is compared with its digest. Expired files are removed when the store is opened and when a
//! file is added.

mod destination;
mod error;
mod handle;
mod record;
mod stored;
mod usage;
mod writer;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

pub use destination::AnswerWriter;
pub use error::FileError;
pub use handle::{FileHandle, NotAHandle};
use jiff::Timestamp;
pub use record::{FileFacts, FileOwner, FileRecord};
pub(crate) use record::{NewFile, media_type_of, plain_name};
pub use stored::StoredFile;
use toolwright_model::Role;
pub use usage::FileUsage;
pub(crate) use writer::{FileWriter, Measured};

use crate::private::{self, Links};

/// The most files of one role.
const MOST_FILES: usize = 1_000;

/// The longest record, in bytes.
const LONGEST_RECORD: u64 = 16 * 1024;

/// The file that a process locks while it adds or removes files.
const LOCK: &str = "lock";

/// The limits of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// The largest file in bytes. One gibibyte by default.
    pub file_bytes: u64,
    /// The bytes of all files of one role. Four gibibytes by default.
    pub quota_bytes: u64,
    /// The time after which a file expires. A day by default.
    pub lifetime: Duration,
    /// The time that the transfer of a file may take. An hour by default.
    pub transfer: Duration,
    /// The size from which on an answer is cut for an agent that may read the rest, in bytes of JSON. By
    /// default answers are never cut.
    pub cut: Option<u64>,
}

/// A private folder of files with handles. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct FileStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    limits: FileLimits,
    /// The bytes of each role's files that are being written.
    pending: Mutex<BTreeMap<Role, u64>>,
}

/// A file of the folder, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Record,
    Content,
    /// A file that is being written, or that a process left behind.
    Partial,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self {
            file_bytes: 1 << 30,
            quota_bytes: 4 << 30,
            lifetime: Duration::from_secs(24 * 60 * 60),
            transfer: Duration::from_secs(60 * 60),
            cut: None,
        }
    }
}

impl FileStore {
    /// Uses a folder as a store. The folder is created when the first file is added.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, limits: FileLimits) -> Self {
        let shared = Shared {
            folder: folder.into(),
            limits,
            pending: Mutex::default(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Returns the limits of the files.
    #[must_use]
    pub fn limits(&self) -> FileLimits {
        self.shared.limits
    }

    /// Removes the expired files, and what an interrupted process left behind. Nothing happens if
    /// the folder does not exist.
    ///
    /// # Errors
    /// [`FileError::Failed`] if the folder cannot be used.
    pub fn sweep(&self, now: Timestamp) -> Result<(), FileError> {
        if !self.shared.folder.exists() {
            return Ok(());
        }
        self.locked(|| self.remove_expired(now))
    }

    /// Begins a file.
    pub(crate) fn begin(&self, owner: &FileOwner, now: Timestamp) -> Result<FileWriter, FileError> {
        private::create_folder(self.folder())?;
        let used = self.locked(|| {
            self.remove_expired(now)?;
            self.used_by(&owner.role)
        })?;
        self.check_quota(used, 0)?;
        FileWriter::create(self, owner, used)
    }

    /// Adds the content of a reader.
    pub(crate) fn add(
        &self,
        owner: &FileOwner,
        new: NewFile,
        content: &mut dyn Read,
        now: Timestamp,
    ) -> Result<FileRecord, FileError> {
        let mut writer = self.begin(owner, now)?;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = content.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            writer.write(buffer.get(..read).unwrap_or_default())?;
        }
        writer.finish(new, now)
    }

    /// Opens a file of an owner.
    pub(crate) fn open(
        &self,
        handle: &FileHandle,
        owner: &FileOwner,
        now: Timestamp,
    ) -> Result<StoredFile, FileError> {
        let record = self.record(handle, owner, now)?;
        let path = self.content_path(handle);
        let opened = private::open(&path, Links::Refuse);
        let file = opened.map_err(|_| FileError::NotFound)?;
        if file.metadata()?.len() != record.size {
            return Err(FileError::Changed);
        }
        Ok(StoredFile::new(record, file))
    }

    /// Returns the record of a file of an owner.
    pub(crate) fn record(
        &self,
        handle: &FileHandle,
        owner: &FileOwner,
        now: Timestamp,
    ) -> Result<FileRecord, FileError> {
        let record = self.read_record(&self.record_path(handle));
        let record = record.filter(|record| record.handle == *handle && record.owner == *owner);
        let record = record.ok_or(FileError::NotFound)?;
        if record.expires <= now {
            let _ = self.locked(|| self.remove(handle));
            return Err(FileError::NotFound);
        }
        Ok(record)
    }

    /// Returns the files of an owner, the oldest first.
    pub(crate) fn list(
        &self,
        owner: &FileOwner,
        now: Timestamp,
    ) -> Result<Vec<FileRecord>, FileError> {
        let mut records = self.records()?;
        records.retain(|record| record.owner == *owner && record.expires > now);
        records.sort_by_key(|record| (record.created, record.handle.to_string()));
        Ok(records)
    }

    /// Removes a file of an owner.
    pub(crate) fn discard(
        &self,
        handle: &FileHandle,
        owner: &FileOwner,
        now: Timestamp,
    ) -> Result<(), FileError> {
        self.record(handle, owner, now)?;
        self.locked(|| self.remove(handle))
    }

    fn folder(&self) -> &Path {
        &self.shared.folder
    }

    fn content_path(&self, handle: &FileHandle) -> PathBuf {
        self.folder().join(format!("{}.data", handle.digits()))
    }

    fn record_path(&self, handle: &FileHandle) -> PathBuf {
        self.folder().join(format!("{}.json", handle.digits()))
    }

    fn read_record(&self, path: &Path) -> Option<FileRecord> {
        let text = private::read(path, Links::Refuse, LONGEST_RECORD).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Returns the files of the folder that this store made, in order.
    fn entries(&self) -> Result<Vec<(Entry, PathBuf)>, FileError> {
        let folder = match fs::read_dir(self.folder()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            folder => folder?,
        };
        let mut entries = Vec::new();
        for entry in folder {
            let entry = entry?;
            let kind = entry.file_name().to_str().and_then(Entry::of_name);
            entries.extend(kind.map(|kind| (kind, entry.path())));
        }
        entries.sort_by(|(_, a), (_, b)| a.cmp(b));
        Ok(entries)
    }

    fn records(&self) -> Result<Vec<FileRecord>, FileError> {
        let entries = self.entries()?.into_iter();
        let records = entries.filter(|(kind, _)| *kind == Entry::Record);
        Ok(records
            .filter_map(|(_, path)| self.read_record(&path))
            .collect())
    }

    /// Returns the bytes of a role's files. It has no room for another one if they are too many.
    fn used_by(&self, role: &Role) -> Result<u64, FileError> {
        let records = self.records()?.into_iter();
        let sizes: Vec<u64> = records
            .filter(|record| record.owner.role == *role)
            .map(|record| record.size)
            .collect();
        if sizes.len() >= MOST_FILES {
            return Err(FileError::TooMany { most: MOST_FILES });
        }
        Ok(sizes.iter().sum())
    }

    fn check_quota(&self, used: u64, more: u64) -> Result<(), FileError> {
        let quota = self.shared.limits.quota_bytes;
        if used.saturating_add(more) > quota || (more == 0 && used >= quota) {
            return Err(FileError::QuotaExceeded { quota, used });
        }
        Ok(())
    }

    /// Removes expired files, files without a record, and those whose writer has gone.
    fn remove_expired(&self, now: Timestamp) -> Result<(), FileError> {
        for (kind, path) in self.entries()? {
            let is_stale = match kind {
                Entry::Record => match self.read_record(&path) {
                    Some(record) if record.expires > now => false,
                    Some(record) => {
                        self.remove(&record.handle)?;
                        false
                    }
                    None => true,
                },
                Entry::Content => !path.with_extension("json").exists(),
                Entry::Partial => !is_locked(&path),
            };
            if is_stale {
                remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Removes the record first: a file without one is never served.
    fn remove(&self, handle: &FileHandle) -> Result<(), FileError> {
        remove_file(&self.record_path(handle))?;
        remove_file(&self.content_path(handle))
    }

    /// Does something while no other process and no other thread adds or removes files.
    fn locked<T>(&self, work: impl FnOnce() -> Result<T, FileError>) -> Result<T, FileError> {
        private::check_folder(self.folder())?;
        let lock = private::append(&self.folder().join(LOCK))?;
        lock.lock()?;
        let done = work();
        drop(lock);
        done
    }

    /// Counts bytes that are being written for a role. Returns all of that role.
    fn count_pending(&self, role: &Role, more: u64) -> u64 {
        let pending = self.shared.pending.lock();
        let mut pending = pending.unwrap_or_else(PoisonError::into_inner);
        let bytes = pending.entry(role.clone()).or_default();
        *bytes = bytes.saturating_add(more);
        *bytes
    }

    fn forget_pending(&self, role: &Role, fewer: u64) {
        let pending = self.shared.pending.lock();
        let mut pending = pending.unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = pending.get_mut(role) {
            *bytes = bytes.saturating_sub(fewer);
        }
    }
}

impl Entry {
    /// Returns the kind of a file of the store. The folder may hold files of others.
    fn of_name(name: &str) -> Option<Self> {
        let (digits, ending) = name.split_once('.')?;
        FileHandle::from_digits(digits)?;
        match ending {
            "json" => Some(Self::Record),
            "data" => Some(Self::Content),
            "part" => Some(Self::Partial),
            // A record that `private::write` has not put in its place.
            staged if staged.starts_with("json.") => Some(Self::Partial),
            _ => None,
        }
    }
}

/// Checks whether a process is writing a file.
fn is_locked(path: &Path) -> bool {
    let opened = private::open(path, Links::Refuse);
    opened.is_ok_and(|file| file.try_lock().is_err())
}

fn remove_file(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
