//! The tools for the files of a repository.

mod read;

use toolwright::{ToolContext, ToolError};

/// Runs work that waits for the disk on a thread that may block.
async fn blocking<T: Send + 'static>(
    ctx: &ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let ctx = ctx.clone();
    match tokio::task::spawn_blocking(move || work(&ctx)).await {
        Ok(result) => result,
        Err(error) => Err(ToolError::failed(error)),
    }
}
