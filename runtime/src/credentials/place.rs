//! Credential files: finding and reading them.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use toolwright_model::ServiceName;

use crate::{
    private::{self, Links},
    secret::Secret,
};

/// The longest credential file that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// A credential file that counts.
#[derive(Debug)]
pub(super) struct CredentialFile {
    /// The file itself, without links.
    path: PathBuf,
    /// Allows binding its content to the origin of the first use.
    pub(super) binds: bool,
    /// True if it is below the project's folder, and not a file that the user named.
    is_of_project: bool,
}

/// The files that credentials name, such as keys.
#[derive(Clone, Copy)]
pub(super) struct NamedFiles<'a> {
    /// The folder that relative paths start from.
    root: &'a Path,
    /// True if the files must be below the folder: one from elsewhere could name any file of the user.
    stay_below: bool,
}

impl CredentialFile {
    /// Reads the file that the environment names.
    pub(super) fn named(path: &Path, binds: bool) -> io::Result<(Self, Secret)> {
        let file = Self {
            path: fs::canonicalize(path)?,
            binds,
            is_of_project: false,
        };
        let text = read_resolved(&file.path)?;
        Ok((file, text))
    }

    /// Reads a file below a folder, if it is there. A link that leads out of the folder is refused: a
    /// folder from elsewhere could name any file of the user as its token.
    pub(super) fn below(root: &Path, path: &Path) -> io::Result<Option<(Self, Secret)>> {
        let of_project = |path| Self {
            path,
            binds: true,
            is_of_project: true,
        };
        match private::read_without_links(path, LIMIT) {
            Ok(Some(text)) => {
                let file = of_project(std::path::absolute(path)?);
                return Ok(Some((file, Secret::new(text))));
            }
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) if !private::is_link(&error) => return Err(error),
            Ok(None) | Err(_) => {}
        }
        match fs::symlink_metadata(path) {
            Err(error) if is_absent(&error) => return Ok(None),
            found => found?,
        };
        let file = real_path_below(root, path)?.map(of_project);
        let file = file.ok_or_else(leads_out)?;
        let text = read_resolved(&file.path)?;
        Ok(Some((file, text)))
    }

    /// The path for messages to the operator.
    pub(super) fn display(&self) -> String {
        self.path.display().to_string()
    }

    /// The file next to it that records the origin of a service's first call.
    pub(super) fn record(&self, service: &ServiceName) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(format!(".{service}.origin"));
        path.into()
    }
}

impl<'a> NamedFiles<'a> {
    /// Returns the files that credentials of a file, or of another source, may name.
    pub(super) fn of(root: &'a Path, file: Option<&CredentialFile>) -> Self {
        Self {
            root,
            stay_below: file.is_some_and(|file| file.is_of_project),
        }
    }

    /// Returns the path of a file.
    pub(super) fn path(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.root.join(name);
        if !self.stay_below {
            return Ok(path);
        }
        real_path_below(self.root, &path)?.ok_or_else(leads_out)
    }

    /// Reads a private file.
    pub(super) fn secret(&self, name: &str) -> io::Result<Secret> {
        let path = self.path(name)?;
        match self.stay_below {
            true => read_resolved(&path),
            false => private_text(&path),
        }
    }
}

/// Reads a private file. A link is followed: secret stores mount their files this way.
pub(crate) fn private_text(path: &Path) -> io::Result<Secret> {
    private::read(path, Links::Follow, LIMIT).map(Secret::new)
}

/// Reads the private file at a path that had no links when it was resolved. One that was put there since is refused.
fn read_resolved(path: &Path) -> io::Result<Secret> {
    let text = match private::read_without_links(path, LIMIT)? {
        Some(text) => text,
        None => private::read(path, Links::Refuse, LIMIT)?,
    };
    Ok(Secret::new(text))
}

/// Returns the path of a file without links, if it is below a folder.
fn real_path_below(root: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    let root = match root.as_os_str().is_empty() {
        true => Path::new("."),
        false => root,
    };
    let path = fs::canonicalize(path)?;
    Ok(path.starts_with(fs::canonicalize(root)?).then_some(path))
}

fn leads_out() -> io::Error {
    let message = "it leads out of the project's folder; name the auth file or the token file itself in an environment variable, `TOOLWRIGHT_<SERVICE>_AUTH_FILE` or `TOOLWRIGHT_<SERVICE>_API_TOKEN_FILE`";
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
