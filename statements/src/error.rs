//! The error of a database.

use std::{error, fmt};

use toolwright_state::StateError;

/// The reason why a database cannot be used. It is for the operator: it may name the server and the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseError {
    message: String,
}

impl DatabaseError {
    #[cfg(not(feature = "postgres"))]
    pub(crate) fn new(message: &str) -> Self {
        let message = message.to_owned();
        Self { message }
    }
}

impl From<StateError> for DatabaseError {
    fn from(error: StateError) -> Self {
        let message = match error {
            StateError::Location(message) => message,
            StateError::Unreachable(reason) => format!("cannot use the database: {reason}"),
            other => other.to_string(),
        };
        Self { message }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl error::Error for DatabaseError {}
