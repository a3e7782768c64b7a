//! The head of an audit: its last event, in a small file that is written with every event.

use std::{fs, io, path::Path};

use ring::hmac;
use toolwright_model::{parse_hex, push_hex};

use crate::{AuditKey, Hash};

/// The first word of the file, with the version of the format.
const FORMAT: &str = "toolwright-audit-head-1";

/// The most times that a file is read which a process keeps changing.
const MOST_READS: u32 = 64;

/// The end of an audit, as its writer last stated it.
///
/// The file has a fixed length: it is written in one step and never grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of the segment that is written to, from 1.
    pub segment: u64,
    /// The number of the last event; 0 if there is none.
    pub seq: u64,
    /// The hash of the last event.
    pub hash: Hash,
    /// The length of the file with the last event, in bytes.
    pub end: u64,
    /// The number of the last statement that the writer knew.
    pub statement: u64,
    /// The last event of the last checkpoint.
    pub checkpoint_seq: u64,
    /// The time of the last checkpoint, in seconds since 1970.
    pub checkpoint_time: i64,
    /// The time at which the segment was begun, in seconds since 1970.
    pub opened: i64,
}

/// The reason why a head cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadFault {
    /// It does not have the format.
    Malformed,
    /// Another key made it, by its id.
    OtherKey,
    /// It was changed.
    Forged,
}

impl Head {
    /// The length of the file in bytes.
    pub const LENGTH: usize = 320;

    /// Returns the head before the first event.
    #[must_use]
    pub const fn empty(opened: i64) -> Self {
        Self {
            segment: 1,
            seq: 0,
            hash: Hash::GENESIS,
            end: 0,
            statement: 0,
            checkpoint_seq: 0,
            checkpoint_time: opened,
            opened,
        }
    }

    /// Returns the content of the file, of [`Head::LENGTH`] bytes.
    #[must_use]
    pub fn encode(&self, key: &AuditKey) -> Vec<u8> {
        let mut text = Vec::with_capacity(Self::LENGTH);
        text.extend_from_slice(FORMAT.as_bytes());
        let numbers = [
            self.segment,
            self.seq,
            self.end,
            self.statement,
            self.checkpoint_seq,
        ];
        for number in numbers {
            text.push(b' ');
            text.extend_from_slice(number.to_string().as_bytes());
        }
        for time in [self.checkpoint_time, self.opened] {
            text.push(b' ');
            text.extend_from_slice(time.to_string().as_bytes());
        }
        text.push(b' ');
        push_hex(&mut text, self.hash.as_ref());
        text.push(b' ');
        text.extend_from_slice(key.id().as_bytes());
        let tag = hmac::sign(key.heads(), &text);
        text.push(b' ');
        push_hex(&mut text, tag.as_ref().get(..16).unwrap_or_default());
        text.resize(Self::LENGTH - 1, b' ');
        text.push(b'\n');
        text
    }

    /// Reads the file, which a process may write to at this time. None if it is absent.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(
        path: &Path,
        key: Option<&AuditKey>,
    ) -> io::Result<Option<Result<Self, HeadFault>>> {
        let mut content = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            content => content?,
        };
        // A reader may see a part of what is written. Of what was written, it sees the same again.
        for _ in 0..MOST_READS {
            let again = fs::read(path)?;
            if again == content {
                break;
            }
            content = again;
        }
        Ok(Some(Self::decode(&content, key)))
    }

    /// Parses the content of the file. Without a key, the head is not authenticated.
    ///
    /// # Errors
    /// The [`HeadFault`].
    pub fn decode(content: &[u8], key: Option<&AuditKey>) -> Result<Self, HeadFault> {
        let text = std::str::from_utf8(content).map_err(|_| HeadFault::Malformed)?;
        if text.len() != Self::LENGTH || !text.ends_with('\n') {
            return Err(HeadFault::Malformed);
        }
        let (signed, tag) = text
            .trim_end()
            .rsplit_once(' ')
            .ok_or(HeadFault::Malformed)?;
        let (head, id) = Self::parse(signed).ok_or(HeadFault::Malformed)?;
        let tag: [u8; 16] = parse_hex(tag.as_bytes()).ok_or(HeadFault::Malformed)?;
        match key {
            None => Ok(head),
            Some(key) if key.id() != id => Err(HeadFault::OtherKey),
            Some(key) => {
                let right = hmac::sign(key.heads(), signed.as_bytes());
                let is_right = right.as_ref().get(..16) == Some(&tag);
                // The spaces at the end are not signed, but there is nothing else.
                let is_whole = content == head.encode(key);
                (is_right && is_whole)
                    .then_some(head)
                    .ok_or(HeadFault::Forged)
            }
        }
    }

    /// Parses the signed part. Returns the id of the key too.
    fn parse(text: &str) -> Option<(Self, &str)> {
        let mut words = text.split(' ');
        if words.next() != Some(FORMAT) {
            return None;
        }
        let mut number = || words.next()?.parse().ok();
        let head = Self {
            segment: number()?,
            seq: number()?,
            end: number()?,
            statement: number()?,
            checkpoint_seq: number()?,
            checkpoint_time: words.next()?.parse().ok()?,
            opened: words.next()?.parse().ok()?,
            hash: words.next()?.parse().ok()?,
        };
        let id = words.next()?;
        words.next().is_none().then_some((head, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_survives_its_text_and_no_change() {
        let key = AuditKey::from_text(&"a1".repeat(32)).unwrap();
        let head = Head {
            segment: u64::MAX,
            seq: u64::MAX,
            hash: Hash::from_content(b"x"),
            end: u64::MAX,
            statement: 12,
            checkpoint_seq: 9,
            checkpoint_time: i64::MIN,
            opened: 5,
        };
        let content = head.encode(&key);
        assert_eq!(content.len(), Head::LENGTH);
        assert_eq!(Head::decode(&content, Some(&key)), Ok(head));
        assert_eq!(Head::decode(&content, None), Ok(head));
        let other = AuditKey::from_text(&"b2".repeat(32)).unwrap();
        assert_eq!(
            Head::decode(&content, Some(&other)),
            Err(HeadFault::OtherKey)
        );
        for place in 0..content.len() {
            let mut changed = content.clone();
            changed[place] ^= 1;
            assert!(Head::decode(&changed, Some(&key)).is_err(), "{place}");
        }
    }
}
