//! The digest of a skill: what a person has reviewed.

use sha2::{Digest, Sha256};
use toolwright_model::hex;

/// Returns the SHA-256 of the bytes of a skill's file, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes))
}
