//! The statements of people: the name of the person and the reason.

use std::fmt;

use serde::{Deserialize, Serialize};
use toolwright_model::text::has_invisible;

/// The greatest length of a person's name, in characters.
pub(crate) const NAME_LIMIT: usize = 128;

/// The greatest length of a reason, in characters.
pub(crate) const REASON_LIMIT: usize = 512;

/// The name of the person who changes something, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Statement {
    /// The name of the person.
    pub by: String,
    /// The person's reason.
    pub why: String,
}

/// A statement without a usable name or reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementError {
    /// The name of the person is empty, too long, or has an invisible character.
    Person,
    /// The reason is empty, too long, or has an invisible character.
    Reason,
}

impl Statement {
    /// Creates the statement of a named person.
    ///
    /// # Errors
    /// [`StatementError`] if the name or the reason is empty, too long, or has an invisible
    /// character.
    pub fn new(by: &str, why: &str) -> Result<Self, StatementError> {
        if !is_name(by) {
            return Err(StatementError::Person);
        }
        if !is_reason(why) {
            return Err(StatementError::Reason);
        }
        Ok(Self {
            by: by.to_owned(),
            why: why.to_owned(),
        })
    }
}

/// Checks whether a text can name a person: one line of visible characters.
pub(crate) fn is_name(text: &str) -> bool {
    is_line(text, NAME_LIMIT)
}

/// Checks whether a text can be a person's reason: one line of visible characters.
pub(crate) fn is_reason(text: &str) -> bool {
    is_line(text, REASON_LIMIT)
}

fn is_line(text: &str, limit: usize) -> bool {
    let is_short = text.chars().nth(limit).is_none();
    !text.trim().is_empty() && is_short && !text.contains('\n') && !has_invisible(text)
}

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, limit) = match self {
            Self::Person => ("name of the person", NAME_LIMIT),
            Self::Reason => ("reason", REASON_LIMIT),
        };
        write!(
            f,
            "the {what} must be one line of 1 to {limit} visible characters"
        )
    }
}

impl std::error::Error for StatementError {}
