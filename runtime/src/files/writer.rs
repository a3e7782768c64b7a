//! A file that is being written.

use std::{
    fs::{self, File},
    io::Write,
    path::PathBuf,
};

use jiff::{SignedDuration, Timestamp};
use ring::digest::{Context, SHA256};
use toolwright_model::hex;

use super::{FileError, FileHandle, FileOwner, FileRecord, FileStore, NewFile};
use crate::private;

/// Bytes of which the number and the digest are known.
pub(crate) struct Measured {
    digest: Context,
    size: u64,
}

/// A file that is being written. It is removed if it is not finished.
pub(crate) struct FileWriter {
    store: FileStore,
    owner: FileOwner,
    handle: FileHandle,
    path: PathBuf,
    file: File,
    measured: Measured,
    /// The bytes of the role's files when this one was begun.
    used: u64,
}

impl Default for Measured {
    fn default() -> Self {
        Self {
            digest: Context::new(&SHA256),
            size: 0,
        }
    }
}

impl Measured {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.size = self.size.saturating_add(bytes.len() as u64);
    }

    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Returns the SHA-256 of the bytes so far.
    pub(crate) fn sha256(&self) -> String {
        hex(self.digest.clone().finish())
    }
}

impl FileWriter {
    pub(super) fn create(
        store: &FileStore,
        owner: &FileOwner,
        used: u64,
    ) -> Result<Self, FileError> {
        let handle = FileHandle::random()?;
        let path = store.folder().join(format!("{}.part", handle.digits()));
        let file = private::create(&path)?;
        // The lock distinguishes the file from one that an interrupted process left behind.
        file.lock()?;
        Ok(Self {
            store: store.clone(),
            owner: owner.clone(),
            handle,
            path,
            file,
            measured: Measured::default(),
            used,
        })
    }

    /// Adds bytes, unless the file or the files of the role would become too large.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let more = bytes.len() as u64;
        let limit = self.store.limits().file_bytes;
        if self.measured.size.saturating_add(more) > limit {
            return Err(FileError::TooLarge { limit });
        }
        self.measured.add(bytes);
        let pending = self.store.count_pending(&self.owner.role, more);
        self.store.check_quota(self.used, pending)?;
        self.file.write_all(bytes)?;
        Ok(())
    }

    /// Puts the file into the store.
    ///
    /// A person who adds the same file again receives the handle of the first one, so that the
    /// same call has the same arguments.
    pub(crate) fn finish(self, new: NewFile, now: Timestamp) -> Result<FileRecord, FileError> {
        let store = self.store.clone();
        store.locked(|| self.finish_locked(new, now))
    }

    fn finish_locked(self, new: NewFile, now: Timestamp) -> Result<FileRecord, FileError> {
        let lifetime = SignedDuration::try_from(self.store.limits().lifetime);
        let expires = now.saturating_add(lifetime.unwrap_or_default());
        let mut record = FileRecord {
            handle: self.handle.clone(),
            owner: self.owner.clone(),
            media_type: new.media_type,
            name: new.name,
            size: self.measured.size,
            sha256: self.measured.sha256(),
            tool: new.tool,
            source: new.source,
            created: now,
            expires: expires.unwrap_or(now),
        };
        if record.tool.is_none()
            && let Some(first) = self.added_before(&record, now)?
        {
            record.handle = first.handle;
            record.created = first.created;
            return self.store.write_record(&record).map(|()| record);
        }
        let used = self.store.used_by(&self.owner.role)?;
        self.store.check_quota(used, record.size)?;
        fs::rename(&self.path, self.store.content_path(&self.handle))?;
        self.store.write_record(&record)?;
        Ok(record)
    }

    fn added_before(
        &self,
        record: &FileRecord,
        now: Timestamp,
    ) -> Result<Option<FileRecord>, FileError> {
        let mut known = self.store.list(&self.owner, now)?.into_iter();
        Ok(known.find(|known| {
            known.tool.is_none()
                && known.sha256 == record.sha256
                && known.media_type == record.media_type
                && known.name == record.name
        }))
    }
}

impl FileStore {
    fn write_record(&self, record: &FileRecord) -> Result<(), FileError> {
        let text = serde_json::to_string(record).map_err(|error| FileError::Failed {
            detail: format!("the record of a file: {error}"),
        })?;
        Ok(private::write(&self.record_path(&record.handle), text)?)
    }
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        self.store
            .forget_pending(&self.owner.role, self.measured.size);
        // A finished file has another name.
        let _ = fs::remove_file(&self.path);
    }
}
