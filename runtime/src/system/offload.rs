//! Work that would keep a thread of the asynchronous runtime busy.

use std::panic::resume_unwind;

/// The runtime ended before the work did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted;

/// Runs work on a thread that may block. Outside of a Tokio runtime it runs here.
///
/// A panic of the work is a panic of the caller.
pub(crate) async fn offload<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Interrupted> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return Ok(work());
    };
    match runtime.spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(Interrupted),
        },
    }
}
