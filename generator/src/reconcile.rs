//! The reconciling stage: compares the expected files with those on disk.
//!
//! New content is written next to the old and then renamed into place. An interruption before the
//! renames leaves all old files unchanged.

mod staged;
mod stamp;

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

pub use staged::Staged;
pub use stamp::{Recorded, Stamp};

use toolwright_model::words;

use crate::emit::{MARK, OutputTree};

/// The number of bytes that are searched for the mark.
const LONGEST_MARK: u64 = 4096;

/// The comparison of a folder with the expected files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconciliation {
    /// The existing and expected files, sorted by path with forward slashes.
    pub files: Vec<(String, State)>,
}

words! {
    /// The state of a file.
    State {
        /// It has the expected content, or it belongs to the user.
        Fresh = "fresh",
        /// It has different content.
        Stale = "stale",
        /// It does not exist.
        Missing = "missing",
        /// It has the mark of a generated file but is not expected.
        Orphan = "orphan",
    }
}

impl Reconciliation {
    /// Checks whether all files are fresh.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.count(State::Fresh) == self.files.len()
    }

    /// Returns the number of files in the state.
    #[must_use]
    pub fn count(&self, state: State) -> usize {
        self.in_state(|other| other == state).count()
    }

    /// Returns the paths of the files whose state matches.
    pub fn in_state(&self, asked: impl Fn(State) -> bool) -> impl Iterator<Item = &str> {
        self.files
            .iter()
            .filter(move |(_, state)| asked(*state))
            .map(|(path, _)| path.as_str())
    }
}

/// Compares the expected files with those in a folder. Ignores other files and writes nothing.
///
/// # Errors
/// Fails if a file cannot be read. A missing file is not an error.
pub fn compare_listed(tree: &OutputTree, folder: &Path) -> io::Result<Reconciliation> {
    let mut files = Vec::new();
    for (path, content) in tree.iter() {
        let state = match state_of(&folder.join(path), content)? {
            State::Stale if tree.is_initial(path) => State::Fresh,
            state => state,
        };
        files.push((path.to_owned(), state));
    }
    Ok(Reconciliation { files })
}

/// Compares a folder with the expected files, and writes nothing.
///
/// # Errors
/// Fails if the folder or a file in it cannot be read. A missing file is not an error.
pub fn compare(tree: &OutputTree, folder: &Path) -> io::Result<Reconciliation> {
    let mut files = compare_listed(tree, folder)?.files;
    for path in marked_files(folder)? {
        if tree.file(&path).is_none() {
            files.push((path, State::Orphan));
        }
    }
    files.sort();
    Ok(Reconciliation { files })
}

/// Writes the files whose bytes differ and removes the orphans. Returns the previous states.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub fn write(tree: &OutputTree, folder: &Path) -> io::Result<Reconciliation> {
    let before = compare(tree, folder)?;
    if !before.is_fresh() {
        Staged::new(tree, folder, &before)?.commit()?;
    }
    Ok(before)
}

fn state_of(path: &Path, content: &str) -> io::Result<State> {
    match fs::read(path) {
        Ok(bytes) if bytes == content.as_bytes() => Ok(State::Fresh),
        Ok(_) => Ok(State::Stale),
        Err(error) if is_absent(&error) => Ok(State::Missing),
        Err(error) => Err(at_path(path, &error)),
    }
}

/// Returns the marked files below a folder, by path with forward slashes. Skips hidden folders and
/// `target`.
fn marked_files(folder: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for (name, path, is_folder) in entries(&folder).map_err(|error| at_path(&folder, &error))? {
            if is_folder && !name.starts_with('.') && name != "target" {
                folders.push((path, format!("{prefix}{name}/")));
            } else if !is_folder && bears_mark(&path).map_err(|error| at_path(&path, &error))? {
                files.push(format!("{prefix}{name}"));
            }
        }
    }
    Ok(files)
}

/// Returns the entries of a folder: name, path, and whether it is a folder. Empty if it is absent.
fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf, bool)>> {
    let read = match fs::read_dir(folder) {
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        read => read?,
    };
    read.map(|entry| {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        Ok((name, entry.path(), entry.file_type()?.is_dir()))
    })
    .collect()
}

fn bears_mark(path: &Path) -> io::Result<bool> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?.take(LONGEST_MARK)).read_until(b'\n', &mut line)?;
    Ok(line
        .windows(MARK.len())
        .any(|window| window == MARK.as_bytes()))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Adds the path to an error.
fn at_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, path: &str, content: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[test]
    fn files_are_compared_and_reconciled() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        put(folder, "a.rs", "// @generated by toolwright\n1");
        put(folder, "b/c.rs", "// @generated by toolwright\nold");
        put(folder, "gone/x.rs", "// @generated by toolwright\n");
        put(folder, "by-hand.rs", "//! No mark.\n");
        put(folder, "of-others.rs", "// @generated by something else\n");
        put(folder, "target/y.rs", "// @generated by toolwright\n");
        put(folder, "edited.toml", "edited");
        let mut tree = OutputTree::new();
        tree.add("a.rs", "// @generated by toolwright\n1");
        tree.add("b/c.rs", "new");
        tree.add("d.rs", "");
        tree.add_initial("edited.toml", "as it was first");
        tree.add_initial("first.toml", "as it was first");

        let before = write(&tree, folder).unwrap();
        let states: Vec<_> = before
            .files
            .iter()
            .map(|(path, state)| (path.as_str(), state.word()))
            .collect();
        let expected = [
            ("a.rs", "fresh"),
            ("b/c.rs", "stale"),
            ("d.rs", "missing"),
            ("edited.toml", "fresh"),
            ("first.toml", "missing"),
            ("gone/x.rs", "orphan"),
        ];
        assert_eq!(states, expected);
        assert!(compare(&tree, folder).unwrap().is_fresh());
        assert_eq!(fs::read_to_string(folder.join("b/c.rs")).unwrap(), "new");
        let read = |file| fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(
            (read("edited.toml"), read("first.toml")),
            ("edited".into(), "as it was first".into())
        );
        assert!(!folder.join("gone").exists());
        let names: Vec<_> = entries(folder)
            .unwrap()
            .into_iter()
            .map(|entry| entry.0)
            .collect();
        assert!(names.contains(&"by-hand.rs".to_owned()));
        assert!(!names.iter().any(|name| name.starts_with('.')));
    }

    #[test]
    fn dropped_staged_files_are_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("out");
        let mut tree = OutputTree::new();
        tree.add("deep/a.rs", "1");
        put(&folder, "deep/a.rs", "0");
        let before = compare(&tree, &folder).unwrap();
        drop(Staged::new(&tree, &folder, &before).unwrap());
        assert_eq!(fs::read_to_string(folder.join("deep/a.rs")).unwrap(), "0");
        assert_eq!(entries(&folder).unwrap().len(), 1);
    }
}
