//! The contents of files in commits.

use toolwright::ToolError;

use super::repository::Repository;

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) mode: String,
    pub(super) id: String,
}

impl Blob {
    /// Checks whether this is an ordinary file, and neither a link nor a repository within the repository.
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }

    /// Checks whether there is a file at all.
    pub(super) fn exists(&self) -> bool {
        self.mode != "000000"
    }

    /// Reads the content; none if it is larger than a limit.
    pub(super) async fn content(
        &self,
        repository: &Repository,
        largest: u64,
    ) -> Result<Option<Vec<u8>>, ToolError> {
        let size = repository.git(&["cat-file", "-s", &self.id]).run().await?;
        let size = String::from_utf8_lossy(&size).trim_end().parse::<u64>();
        if size.is_ok_and(|size| size > largest) {
            return Ok(None);
        }
        let content = repository.git(&["cat-file", "blob", &self.id]);
        content.run().await.map(Some)
    }
}
