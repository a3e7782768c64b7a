//! The place up to which a sink has received the events of an audit.
//!
//! It is a small file next to the audit. The process that forwards to the sink holds its lock and
//! writes it after each delivery; others read it to count the events that wait.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Head, segment};

/// The last event that a sink has received.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The destination, without secrets. If the operator changes it, the new destination receives
    /// all events that the files still have.
    pub destination: String,
    /// The name of the audit among those that share the destination.
    pub instance: String,
    /// The number of the event; 0 if the sink has received none.
    pub seq: u64,
    /// The hash of the event.
    pub hash: String,
}

impl Cursor {
    /// The length of the file in bytes. It is written in one step and never grows.
    pub const LENGTH: usize = 512;

    /// Returns the path of a sink's cursor.
    #[must_use]
    pub fn path(audit: &Path, sink: &str) -> PathBuf {
        segment::beside(audit, &format!(".{sink}"))
    }

    /// Returns the content of the file, of [`Cursor::LENGTH`] bytes.
    ///
    /// # Errors
    /// When the destination is too long.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let mut content = serde_json::to_vec(self)?;
        if content.len() >= Self::LENGTH {
            return Err(io::Error::other("the destination is too long"));
        }
        content.resize(Self::LENGTH - 1, b' ');
        content.push(b'\n');
        Ok(content)
    }

    /// Parses the content of the file. Anything else is the cursor before the first event: the sink
    /// then receives events again, and knows them by their ids.
    #[must_use]
    pub fn decode(content: &[u8]) -> Self {
        serde_json::from_slice(content).unwrap_or_default()
    }

    /// Reads the cursor of a sink. An absent one is before the first event.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(audit: &Path, sink: &str) -> io::Result<Self> {
        match fs::read(Self::path(audit, sink)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            content => content.map(|content| Self::decode(&content)),
        }
    }
}

/// Returns the number of the last event of an audit by its head, which is not authenticated; 0 if
/// there is no head.
///
/// # Errors
/// When the head cannot be read.
pub fn last_event(audit: &Path) -> io::Result<u64> {
    let head = Head::read(&segment::head_path(audit), None)?;
    Ok(head.and_then(Result::ok).map_or(0, |head| head.seq))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_its_file_and_a_torn_one_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        let audit = folder.path().join("audit.jsonl");
        assert_eq!(Cursor::read(&audit, "nats").unwrap(), Cursor::default());
        let cursor = Cursor {
            destination: "nats://127.0.0.1".to_owned(),
            instance: "build-1".to_owned(),
            seq: u64::MAX,
            hash: crate::Hash::GENESIS.to_string(),
        };
        let content = cursor.encode().unwrap();
        assert_eq!(content.len(), Cursor::LENGTH);
        fs::write(folder.path().join("audit.jsonl.nats"), &content).unwrap();
        assert_eq!(Cursor::read(&audit, "nats").unwrap(), cursor);
        assert_eq!(Cursor::decode(&content[..20]), Cursor::default());
        let long = Cursor {
            destination: "x".repeat(Cursor::LENGTH),
            ..Cursor::default()
        };
        assert!(long.encode().is_err());
    }
}
