//! The files of this repository, for tests about the code base itself.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Folders without sources of our own, relative to the workspace.
const EXCLUDED: &[&str] = &["target", ".git", "generated/src"];

/// Returns the path of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the files whose names end with `ending`, in the order of their paths, as pairs of the
/// path relative to the workspace (with `/`) and the content. Files that are not UTF-8 have no
/// content.
///
/// # Errors
///
/// Fails if a folder of the workspace cannot be read.
pub fn files(ending: &str) -> io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    collect(&root(), "", ending, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(
    folder: &Path,
    prefix: &str,
    ending: &str,
    found: &mut Vec<(String, String)>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            let excluded = name == "target" || EXCLUDED.contains(&path.as_str());
            if !excluded && !name.starts_with('.') {
                collect(&entry.path(), &format!("{path}/"), ending, found)?;
            }
        } else if name.ends_with(ending) {
            found.push((path, fs::read_to_string(entry.path()).unwrap_or_default()));
        }
    }
    Ok(())
}

/// Checks whether the file belongs to a test case: a UI case contains one fault, and the expected
/// output of a case is not our source.
#[must_use]
pub fn is_case(path: &str) -> bool {
    path.contains("/ui/") || path.contains("/cases/")
}
