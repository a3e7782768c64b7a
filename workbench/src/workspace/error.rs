//! The reasons why a path is not opened.

use std::{fmt, io};

use rustix::io::Errno;
use toolwright::ToolError;
use toolwright_commands::Failure;

/// The reason why a path is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessError {
    /// The call has no repository, or its folder cannot be opened.
    NoRepository,
    NotFound,
    /// The path leaves the repository.
    Outside,
    Folder,
    /// A part of the path is a file.
    NotFolder,
    /// A symbolic link that is not followed.
    Link,
    HardLink,
    /// A device, a pipe or a socket.
    Special,
    NotUnicode,
    /// Another process changed the path at the same time.
    Changed,
    Denied,
    Failed(Errno),
}

impl AccessError {
    /// Returns the stable code of the error.
    const fn code(self) -> &'static str {
        match self {
            Self::NoRepository => "no_repository",
            Self::NotFound => "file_not_found",
            Self::Outside => "outside_of_repository",
            Self::Folder | Self::NotFolder | Self::Special | Self::NotUnicode => "not_a_file",
            Self::Link => "symbolic_link",
            Self::HardLink => "hard_link",
            Self::Changed => "file_changed",
            Self::Denied => "file_not_permitted",
            Self::Failed(_) => "file_failed",
        }
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRepository => {
                "there is no repository; the operator sets `path` in `[repository]`"
            }
            Self::NotFound => "there is no such file",
            Self::Outside => "the path leaves the repository",
            Self::Folder => "this is a folder",
            Self::NotFolder => "a part of the path is not a folder",
            Self::Link => "a part of the path is a symbolic link",
            Self::HardLink => {
                "the file has several names (hard links), and another one may be outside of the scope"
            }
            Self::Special => "this is a device, a pipe or a socket",
            Self::NotUnicode => "the name of the file is not Unicode",
            Self::Changed => "another process is changing the path; call again",
            Self::Denied => "the operating system does not permit the access",
            Self::Failed(error) => return write!(f, "the file cannot be used: {error}"),
        })
    }
}

impl From<Errno> for AccessError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT => Self::NotFound,
            Errno::XDEV => Self::Outside,
            Errno::NOTDIR => Self::NotFolder,
            Errno::ISDIR => Self::Folder,
            Errno::LOOP => Self::Link,
            // A socket, or a pipe without another end.
            Errno::NXIO => Self::Special,
            Errno::AGAIN => Self::Changed,
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::Denied,
            Errno::INVAL | Errno::NAMETOOLONG => Self::NotFound,
            other => Self::Failed(other),
        }
    }
}

impl From<io::Error> for AccessError {
    fn from(error: io::Error) -> Self {
        Errno::from_io_error(&error).map_or(Self::Failed(Errno::IO), Self::from)
    }
}

impl From<AccessError> for Failure {
    fn from(error: AccessError) -> Self {
        Self {
            retryable: error == AccessError::Changed,
            ..Self::new(error.code(), error.to_string())
        }
    }
}

impl From<AccessError> for ToolError {
    fn from(error: AccessError) -> Self {
        Failure::from(error).into()
    }
}
