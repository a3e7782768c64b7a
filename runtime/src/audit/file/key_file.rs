//! The file that holds the key of the digests, next to the audit.
//!
//! It has one line, the key, and a second one once an event has been recorded. An audit that is
//! empty although its key has been used has lost its events.

use std::{
    ffi::OsString,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use toolwright_audit::AuditKey;
use zeroize::Zeroizing;

use crate::{
    audit::{DigestKey, key::random_text},
    private::{self, Links},
};

/// The second line of a key that has been used.
const USED: &str = "used";

/// The greatest length of the file in bytes.
const LIMIT: u64 = 256;

/// The digest key, as last read.
#[derive(Debug)]
pub(super) struct KeyFile {
    pub(super) key: DigestKey,
    /// The key that authenticates the lines.
    pub(super) lines: Arc<AuditKey>,
    /// True if an event was recorded under the key.
    pub(super) is_used: bool,
    stamp: Stamp,
}

/// The metadata that changes if a file is changed or replaced.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    identity: (u64, u64),
    length: u64,
    modified: Option<SystemTime>,
}

impl KeyFile {
    /// Reads the key at a path, if there is one.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        match read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(path, &error)),
            Ok(key) => Ok(Some(key)),
        }
    }

    /// Creates the key of a new audit. The audit must be locked.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        private::create_parent(path)?;
        let text = random_text().map_err(io::Error::other)?;
        write(path, &text).and_then(|()| read(path))
    }

    /// The error if an audit has events and no key.
    pub(super) fn absent(path: &Path) -> io::Error {
        let absent = io::Error::new(io::ErrorKind::NotFound, "it is absent");
        unusable(path, &absent)
    }

    /// Returns whether the file is still the one that was read, and private.
    pub(super) fn is_current(&self, path: &Path) -> io::Result<bool> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unusable(path, &error)),
            Ok(metadata) => {
                Ok(Stamp::from_metadata(&metadata) == self.stamp
                    && private::check(&metadata).is_ok())
            }
        }
    }

    /// Notes that an event was recorded. The audit must be locked.
    pub(super) fn mark_used(&mut self, path: &Path) -> io::Result<()> {
        let text = Zeroizing::new(private::read(path, Links::Refuse, LIMIT)?);
        let first = text.lines().next().unwrap_or_default();
        write(path, &Zeroizing::new(format!("{first}\n{USED}")))?;
        *self = read(path)?;
        Ok(())
    }
}

impl Stamp {
    fn from_metadata(metadata: &fs::Metadata) -> Self {
        Self {
            identity: private::identity(metadata),
            length: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }
}

fn read(path: &Path) -> io::Result<KeyFile> {
    let stamp = Stamp::from_metadata(&fs::symlink_metadata(path)?);
    let text = Zeroizing::new(private::read(path, Links::Refuse, LIMIT)?);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let key = DigestKey::from_text(first);
    let is_used = match (lines.next(), lines.next()) {
        (None, _) => false,
        (Some(USED), None) => true,
        _ => {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it contains more than a key",
            ));
        }
    };
    let key = key.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.0))?;
    let lines = AuditKey::from_text(first)
        .map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault.to_string()))?;
    Ok(KeyFile {
        key,
        lines: Arc::new(lines),
        is_used,
        stamp,
    })
}

/// Writes the file in one step. No process reads half of it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut beginning = OsString::from(path);
    beginning.push(".new");
    let beginning = PathBuf::from(beginning);
    match fs::remove_file(&beginning) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private::create(&beginning)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&beginning, path)
}

fn unusable(path: &Path, error: &io::Error) -> io::Error {
    let path = path.display();
    let message = format!(
        "its key `{path}` cannot be used: {error}; restore the key, or move the audit and the key \
         elsewhere to begin a new audit"
    );
    io::Error::new(error.kind(), message)
}
