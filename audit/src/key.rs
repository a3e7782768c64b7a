//! The keys of an audit: one secret, from which the others are derived.

use std::{fmt, str::FromStr};

use base64::{Engine, prelude::BASE64_STANDARD};
use ring::{
    hmac::{self, HMAC_SHA256},
    signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey},
};
use toolwright_model::push_hex;

/// The length of an encoded secret: 32 random bytes in hexadecimal.
const TEXT_LENGTH: usize = 64;

/// The length of a key's id.
pub(crate) const ID_LENGTH: usize = 8;

/// The prefix of an encoded public key.
const ALGORITHM: &str = "ed25519:";

/// The secret key of an audit: it authenticates lines and heads, and signs statements.
pub struct AuditKey {
    id: String,
    lines: hmac::Key,
    heads: hmac::Key,
    signer: Ed25519KeyPair,
}

/// The public key that verifies the statements of an audit: `ed25519:` and base64.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey(Vec<u8>);

/// A string that is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFault {
    /// It is not a secret of 64 hexadecimal digits.
    Secret,
    /// It is not `ed25519:` and base64.
    Public,
}

impl AuditKey {
    /// Parses the secret: 64 hexadecimal digits. The digits themselves are the key, as ASCII bytes.
    ///
    /// # Errors
    /// [`KeyFault::Secret`] for any other string.
    pub fn from_text(text: &str) -> Result<Self, KeyFault> {
        if text.len() != TEXT_LENGTH || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(KeyFault::Secret);
        }
        let secret = hmac::Key::new(HMAC_SHA256, text.as_bytes());
        let derive = |purpose: &str| hmac::sign(&secret, purpose.as_bytes());
        let mut id = Vec::new();
        push_hex(&mut id, derive("toolwright audit digest key").as_ref());
        id.truncate(ID_LENGTH);
        let key = |purpose| hmac::Key::new(HMAC_SHA256, derive(purpose).as_ref());
        let seed = derive("toolwright audit statements");
        Ok(Self {
            id: String::from_utf8_lossy(&id).into_owned(),
            lines: key("toolwright audit lines"),
            heads: key("toolwright audit heads"),
            signer: Ed25519KeyPair::from_seed_unchecked(seed.as_ref())
                .map_err(|_| KeyFault::Secret)?,
        })
    }

    /// Returns the id of the key: eight hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the public key of the statements.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.signer.public_key().as_ref().to_vec())
    }

    pub(crate) const fn lines(&self) -> &hmac::Key {
        &self.lines
    }

    pub(crate) const fn heads(&self) -> &hmac::Key {
        &self.heads
    }

    pub(crate) fn sign(&self, text: &[u8]) -> String {
        BASE64_STANDARD.encode(self.signer.sign(text))
    }
}

impl PublicKey {
    pub(crate) fn has_signed(&self, text: &[u8], signature: &str) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        let signature = BASE64_STANDARD.decode(signature);
        signature.is_ok_and(|signature| key.verify(text, &signature).is_ok())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", BASE64_STANDARD.encode(&self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = KeyFault;

    fn from_str(text: &str) -> Result<Self, KeyFault> {
        let encoded = text
            .trim()
            .strip_prefix(ALGORITHM)
            .ok_or(KeyFault::Public)?;
        match BASE64_STANDARD.decode(encoded) {
            Ok(bytes) if bytes.len() == 32 => Ok(Self(bytes)),
            _ => Err(KeyFault::Public),
        }
    }
}

impl fmt::Debug for AuditKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditKey").finish_non_exhaustive()
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret => "a key of an audit is 64 hexadecimal digits",
            Self::Public => "a public key is `ed25519:` and 44 characters of base64",
        })
    }
}

impl std::error::Error for KeyFault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_derived_from_the_secret_alone() {
        let (one, other) = ("01".repeat(32), "02".repeat(32));
        let key = AuditKey::from_text(&one).unwrap();
        let same = AuditKey::from_text(&one).unwrap();
        let other = AuditKey::from_text(&other).unwrap();
        assert_eq!((key.id(), key.public()), (same.id(), same.public()));
        assert_ne!(key.public(), other.public());
        let signature = key.sign(b"text");
        assert!(key.public().has_signed(b"text", &signature));
        assert!(!key.public().has_signed(b"other", &signature));
        assert!(!other.public().has_signed(b"text", &signature));
        assert_eq!(key.public().to_string().parse(), Ok(key.public()));
        assert!(!format!("{key:?}").contains("01"));
        for wrong in ["", "0", &"g".repeat(64)] {
            assert!(AuditKey::from_text(wrong).is_err());
        }
    }
}
