//! What emission gives: files, not yet on disk.

use std::collections::BTreeMap;

/// The mark of a generated file, which it has in its first line.
pub const MARK: &str = "@generated";

/// The content of each file that should be there, by its path with forward slashes below the
/// folder that the tree is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputTree {
    files: BTreeMap<String, String>,
}

impl OutputTree {
    /// A tree without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file, in the place of the one that had the path.
    pub fn add(&mut self, path: impl Into<String>, content: impl Into<String>) {
        self.files.insert(path.into(), content.into());
    }

    /// Adds the files of another tree below a folder; an empty folder stands for this tree's own.
    pub fn add_below(&mut self, folder: &str, tree: Self) {
        for (path, content) in tree.files {
            let path = if folder.is_empty() {
                path
            } else {
                format!("{folder}/{path}")
            };
            self.files.insert(path, content);
        }
    }

    /// The content of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// All files by path: path and content.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_str()))
    }
}
