//! The project that a command works on: the nearest `toolwright.toml`.

use std::path::{Path, PathBuf};

use toolwright::config::{CONFIG_FILE, Config};

use crate::Failure;

/// The `toolwright.toml` that was named, or the one nearest above the current folder.
pub(crate) fn find(named: Option<&Path>) -> Result<Option<Config>, Failure> {
    if let Some(file) = named {
        return read(file).map(Some);
    }
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("cannot tell the current folder: {error}")))?;
    nearest(&here).map(|file| read(&file)).transpose()
}

fn read(file: &Path) -> Result<Config, Failure> {
    Config::read(file).map_err(|error| Failure::all(error.problems.iter().map(ToString::to_string)))
}

/// The file in the folder or in the nearest one above it, as seen from the folder.
fn nearest(folder: &Path) -> Option<PathBuf> {
    folder
        .ancestors()
        .zip(std::iter::successors(Some(PathBuf::new()), |up| {
            Some(up.join(".."))
        }))
        .find(|(above, _)| above.join(CONFIG_FILE).is_file())
        .map(|(_, up)| up.join(CONFIG_FILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_file_is_named_as_seen_from_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(folder.path().join(CONFIG_FILE), "").unwrap();
        assert_eq!(nearest(&deep).unwrap(), Path::new("../../toolwright.toml"));
        assert_eq!(nearest(folder.path()).unwrap(), Path::new(CONFIG_FILE));
    }
}
