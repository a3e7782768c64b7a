//! The record of the files that the user has trusted: one file each, in the user's configuration
//! folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toolwright::{
    private::{self, Links},
    system,
};
use toolwright_model::hex;

use super::Settings;
use crate::Failure;

/// The longest record that is read, in bytes.
const LIMIT: u64 = 4 << 20;

/// A file that the user has trusted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TrustRecord {
    /// The file.
    pub(crate) file: String,
    /// When it was trusted.
    pub(crate) trusted: Timestamp,
    /// The user of the operating system who did.
    pub(crate) by: String,
    /// The settings that it had.
    pub(crate) settings: Settings,
}

/// The records of this user.
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    pub(crate) fn of_user() -> Result<Self, Failure> {
        let folder = system::config_folder().ok_or_else(|| {
            Failure::new("cannot determine the configuration folder of this user")
                .help("set `XDG_CONFIG_HOME` or `HOME` to an absolute path")
        })?;
        Ok(Self {
            folder: folder.join("trusted"),
        })
    }

    /// The record of a file, if it was trusted.
    pub(crate) fn find(&self, file: &Path) -> Result<Option<TrustRecord>, Failure> {
        let path = self.record(&canonical(file)?);
        match read(&path) {
            Ok(record) => Ok(Some(record)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::file("read", &path, &error)),
        }
    }

    /// Records that the user trusts a file with these settings.
    pub(crate) fn insert(&self, file: &Path, settings: Settings) -> Result<(), Failure> {
        let file = canonical(file)?;
        let path = self.record(&file);
        let record = TrustRecord {
            file: file.display().to_string(),
            trusted: Timestamp::now(),
            by: system::user(),
            settings,
        };
        let written = private::create_folder(&self.folder)
            .and_then(|()| Ok(serde_json::to_vec_pretty(&record)?))
            .and_then(|text| private::write(&path, text));
        written.map_err(|error| Failure::file("write", &path, &error))
    }

    /// Removes the record of a file. Returns whether there was one.
    pub(crate) fn remove(&self, file: &Path) -> Result<bool, Failure> {
        let path = self.record(&canonical(file)?);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Failure::file("remove", &path, &error)),
        }
    }

    /// Every record, by the path of its file.
    pub(crate) fn all(&self) -> Result<Vec<TrustRecord>, Failure> {
        let unreadable = |error| Failure::file("read", &self.folder, &error);
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(unreadable)?,
        };
        let mut records = Vec::new();
        for entry in entries {
            let path = entry.map_err(unreadable)?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                records.push(read(&path).map_err(|error| Failure::file("read", &path, &error))?);
            }
        }
        records.sort_by(|a, b| a.file.cmp(&b.file));
        Ok(records)
    }

    fn record(&self, file: &Path) -> PathBuf {
        let digest = Sha256::digest(file.as_os_str().as_encoded_bytes());
        self.folder.join(hex(digest)).with_extension("json")
    }
}

fn read(path: &Path) -> io::Result<TrustRecord> {
    let text = private::read(path, Links::Refuse, LIMIT)?;
    Ok(serde_json::from_str(&text)?)
}

/// Returns the path that identifies a file: its name in the folder without links, since its
/// relative paths are resolved against that folder.
fn canonical(file: &Path) -> Result<PathBuf, Failure> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = file
        .file_name()
        .ok_or_else(|| Failure::usage(format!("`{}` is not a file", file.display())))?;
    let folder = fs::canonicalize(folder).map_err(|error| Failure::file("find", folder, &error))?;
    Ok(folder.join(name))
}
