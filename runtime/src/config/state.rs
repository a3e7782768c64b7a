//! `[state]`: where decisions of operators and waiting calls are kept.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use toolwright_model::settings::Reader as _;

use super::{
    Placed,
    reader::{ConfigReader, TomlNode},
};
use crate::availability::GRACE;

/// The longest time for which the last known state may apply, in seconds: an hour.
pub(super) const LONGEST_GRACE: u64 = 60 * 60;

/// The keys of the table.
pub(super) const STATE_KEYS: [&str; 5] = ["file", "url", "password_file", "group", "grace_seconds"];

/// `[state]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateConfig {
    /// `file`: the SQLite database.
    pub file: PathBuf,
    /// `url`: a PostgreSQL database in place of the file.
    pub url: Option<Placed<String>>,
    /// `password_file`: the private file with the password for the URL.
    pub password_file: Option<PathBuf>,
    /// `group`: the group of the operating system that shares the file.
    pub group: Option<String>,
    /// `grace_seconds`: how long the last known switches apply while the state is unreachable.
    pub grace: Duration,
}

impl StateConfig {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            file: root.join(".toolwright/state/state.db"),
            url: None,
            password_file: None,
            group: None,
            grace: GRACE,
        }
    }

    /// Returns the place of the state: the URL, or else the file.
    pub(crate) fn place(&self) -> PathBuf {
        let url = self.url.as_ref().map(|url| PathBuf::from(&url.value));
        url.unwrap_or_else(|| self.file.clone())
    }

    pub(super) fn read(&mut self, table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) {
        reader.check_keys(table, &STATE_KEYS);
        if let Some(file) = reader.string(table, "file") {
            self.file = root.join(file.value);
        }
        self.url = reader.string(table, "url");
        let password = reader.string(table, "password_file");
        self.password_file = password.map(|file| root.join(file.value));
        self.group = reader.string(table, "group").map(|group| group.value);
        if let Some(seconds) = reader.number(table, "grace_seconds", 1..=LONGEST_GRACE) {
            self.grace = Duration::from_secs(seconds.value);
        }
    }
}
