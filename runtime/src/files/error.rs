//! The errors of the store of files.

use std::{fmt, io};

/// The reason why a file cannot be stored or read.
///
/// The message holds no path and is safe to show to an agent. [`FileError::detail`] is for the
/// operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// There is no store of files.
    NoStore,
    /// The handle is unknown, belongs to another owner, or has expired. The caller cannot
    /// distinguish the three.
    NotFound,
    /// The files of the role would be larger than they may be.
    QuotaExceeded {
        /// The bytes that the files of a role may have.
        quota: u64,
        /// The bytes that they have.
        used: u64,
    },
    /// The role has too many files.
    TooMany {
        /// The most files of a role.
        most: usize,
    },
    /// The file is larger than a file may be.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The content of the file is not what was stored.
    Changed,
    /// The store cannot be used, for example because the disk is full.
    Failed {
        /// The reason, for the operator and not for the caller.
        detail: String,
    },
}

impl FileError {
    /// Returns the stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoStore => "no_file_store",
            Self::NotFound => "file_not_found",
            Self::QuotaExceeded { .. } | Self::TooMany { .. } => "file_quota_exceeded",
            Self::TooLarge { .. } => "file_too_large",
            Self::Changed => "file_changed",
            Self::Failed { .. } => "file_store_failed",
        }
    }

    /// Returns the detail for the operator that the message omits.
    #[must_use]
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Failed { detail } => Some(detail),
            _ => None,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStore => {
                f.write_str("files cannot be stored: the program has no store of files")
            }
            Self::NotFound => f.write_str("there is no such file, or it has expired"),
            Self::QuotaExceeded { quota, used } => write!(
                f,
                "the files of this role have {used} bytes, and the limit is {quota} bytes; wait until some expire"
            ),
            Self::TooMany { most } => write!(
                f,
                "this role has {most} files, which is the limit; wait until some expire"
            ),
            Self::TooLarge { limit } => {
                write!(f, "the file is larger than the limit of {limit} bytes")
            }
            Self::Changed => f.write_str("the file is damaged: its content has changed"),
            Self::Failed { .. } => f.write_str("the store of files cannot be used"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Failed {
            detail: format!("the store of files: {error}"),
        }
    }
}
