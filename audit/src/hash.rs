//! SHA-256 hashes.

use std::{fmt, str::FromStr};

use ring::digest::{Digest, SHA256, digest};
use toolwright_model::{hex, parse_hex};

/// The SHA-256 of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; Self::LENGTH]);

impl Hash {
    /// The length in bytes.
    const LENGTH: usize = 32;

    /// The hash before the first event: zeros.
    pub const GENESIS: Self = Self([0; Self::LENGTH]);

    /// Hashes bytes.
    #[must_use]
    pub fn from_content(bytes: &[u8]) -> Self {
        Self::from_digest(&digest(&SHA256, bytes))
    }

    pub(crate) fn from_digest(digest: &Digest) -> Self {
        let mut hash = [0; Self::LENGTH];
        for (byte, digested) in hash.iter_mut().zip(digest.as_ref()) {
            *byte = *digested;
        }
        Self(hash)
    }
}

impl AsRef<[u8]> for Hash {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0))
    }
}

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bytes = parse_hex(text.as_bytes());
        bytes
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a hash: 64 lower-case hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_sha_256_and_survives_its_text() {
        let hash = Hash::from_content(b"{}");
        let text = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(hash.to_string(), text);
        assert_eq!(text.parse(), Ok(hash));
        for wrong in ["", "44", &text.to_uppercase(), &format!("{text}0")] {
            assert!(wrong.parse::<Hash>().is_err(), "{wrong}");
        }
    }
}
