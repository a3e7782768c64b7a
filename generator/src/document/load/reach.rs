//! The restriction on the files that a document may reference.

use std::path::Path;

use super::FileSystem;
use crate::document::documents::{Absence, folder_of, normalise};

/// The folder that contains all files that a document may reference.
///
/// Hidden files and files in hidden folders are refused, because they often hold credentials, keys
/// and version control data. Both rules apply to the path in the document and to the path after
/// resolving symbolic links.
#[derive(Debug)]
pub(super) struct Reach {
    /// The folder that the caller allows, by default the document's own.
    folder: String,
    /// The document's own folder. The caller chose it, so it may be hidden.
    own: String,
}

impl Reach {
    /// Returns the reach of the document at `path`.
    pub(super) fn new(path: &str, allowed: Option<&str>) -> Self {
        let own = folder_of(&normalise(path));
        let folder = allowed.map_or_else(|| own.clone(), normalise);
        Self { folder, own }
    }

    /// Returns the reach of a document that may read a folder.
    #[cfg(feature = "grpc")]
    pub(super) fn of_folder(folder: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            own: folder.to_owned(),
        }
    }

    /// Checks whether the document may reference a file, without reading the file.
    ///
    /// # Errors
    /// Fails with the reason for the refusal.
    pub(super) fn admit(&self, path: &str, files: &dyn FileSystem) -> Result<(), Absence> {
        let rest = path_below(path, &self.folder).ok_or_else(|| self.out_of_reach())?;
        refuse_hidden(path_below(path, &self.own).unwrap_or(rest))?;
        let Ok(real) = files.real_path(path) else {
            // The read reports a file that does not exist.
            return Ok(());
        };
        let real_below = |folder: &str| {
            let folder = if folder.is_empty() { "." } else { folder };
            let folder = files.real_path(folder).ok()?;
            let rest = real.strip_prefix(&folder).ok()?;
            Some(rest.to_owned())
        };
        let rest = real_below(&self.folder).ok_or_else(|| self.out_of_reach())?;
        let rest = real_below(&self.own).unwrap_or(rest);
        refuse_hidden(&rest.to_string_lossy())
    }

    fn out_of_reach(&self) -> Absence {
        Absence::OutOfReach {
            reach: self.folder.clone(),
        }
    }
}

/// Returns the rest of a normalised path below a normalised folder.
fn path_below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = match folder {
        "" => (!Path::new(path).has_root()).then_some(path),
        "/" => path.strip_prefix('/'),
        folder => path
            .strip_prefix(folder)
            .and_then(|rest| rest.strip_prefix('/')),
    }?;
    // A `..` that remains after normalising leaves the folder.
    (!steps(rest).any(|step| step == "..")).then_some(rest)
}

fn refuse_hidden(rest: &str) -> Result<(), Absence> {
    if steps(rest).any(|step| step.starts_with('.')) {
        Err(Absence::Hidden)
    } else {
        Ok(())
    }
}

/// The steps of a path. A backslash separates steps on some systems.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['/', '\\'])
}
