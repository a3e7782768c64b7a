//! Which files a document may refer to.

use std::path::Path;

use super::FileSystem;
use crate::documents::{Absence, folder_of, normalise};

/// The folder below which a document may refer to other files.
///
/// A file whose path begins with a dot below that folder is refused, and so is one in such a
/// folder: credentials, keys and the data of version control are kept there. Both rules hold for
/// the path that the document writes and for the path that symbolic links lead to.
#[derive(Debug)]
pub(super) struct Reach {
    /// The folder that the caller allows; the document's own without one.
    folder: String,
    /// The folder of the document, which the caller named whatever its name is.
    own: String,
}

impl Reach {
    /// Returns the reach of the document at `path`.
    pub(super) fn new(path: &str, allowed: Option<&str>) -> Self {
        let own = folder_of(&normalise(path));
        let folder = allowed.map_or_else(|| own.clone(), normalise);
        Self { folder, own }
    }

    /// Checks whether the document may refer to a file.
    ///
    /// # Errors
    /// Why it may not. Nothing of the file was read.
    pub(super) fn admit(&self, path: &str, files: &dyn FileSystem) -> Result<(), Absence> {
        let rest = below(path, &self.folder).ok_or_else(|| self.out_of_reach())?;
        refuse_hidden(below(path, &self.own).unwrap_or(rest))?;
        let Ok(real) = files.real_path(path) else {
            // A file that does not exist is reported when it is read.
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

/// Returns the rest of a normalised path that is below a normalised folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = match folder {
        "" => (!Path::new(path).has_root()).then_some(path),
        "/" => path.strip_prefix('/'),
        folder => path
            .strip_prefix(folder)
            .and_then(|rest| rest.strip_prefix('/')),
    }?;
    // `..` that is left after normalising leads out of the folder.
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
