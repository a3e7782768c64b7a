//! The open file of the head.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use toolwright_audit::{AuditKey, Head, segment::head_path};

use super::log::has_name;
use crate::private::{self, Links};

/// The open file of the head.
#[derive(Debug)]
pub(super) struct HeadFile(File);

impl HeadFile {
    /// Reads the head of an audit. None if it is absent or cannot be used.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub(super) fn read(audit: &Path, key: &AuditKey) -> io::Result<Option<Head>> {
        let read = private::read(&head_path(audit), Links::Refuse, Head::LENGTH as u64);
        match read {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::InvalidData
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
            Ok(content) => Ok(Head::decode(content.as_bytes(), Some(key)).ok()),
        }
    }

    /// Opens the file, or creates it. A link is refused.
    pub(super) fn open(audit: &Path) -> io::Result<Self> {
        let path = head_path(audit);
        drop(private::append(&path)?);
        fs::OpenOptions::new().write(true).open(&path).map(Self)
    }

    /// Checks whether the file still has a name.
    pub(super) fn is_in_place(&self) -> bool {
        self.0.metadata().is_ok_and(|metadata| has_name(&metadata))
    }

    /// Replaces the content.
    pub(super) fn write(&mut self, head: &Head, key: &AuditKey) -> io::Result<()> {
        write_at_start(&self.0, &head.encode(key))
    }
}

/// Writes bytes at the beginning of a file.
#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)
}
