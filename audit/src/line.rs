//! The lines of an audit: events, each chained to the one before it.
//!
//! A line is the JSON object of its event with three more fields at its beginning: `seq`, the number of
//! the event from 1; `prev`, the SHA-256 of the line before it; and `mac`, the id of the key and a
//! keyed digest of the line. The hash chain can be verified without the key. The keyed digest
//! distinguishes a line of the audit from one that another program appended to the file.

use ring::hmac;
use toolwright_model::{parse_hex, push_hex};

use crate::{AuditKey, Hash, key::ID_LENGTH};

/// The length of a line's keyed digest, in bytes: half of an HMAC-SHA256.
const TAG_LENGTH: usize = 16;

/// The parts of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed<'a> {
    /// The number of the event.
    pub seq: u64,
    /// The hash of the line before it.
    pub prev: Hash,
    /// The id of the key that authenticates the line.
    pub key: &'a str,
    tag: [u8; TAG_LENGTH],
    /// The event's own fields, without the opening brace.
    rest: &'a [u8],
}

/// Appends an event as a line without its newline, and returns the hash of the line.
///
/// `event` is the event as a JSON object with at least one field.
pub fn seal(lines: &mut Vec<u8>, key: &AuditKey, seq: u64, prev: &Hash, event: &str) -> Hash {
    let begin = lines.len();
    let rest = event.strip_prefix('{').unwrap_or(event).as_bytes();
    let tag = tag(key, seq, prev, rest);
    lines.reserve(rest.len() + 192);
    lines.extend_from_slice(b"{\"seq\":");
    lines.extend_from_slice(seq.to_string().as_bytes());
    lines.extend_from_slice(b",\"prev\":\"");
    push_hex(lines, prev.as_ref());
    lines.extend_from_slice(b"\",\"mac\":\"");
    lines.extend_from_slice(key.id().as_bytes());
    lines.push(b'.');
    push_hex(lines, tag.as_ref().get(..TAG_LENGTH).unwrap_or_default());
    lines.extend_from_slice(b"\",");
    lines.extend_from_slice(rest);
    Hash::from_content(lines.get(begin..).unwrap_or_default())
}

/// Splits a line, given without its newline, into its parts. Returns none for any other string.
#[must_use]
pub fn parse(line: &[u8]) -> Option<Sealed<'_>> {
    let text = line.strip_prefix(b"{\"seq\":")?;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, text) = text.split_at_checked(digits)?;
    let text = text.strip_prefix(b",\"prev\":\"")?;
    let (prev, text) = text.split_at_checked(64)?;
    let text = text.strip_prefix(b"\",\"mac\":\"")?;
    let (key, text) = text.split_at_checked(ID_LENGTH)?;
    let (tag, text) = text.strip_prefix(b".")?.split_at_checked(2 * TAG_LENGTH)?;
    let digits = std::str::from_utf8(digits).ok()?;
    Some(Sealed {
        seq: digits.parse().ok()?,
        prev: std::str::from_utf8(prev).ok()?.parse().ok()?,
        key: std::str::from_utf8(key).ok()?,
        tag: parse_hex(tag)?,
        rest: text.strip_prefix(b"\",")?,
    })
}

impl Sealed<'_> {
    /// Checks whether a key wrote the line. None if another key did, by the id in the line.
    #[must_use]
    pub fn is_genuine(&self, key: &AuditKey) -> Option<bool> {
        if self.key != key.id() {
            return None;
        }
        let tag = tag(key, self.seq, &self.prev, self.rest);
        Some(tag.as_ref().get(..TAG_LENGTH) == Some(&self.tag))
    }
}

fn tag(key: &AuditKey, seq: u64, prev: &Hash, rest: &[u8]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(key.lines());
    context.update(&seq.to_be_bytes());
    context.update(prev.as_ref());
    context.update(rest);
    context.sign()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_line_is_parsed_and_authenticated_by_its_key_alone() {
        let key = AuditKey::from_text(&"a1".repeat(32)).unwrap();
        let other = AuditKey::from_text(&"b2".repeat(32)).unwrap();
        let mut lines = Vec::new();
        let hash = seal(
            &mut lines,
            &key,
            7,
            &Hash::GENESIS,
            r#"{"v":3,"event":"x"}"#,
        );
        assert_eq!(hash, Hash::from_content(&lines));
        let value: serde_json::Value = serde_json::from_slice(&lines).unwrap();
        assert_eq!((&value["seq"], &value["event"]), (&7.into(), &"x".into()));
        let sealed = parse(&lines).unwrap();
        assert_eq!((sealed.seq, sealed.prev), (7, Hash::GENESIS));
        assert_eq!(sealed.is_genuine(&key), Some(true));
        assert_eq!(sealed.is_genuine(&other), None);
        for place in 0..lines.len() {
            let mut changed = lines.clone();
            changed[place] ^= 1;
            let genuine = parse(&changed).and_then(|sealed| sealed.is_genuine(&key));
            assert_ne!(genuine, Some(true), "{place}");
        }
        for wrong in ["", "{}", "{\"seq\":7}", "{\"seq\":,\"prev\""] {
            assert!(parse(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }
}
