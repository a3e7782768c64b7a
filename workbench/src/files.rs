//! The tools for the files of a repository.

mod create;
mod delete;
mod edit;
mod find;
mod list;
mod read;
mod search;
mod write;

use toolwright::{ToolContext, ToolError};

/// Runs work that waits for the disk on a thread that may block.
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
