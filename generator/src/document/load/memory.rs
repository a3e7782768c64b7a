//! Files in memory, for programs that do not read documents from disk.

use std::{collections::BTreeMap, io, path::PathBuf};

use openapiv3::OpenAPI;

use super::{FileSystem, normalise};

/// Files in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub BTreeMap<String, Vec<u8>>);

impl Memory {
    /// Adds a typed OpenAPI document as a JSON file. Diagnostics refer to its lines.
    ///
    /// # Errors
    /// Fails if the document cannot be written as JSON.
    pub fn add_openapi(
        &mut self,
        path: impl Into<String>,
        document: &OpenAPI,
    ) -> serde_json::Result<()> {
        let json = serde_json::to_vec_pretty(document)?;
        self.0.insert(path.into(), json);
        Ok(())
    }
}

impl FileSystem for Memory {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.0
            .get(path)
            .cloned()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let start = format!("{}/", folder.trim_end_matches('/'));
        let names = self.0.keys().filter_map(|path| path.strip_prefix(&start));
        let names: Vec<_> = names
            .filter(|name| !name.contains('/'))
            .map(str::to_owned)
            .collect();
        if names.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no such folder"));
        }
        Ok(names)
    }
}

/// Files in memory that take precedence over another file system.
#[derive(Clone, Debug)]
pub struct Layered<'m, F> {
    front: &'m Memory,
    back: F,
}

impl<'m, F: FileSystem> Layered<'m, F> {
    /// Creates a file system that reads a file from `front` if it exists there, otherwise from
    /// `back`.
    #[must_use]
    pub const fn new(front: &'m Memory, back: F) -> Self {
        Self { front, back }
    }
}

impl<F: FileSystem> FileSystem for Layered<'_, F> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.front.read(path) {
            Ok(bytes) => Ok(bytes),
            Err(_) => self.back.read(path),
        }
    }

    fn real_path(&self, path: &str) -> io::Result<PathBuf> {
        if self.front.0.contains_key(path) {
            return Ok(PathBuf::from(normalise(path)));
        }
        self.back.real_path(path)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        match self.front.list(folder) {
            Ok(names) => Ok(names),
            Err(_) => self.back.list(folder),
        }
    }
}
