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
}

impl CredentialFile {
    /// The file that the environment names.
    pub(super) fn named(path: &Path, binds: bool) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        Ok(Self { path, binds })
    }

    /// A file below a folder, if it is there. A link that leads out of the folder is refused: a
    /// folder from elsewhere could name any file of the user as its token.
    pub(super) fn below(root: &Path, path: &Path) -> io::Result<Option<Self>> {
        match fs::symlink_metadata(path) {
            Err(error) if is_absent(&error) => return Ok(None),
            found => found?,
        };
        let root = match root.as_os_str().is_empty() {
            true => Path::new("."),
            false => root,
        };
        let path = fs::canonicalize(path)?;
        if path.starts_with(fs::canonicalize(root)?) {
            return Ok(Some(Self { path, binds: true }));
        }
        let message = "it is a link that leads out of the project's folder; name the file itself in an environment variable, `TOOLWRIGHT_<SERVICE>_AUTH_FILE` or `TOOLWRIGHT_<SERVICE>_API_TOKEN_FILE`";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    }

    /// The path for messages to the operator.
    pub(super) fn display(&self) -> String {
        self.path.display().to_string()
    }

    /// Reads the file, which must be private.
    pub(super) fn text(&self) -> io::Result<Secret> {
        private::read(&self.path, Links::Refuse, LIMIT).map(Secret::new)
    }

    /// The file next to it that records the origin of a service's first call.
    pub(super) fn record(&self, service: &ServiceName) -> PathBuf {
        let mut path = OsString::from(&self.path);
        path.push(format!(".{service}.origin"));
        path.into()
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}
