//! The handles of files.

use std::{fmt, str::FromStr};

use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};
use toolwright_model::hex;

use super::FileError;

/// The start of every handle.
const PREFIX: &str = "file-";

/// The number of hexadecimal digits.
const DIGITS: usize = 32;

/// The name of a file in a store: `file-` and 32 random hexadecimal digits. It cannot be guessed,
/// and it is no base64, so it is distinct from the content of any file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileHandle(String);

/// A string is not the handle of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAHandle(());

impl FileHandle {
    /// Creates a handle from the randomness of the operating system.
    pub(super) fn random() -> Result<Self, FileError> {
        let mut bytes = [0; DIGITS / 2];
        let filled = SystemRandom::new().fill(&mut bytes);
        filled.map_err(|_| FileError::Failed {
            detail: "the system has no randomness".to_owned(),
        })?;
        Ok(Self(hex(bytes)))
    }

    pub(super) fn from_digits(digits: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let fits = digits.len() == DIGITS && digits.bytes().all(is_digit);
        fits.then(|| Self(digits.to_owned()))
    }

    pub(super) fn digits(&self) -> &str {
        &self.0
    }
}

impl FromStr for FileHandle {
    type Err = NotAHandle;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(PREFIX);
        digits.and_then(Self::from_digits).ok_or(NotAHandle(()))
    }
}

impl TryFrom<String> for FileHandle {
    type Error = NotAHandle;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<FileHandle> for String {
    fn from(handle: FileHandle) -> Self {
        handle.to_string()
    }
}

impl fmt::Display for FileHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

impl fmt::Display for NotAHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the handle of a file is `file-` and 32 hexadecimal digits")
    }
}

impl std::error::Error for NotAHandle {}
