//! The project that a command works on: `toolwright.toml` and the folders that it names.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::Failure;

/// The name of the project's file.
pub(crate) const FILE_NAME: &str = "toolwright.toml";

/// A project: a folder with a `toolwright.toml`.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    /// The `toolwright.toml`.
    pub(crate) file: PathBuf,
    /// The folder with one folder a service, each with a specification.
    pub(crate) specs: PathBuf,
    /// The crate of checked-in adapters.
    pub(crate) generated: PathBuf,
}

/// The part of `toolwright.toml` that says where things are.
#[derive(Debug, Default, Deserialize)]
struct Settings {
    #[serde(default)]
    workspace: Folders,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Folders {
    specs: PathBuf,
    generated: PathBuf,
}

impl Default for Folders {
    fn default() -> Self {
        Self {
            specs: "specs".into(),
            generated: "generated".into(),
        }
    }
}

impl Project {
    /// The project of the given file, or the one whose file is nearest above the current folder.
    ///
    /// # Errors
    /// When the file that was named is not there, or a file cannot be understood.
    pub(crate) fn find(named: Option<&Path>) -> Result<Option<Self>, Failure> {
        if let Some(file) = named {
            return Self::open(file).map(Some);
        }
        let here = std::env::current_dir()
            .map_err(|error| Failure::new(format!("cannot tell the current folder: {error}")))?;
        here.ancestors()
            .map(|folder| folder.join(FILE_NAME))
            .find(|file| file.is_file())
            .map(|file| Self::open(&relative(&file, &here)))
            .transpose()
    }

    fn open(file: &Path) -> Result<Self, Failure> {
        let text =
            std::fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))?;
        let settings: Settings = toml::from_str(&text).map_err(|error| {
            Failure::new(format!("cannot understand `{}`", file.display()))
                .note(error.to_string().trim_end().to_owned())
        })?;
        let folder = file.parent().unwrap_or(Path::new(""));
        Ok(Self {
            file: file.to_owned(),
            specs: folder.join(settings.workspace.specs),
            generated: folder.join(settings.workspace.generated),
        })
    }
}

/// The path as seen from the current folder, which is shorter to read: `../../toolwright.toml`.
fn relative(file: &Path, here: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let Ok(below) = here.strip_prefix(folder) else {
        return file.to_owned();
    };
    let up = below.components().map(|_| "..");
    up.chain([FILE_NAME]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_named_as_seen_from_here() {
        let file = Path::new("/a/toolwright.toml");
        assert_eq!(relative(file, Path::new("/a")), Path::new(FILE_NAME));
        let up = Path::new("../../toolwright.toml");
        assert_eq!(relative(file, Path::new("/a/b/c")), up);
    }

    #[test]
    fn a_project_may_say_nothing_of_folders() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE_NAME);
        std::fs::write(&file, "[roles.reader]\n").unwrap();
        let project = Project::find(Some(&file)).unwrap().unwrap();
        assert_eq!(project.specs, folder.path().join("specs"));
        assert_eq!(project.generated, folder.path().join("generated"));
    }

    #[test]
    fn a_slip_in_the_file_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE_NAME);
        std::fs::write(&file, "[workspace]\nspec = \"x\"\n").unwrap();
        let failure = Project::find(Some(&file)).unwrap_err().to_string();
        assert!(failure.contains("unknown field `spec`"), "{failure}");
    }
}
