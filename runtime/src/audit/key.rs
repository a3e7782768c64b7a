//! The key of the digests in an audit.

use std::{collections::BTreeMap, fmt, sync::OnceLock};

use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use serde_json::Value;
use toolwright_model::hex;
use zeroize::Zeroizing;

use super::{
    AuditError,
    event::{Arguments, argument_names},
};
use crate::canonical::canonical;

/// The length of an encoded key: 32 random bytes in hexadecimal.
pub(super) const TEXT_LENGTH: usize = 64;

/// The length of a key's id.
const ID_LENGTH: usize = 8;

/// The key of the digests in an audit.
///
/// A digest is the HMAC-SHA256 of the arguments' canonical form. Equal arguments have equal digests
/// under one key, and without the key a digest reveals nothing about a value, however short it is.
#[derive(Clone)]
pub struct DigestKey {
    key: hmac::Key,
    id: String,
}

impl DigestKey {
    /// Makes a random key.
    ///
    /// # Errors
    /// When the operating system provides no random bytes.
    pub fn random() -> Result<Self, AuditError> {
        Self::from_text(&random_text()?)
    }

    /// Parses a key: 64 hexadecimal digits. The digits themselves are the key, as ASCII bytes.
    ///
    /// # Errors
    /// Fails on any other string.
    pub fn from_text(text: &str) -> Result<Self, AuditError> {
        if text.len() != TEXT_LENGTH || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let message = format!("a digest key is {TEXT_LENGTH} hexadecimal digits");
            return Err(AuditError(message));
        }
        let key = hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes());
        let digest = hex(hmac::sign(&key, b"toolwright audit digest key").as_ref());
        let id = digest.chars().take(ID_LENGTH).collect();
        Ok(Self { key, id })
    }

    /// Returns the key that the sinks of this process share unless they have their own.
    ///
    /// # Errors
    /// When the operating system provides no random bytes.
    pub fn of_this_process() -> Result<Self, AuditError> {
        static KEY: OnceLock<DigestKey> = OnceLock::new();
        match KEY.get() {
            Some(key) => Ok(key.clone()),
            None => {
                let key = Self::random()?;
                Ok(KEY.get_or_init(|| key).clone())
            }
        }
    }

    /// Returns the id of the key: digests can be compared if their keys have the same id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the digest of a value's canonical form, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self, value: &Value) -> String {
        hex(hmac::sign(&self.key, canonical(value).as_bytes()).as_ref())
    }

    /// Describes the arguments of a call.
    pub(crate) fn describe(&self, arguments: &Value) -> Arguments {
        Arguments {
            names: argument_names(arguments),
            digest: self.digest(arguments),
            key: self.id.clone(),
            values: None,
            sources: BTreeMap::new(),
        }
    }
}

/// Returns a new random key, encoded.
pub(super) fn random_text() -> Result<Zeroizing<String>, AuditError> {
    let mut bytes = Zeroizing::new([0; TEXT_LENGTH / 2]);
    SystemRandom::new()
        .fill(bytes.as_mut_slice())
        .map_err(|_| AuditError("the operating system provides no random bytes".to_owned()))?;
    Ok(Zeroizing::new(hex(bytes.as_slice())))
}

impl fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DigestKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_arguments_have_equal_digests_under_one_key_alone() {
        let key = DigestKey::from_text(&"0123456789abcdef".repeat(4)).unwrap();
        let (one, two) = (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}));
        assert_eq!(key.digest(&one), key.digest(&two));
        // printf %s '{"a":1,"b":2}' | openssl dgst -sha256 -hmac 0123456789abcdef…
        assert_eq!(
            key.digest(&one),
            "fca77a857100936782f1f86e8094f5bd5a7aee8538fc16d9646da40eecef093f"
        );
        let other = DigestKey::random().unwrap();
        assert_ne!(other.digest(&one), key.digest(&one));
        assert_ne!(other.id(), key.id());
    }

    #[test]
    fn a_broken_key_is_refused_and_no_key_is_printed() {
        let good = "0".repeat(64);
        for text in ["", "0", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64)] {
            assert!(DigestKey::from_text(text).is_err(), "{text}");
        }
        let printed = format!("{:?}", DigestKey::from_text(&good).unwrap());
        assert_eq!(printed, "DigestKey { .. }");
    }
}
