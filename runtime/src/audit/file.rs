//! The audit in a file, one line of JSON an event.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{AuditError, AuditEvent, AuditSink};

/// A file to which events are appended, one line of JSON each.
///
/// The file and its folder are made when the first event comes. A line is written by one system
/// call, so several processes may append to one file. Only its owner may read a file that is made
/// here.
#[derive(Debug)]
pub struct AuditFile {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

impl AuditFile {
    /// Events go to this file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            file: Mutex::new(None),
        }
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut slot = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *slot {
            Some(file) => file,
            empty => empty.insert(open(&self.path)?),
        };
        file.write_all(line)?;
        file.flush()
    }
}

impl AuditSink for AuditFile {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let failed =
            |error: &dyn std::fmt::Display| AuditError(format!("{}: {error}", self.path.display()));
        let mut line = serde_json::to_vec(event).map_err(|error| failed(&error))?;
        line.push(b'\n');
        self.append(&line).map_err(|error| failed(&error))
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}
