//! The name that a person decides a request with.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::ApprovalError;
use crate::verdict::{are_digits, random_digits};

/// The name of a request that a person decides with: twelve hexadecimal digits. Callers never
/// receive it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApprovalHandle(Box<str>);

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

impl TryFrom<String> for ApprovalHandle {
    type Error = ApprovalError;

    fn try_from(text: String) -> Result<Self, ApprovalError> {
        text.parse()
    }
}

impl From<ApprovalHandle> for String {
    fn from(handle: ApprovalHandle) -> Self {
        handle.0.into()
    }
}

impl fmt::Display for ApprovalHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
