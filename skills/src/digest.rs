//! The digest of a skill: what a person has reviewed.

use sha2::{Digest, Sha256};
use toolwright_model::hex;

/// Returns the SHA-256 of the bytes of a skill's file, in hexadecimal. A script follows the file after a zero
/// byte, which no TOML contains.
pub(crate) fn digest(file: &str, script: Option<&str>) -> String {
    let mut hasher = Sha256::new();
    hasher.update(file);
    if let Some(script) = script {
        hasher.update([0]);
        hasher.update(script);
    }
    hex(hasher.finalize())
}
