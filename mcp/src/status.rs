//! The state of the policy that a server enforces, as `/health` reports it.

use jiff::Timestamp;

/// The state of the policy, for `/health`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyStatus {
    /// The SHA-256 of the file that is in force, in hexadecimal digits, unless there is none.
    pub digest: Option<String>,
    /// The time when it was read.
    pub loaded: Timestamp,
    /// The reason why a newer file is not in force.
    pub error: Option<String>,
}

impl PolicyStatus {
    /// Returns the state of a policy that is in force from now on.
    #[must_use]
    pub fn loaded_now(digest: Option<String>) -> Self {
        Self {
            digest,
            loaded: Timestamp::now(),
            error: None,
        }
    }
}
