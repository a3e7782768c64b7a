//! Signed statements about an audit: checkpoints, closed segments and retention.
//!
//! They are lines of JSON in a file next to the audit. Each has a number, which
//! reveals that one was removed.

use std::{fmt, io, path::Path};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{AuditKey, Hash, PublicKey};

/// The begin of the last field of a line, which is not signed.
const SIGNATURE: &str = ",\"signature\":\"";

/// A statement about an audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "statement", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Statement {
    /// The audit had this event, and those before it.
    Checkpoint {
        /// The number of the event.
        seq: u64,
        /// The hash of its line.
        #[serde(with = "hash_text")]
        hash: Hash,
    },
    /// A segment was closed and compressed.
    Segment {
        /// The number of the segment.
        segment: u64,
        /// The number of its last event.
        seq: u64,
        /// The hash of that event's line.
        #[serde(with = "hash_text")]
        hash: Hash,
        /// The SHA-256 of the compressed file.
        #[serde(with = "hash_text")]
        file: Hash,
    },
    /// Segments were deleted because their time was over.
    Retention {
        /// The number of the last segment that was deleted.
        segment: u64,
        /// The number of its last event.
        seq: u64,
        /// The hash of that event's line.
        #[serde(with = "hash_text")]
        hash: Hash,
    },
}

/// A statement with its number and its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// The number of the statement, from 1.
    pub number: u64,
    /// The time of the statement.
    pub time: Timestamp,
    /// The statement.
    #[serde(flatten)]
    pub statement: Statement,
    /// The public key that verifies it.
    pub key: String,
}

/// The reason why a statement cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementFault {
    /// It does not have the format.
    Malformed,
    /// It is signed by a key that is not trusted.
    UnknownKey(String),
    /// It was changed.
    Forged,
}

impl Signed {
    /// Makes a statement at a time.
    #[must_use]
    pub fn new(number: u64, time: Timestamp, statement: Statement, key: &AuditKey) -> Self {
        Self {
            number,
            time,
            statement,
            key: key.public().to_string(),
        }
    }

    /// Returns the signed line, with its newline.
    ///
    /// # Errors
    /// When the statement cannot be encoded.
    pub fn encode(&self, key: &AuditKey) -> io::Result<String> {
        let mut text = serde_json::to_string(self)?;
        let signature = key.sign(text.as_bytes());
        text.pop();
        Ok(format!("{text}{SIGNATURE}{signature}\"}}\n"))
    }

    /// Parses a line without its newline, and verifies its signature by the trusted keys. Without
    /// any, by the key in the line itself.
    ///
    /// # Errors
    /// The [`StatementFault`].
    pub fn decode(line: &str, trusted: &[PublicKey]) -> Result<Self, StatementFault> {
        let fault = || StatementFault::Malformed;
        let (signed, signature) = line.rsplit_once(SIGNATURE).ok_or_else(fault)?;
        let signature = signature.strip_suffix("\"}").ok_or_else(fault)?;
        let signed = format!("{signed}}}");
        let statement: Self = serde_json::from_str(&signed).map_err(|_| fault())?;
        let key: PublicKey = statement.key.parse().map_err(|_| fault())?;
        if !trusted.is_empty() && !trusted.contains(&key) {
            return Err(StatementFault::UnknownKey(statement.key));
        }
        if !key.has_signed(signed.as_bytes(), signature) {
            return Err(StatementFault::Forged);
        }
        Ok(statement)
    }
}

/// Reads the lines of a file of statements. An absent file has none.
///
/// # Errors
/// When the file cannot be read.
pub fn read_statements(
    path: &Path,
    trusted: &[PublicKey],
) -> io::Result<Vec<Result<Signed, StatementFault>>> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let text = String::from_utf8_lossy(&text);
    let lines = text.split_terminator('\n');
    Ok(lines.map(|line| Signed::decode(line, trusted)).collect())
}

impl fmt::Display for StatementFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("it is not a statement"),
            Self::UnknownKey(key) => {
                write!(f, "it is signed by the key `{key}`, which is not trusted")
            }
            Self::Forged => f.write_str("its signature does not match"),
        }
    }
}

mod hash_text {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use crate::Hash;

    pub(super) fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Hash, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_verified_by_its_key_and_survives_no_change() {
        let key = AuditKey::from_text(&"a1".repeat(32)).unwrap();
        let statement = Statement::Checkpoint {
            seq: 9,
            hash: Hash::from_content(b"x"),
        };
        let signed = Signed::new(3, Timestamp::UNIX_EPOCH, statement, &key);
        let line = signed.encode(&key).unwrap();
        let line = line.trim_end();
        assert_eq!(Signed::decode(line, &[]), Ok(signed.clone()));
        assert_eq!(Signed::decode(line, &[key.public()]), Ok(signed));
        let other = AuditKey::from_text(&"b2".repeat(32)).unwrap();
        let unknown = Signed::decode(line, &[other.public()]);
        assert!(matches!(unknown, Err(StatementFault::UnknownKey(_))));
        for place in 0..line.len() {
            let mut changed = line.as_bytes().to_vec();
            changed[place] ^= 1;
            let changed = String::from_utf8_lossy(&changed);
            assert!(
                Signed::decode(&changed, &[key.public()]).is_err(),
                "{place}"
            );
        }
    }
}
