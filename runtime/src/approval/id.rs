//! The two names of a request: the one that the caller receives, and the one that a person uses.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::ApprovalError;

/// How many hexadecimal digits a name has.
const DIGITS: usize = 12;

/// What the id of a request begins with, so that it is not taken for a handle.
const PREFIX: &str = "wait-";

/// The name of a request that its caller receives: `wait-1f3a5c7e9b0d`. It cannot be used to decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApprovalId(Box<str>);

/// The name of a request that a person decides with: twelve hexadecimal digits. Callers never
/// receive it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApprovalHandle(Box<str>);

impl ApprovalId {
    pub(crate) fn random() -> Self {
        Self(format!("{PREFIX}{}", random_digits()).into())
    }

    /// Returns the id as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ApprovalHandle {
    pub(crate) fn random() -> Self {
        Self(random_digits().into())
    }

    /// Returns the handle as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn random_digits() -> String {
    let digits = Uuid::new_v4().simple().to_string();
    digits.chars().take(DIGITS).collect()
}

fn are_digits(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == DIGITS && text.bytes().all(is_digit)
}

impl FromStr for ApprovalId {
    type Err = ApprovalError;

    fn from_str(text: &str) -> Result<Self, ApprovalError> {
        match text.strip_prefix(PREFIX) {
            Some(digits) if are_digits(digits) => Ok(Self(text.into())),
            _ => Err(ApprovalError::NotAHandle(text.to_owned())),
        }
    }
}

impl FromStr for ApprovalHandle {
    type Err = ApprovalError;

    fn from_str(text: &str) -> Result<Self, ApprovalError> {
        if are_digits(text) {
            Ok(Self(text.into()))
        } else {
            Err(ApprovalError::NotAHandle(text.to_owned()))
        }
    }
}

impl TryFrom<String> for ApprovalId {
    type Error = ApprovalError;

    fn try_from(text: String) -> Result<Self, ApprovalError> {
        text.parse()
    }
}

impl TryFrom<String> for ApprovalHandle {
    type Error = ApprovalError;

    fn try_from(text: String) -> Result<Self, ApprovalError> {
        text.parse()
    }
}

impl From<ApprovalId> for String {
    fn from(id: ApprovalId) -> Self {
        id.0.into()
    }
}

impl From<ApprovalHandle> for String {
    fn from(handle: ApprovalHandle) -> Self {
        handle.0.into()
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for ApprovalHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
