//! The use of a store of files.

use super::{Entry, FileError, FileStore};
use crate::private;

/// The files that a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileUsage {
    /// The number of files with a readable record, expired ones among them.
    pub files: usize,
    /// The bytes of these files.
    pub bytes: u64,
    /// The number of records that cannot be read. The next sweep removes them.
    pub unreadable: usize,
}

impl FileStore {
    /// Counts the files of all owners. Nothing is written. A folder that does not exist holds none.
    ///
    /// # Errors
    /// [`FileError::Failed`] if the folder is not private to this user or cannot be read.
    pub fn usage(&self) -> Result<FileUsage, FileError> {
        let mut usage = FileUsage::default();
        if !self.folder().exists() {
            return Ok(usage);
        }
        private::check_folder(self.folder())?;
        for (kind, path) in self.entries()? {
            if kind != Entry::Record {
                continue;
            }
            match self.read_record(&path) {
                Some(record) => {
                    usage.files += 1;
                    usage.bytes = usage.bytes.saturating_add(record.size);
                }
                None => usage.unreadable += 1,
            }
        }
        Ok(usage)
    }
}
