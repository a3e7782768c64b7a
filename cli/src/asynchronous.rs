//! The runtime of asynchronous work.

use crate::Failure;

/// Returns a runtime for the asynchronous work of one command.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("cannot start: {error}")))
}
