//! `[files]`: the store of files, and the limits of saved answers.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};
use crate::files::{FileLimits, FileStore};

/// The keys of the table.
pub(super) const FILES_KEYS: [&str; 6] = [
    "folder",
    "max_file_bytes",
    "quota_bytes",
    "expire_minutes",
    "transfer_seconds",
    "cut_answer_bytes",
];

/// The most bytes of a file, and of the files of a role: a tebibyte.
pub(super) const MOST_BYTES: u64 = 1 << 40;

/// The longest time for which a file is kept, in minutes: 30 days.
pub(super) const LONGEST_MINUTES: u64 = 60 * 24 * 30;

/// The longest time that a transfer may take, in seconds: a day.
pub(super) const LONGEST_TRANSFER: u64 = 60 * 60 * 24;

/// The least size from which on answers are cut.
pub(super) const LEAST_CUT: u64 = 16 << 10;

/// `[files]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilesConfig {
    /// `folder`: the private folder of the store.
    pub folder: PathBuf,
    /// The other keys.
    pub limits: FileLimits,
}

impl FilesConfig {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            folder: root.join(".toolwright/files"),
            limits: FileLimits::default(),
        }
    }

    /// Returns the store of files that the configuration describes.
    #[must_use]
    pub fn store(&self) -> FileStore {
        FileStore::new(&self.folder, self.limits)
    }

    pub(super) fn read(&mut self, table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) {
        reader.check_keys(table, &FILES_KEYS);
        if let Some(folder) = reader.string(table, "folder") {
            self.folder = root.join(folder.value);
        }
        if let Some(bytes) = reader.number(table, "cut_answer_bytes", LEAST_CUT..=MOST_BYTES) {
            self.limits.cut = Some(bytes.value);
        }
        let mut number = |key, most| Some(reader.number(table, key, 1..=most)?.value);
        if let Some(bytes) = number("max_file_bytes", MOST_BYTES) {
            self.limits.file_bytes = bytes;
        }
        if let Some(bytes) = number("quota_bytes", MOST_BYTES) {
            self.limits.quota_bytes = bytes;
        }
        if let Some(minutes) = number("expire_minutes", LONGEST_MINUTES) {
            self.limits.lifetime = Duration::from_secs(minutes * 60);
        }
        if let Some(seconds) = number("transfer_seconds", LONGEST_TRANSFER) {
            self.limits.transfer = Duration::from_secs(seconds);
        }
    }
}
