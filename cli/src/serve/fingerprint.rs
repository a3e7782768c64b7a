//! The identity and the content of a file, in a form that shows a change.

use std::{fs, io::Read, path::Path};

use sha2::{Digest, Sha256};
use toolwright_model::hex;

/// The most that is read of a file, in bytes: a configuration is far smaller.
const LONGEST: u64 = 16 << 20;

/// The state of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fingerprint {
    /// It can be read.
    File {
        /// The identity of the file and its rights, in addition to its content.
        identity: Vec<u64>,
        digest: [u8; 32],
    },
    /// It cannot be read, for this reason.
    Unreadable(String),
}

impl Fingerprint {
    /// Reads the state of a file.
    pub(super) fn from_file(path: &Path) -> Self {
        read(path).unwrap_or_else(|error| Self::Unreadable(error.to_string()))
    }

    /// The SHA-256 of the content as hexadecimal digits, if there is any.
    pub(super) fn digest(&self) -> Option<String> {
        match self {
            Self::File { digest, .. } => Some(hex(digest)),
            Self::Unreadable(_) => None,
        }
    }
}

fn read(path: &Path) -> std::io::Result<Fingerprint> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Ok(Fingerprint::Unreadable("it is not a file".to_owned()));
    }
    let file = fs::File::open(path)?;
    let identity = identity(&file.metadata()?);
    let mut content = Vec::new();
    file.take(LONGEST).read_to_end(&mut content)?;
    Ok(Fingerprint::File {
        identity,
        digest: Sha256::digest(&content).into(),
    })
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> Vec<u64> {
    use std::os::unix::fs::MetadataExt;
    vec![
        metadata.dev(),
        metadata.ino(),
        u64::from(metadata.uid()),
        u64::from(metadata.mode()),
    ]
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> Vec<u64> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_and_identity_and_absence_differ() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("a"), folder.path().join("b"));
        let absent = Fingerprint::from_file(&file);
        fs::write(&file, "one").unwrap();
        let first = Fingerprint::from_file(&file);
        assert_ne!(absent, first);
        assert_eq!(first, Fingerprint::from_file(&file));
        fs::write(&file, "two").unwrap();
        let second = Fingerprint::from_file(&file);
        assert_ne!(first, second);
        fs::write(&other, "two").unwrap();
        fs::rename(&other, &file).unwrap();
        let third = Fingerprint::from_file(&file);
        assert_eq!(second.digest(), third.digest());
        if cfg!(unix) {
            assert_ne!(second, third);
        }
    }
}
