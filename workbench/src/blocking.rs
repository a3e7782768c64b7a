//! Work that waits for the disk, or computes for long.

use toolwright::{ToolContext, ToolError};

/// Runs work on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    ctx: &ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let ctx = ctx.clone();
    match tokio::task::spawn_blocking(move || work(&ctx)).await {
        Ok(result) => result,
        Err(error) => Err(ToolError::failed(error)),
    }
}
