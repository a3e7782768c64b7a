//! The vocabulary that approvals and their audit share: the id of a request, and a person's
//! verdict.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The number of hexadecimal digits in an id or a handle.
const DIGITS: usize = 12;

/// The prefix of an id. It distinguishes the id of a request from its handle.
const PREFIX: &str = "wait-";

/// The name of a request for approval that its caller receives: `wait-1f3a5c7e9b0d`. It cannot be
/// used to decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApprovalId(Box<str>);

/// A string that is not the id of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnApprovalId(String);

/// The verdict of a person about a call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The call may pass, once.
    Approved,
    /// The call may not pass.
    Rejected,
}

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

/// Returns twelve random hexadecimal digits.
pub(crate) fn random_digits() -> String {
    let digits = Uuid::new_v4().simple().to_string();
    digits.chars().take(DIGITS).collect()
}

/// Checks whether a string is twelve lower-case hexadecimal digits.
pub(crate) fn are_digits(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == DIGITS && text.bytes().all(is_digit)
}

impl FromStr for ApprovalId {
    type Err = NotAnApprovalId;

    fn from_str(text: &str) -> Result<Self, NotAnApprovalId> {
        match text.strip_prefix(PREFIX) {
            Some(digits) if are_digits(digits) => Ok(Self(text.into())),
            _ => Err(NotAnApprovalId(text.to_owned())),
        }
    }
}

impl TryFrom<String> for ApprovalId {
    type Error = NotAnApprovalId;

    fn try_from(text: String) -> Result<Self, NotAnApprovalId> {
        text.parse()
    }
}

impl From<ApprovalId> for String {
    fn from(id: ApprovalId) -> Self {
        id.0.into()
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for NotAnApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not the id of a request: `{PREFIX}` and twelve hexadecimal digits",
            self.0
        )
    }
}

impl std::error::Error for NotAnApprovalId {}
