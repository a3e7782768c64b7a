//! The errors of a state.

use std::{fmt, io};

use toolwright::approval::ApprovalError;

/// The reason why the state cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The configuration of the place is wrong.
    Location(String),
    /// The database cannot be reached, does not answer in time, or failed.
    Unreachable(String),
    /// The database is the one of another program, or was changed by hand.
    Foreign(String),
    /// The schema is newer than this program.
    Newer {
        /// The number of the schema.
        found: i64,
        /// The number that this program knows.
        known: i64,
    },
    /// The schema is older than this program.
    Older {
        /// The number of the schema.
        found: i64,
        /// The number that this program knows.
        known: i64,
    },
}

impl StateError {
    pub(crate) fn unreachable(error: impl fmt::Display) -> Self {
        Self::Unreachable(error.to_string())
    }

    /// The fix, if there is one that always applies.
    #[must_use]
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            Self::Newer { .. } => Some("update this program"),
            Self::Older { .. } => {
                Some("stop programs of the earlier version, and run `toolwright state migrate`")
            }
            _ => None,
        }
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Location(message) => f.write_str(message),
            Self::Unreachable(message) => write!(f, "cannot use the state: {message}"),
            Self::Foreign(message) => write!(f, "the database is not a state: {message}"),
            Self::Newer { found, known } => write!(
                f,
                "the state has the schema {found}, which is newer than this program's {known}"
            ),
            Self::Older { found, known } => write!(
                f,
                "the state has the schema {found}, and this program needs {known}"
            ),
        }
    }
}

impl std::error::Error for StateError {}

impl From<io::Error> for StateError {
    fn from(error: io::Error) -> Self {
        Self::unreachable(error)
    }
}

impl From<StateError> for ApprovalError {
    fn from(error: StateError) -> Self {
        Self::Store(error.to_string())
    }
}
