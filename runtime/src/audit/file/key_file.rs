//! The file that holds the key of the digests, next to the audit.
//!
//! It has one line, the key, and a second one once an event has been recorded. An audit that is
//! empty although its key has been used has lost its events.

use std::{
    ffi::OsString,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    time::SystemTime,
};

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
    /// Returns the path of the key of an audit.
    fn path(audit: &Path) -> PathBuf {
        let mut path = OsString::from(audit);
        path.push(".key");
        path.into()
    }

    /// Reads the key of an audit, if there is one.
    pub(super) fn read(audit: &Path) -> io::Result<Option<Self>> {
        let path = Self::path(audit);
        match read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unusable(&path, &error)),
            Ok(key) => Ok(Some(key)),
        }
    }

    /// Creates the key of a new audit. The audit must be locked.
    pub(super) fn create(audit: &Path) -> io::Result<Self> {
        let path = Self::path(audit);
        let text = random_text().map_err(io::Error::other)?;
        write(&path, &text).and_then(|()| read(&path))
    }

    /// The error if an audit has events and no key.
    pub(super) fn absent(audit: &Path) -> io::Error {
        let absent = io::Error::new(io::ErrorKind::NotFound, "it is absent");
        unusable(&Self::path(audit), &absent)
    }

    /// Returns whether the file is still the one that was read, and private.
    pub(super) fn is_current(&self, audit: &Path) -> io::Result<bool> {
        let path = Self::path(audit);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unusable(&path, &error)),
            Ok(metadata) => {
                Ok(Stamp::from_metadata(&metadata) == self.stamp
                    && private::check(&metadata).is_ok())
            }
        }
    }

    /// Notes that an event was recorded. The audit must be locked.
    pub(super) fn mark_used(&mut self, audit: &Path) -> io::Result<()> {
        let path = Self::path(audit);
        let text = Zeroizing::new(private::read(&path, Links::Refuse, LIMIT)?);
        let first = text.lines().next().unwrap_or_default();
        write(&path, &Zeroizing::new(format!("{first}\n{USED}")))?;
        *self = read(&path)?;
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
    let key = DigestKey::from_text(lines.next().unwrap_or_default());
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
    Ok(KeyFile {
        key,
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
