//! The file of a cursor, locked by the process that forwards.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Seek, SeekFrom, Write},
    path::Path,
};

use toolwright::private;
use toolwright_audit::Cursor;

/// The open file of a cursor. Its lock ends with it, also if the process is killed.
pub(crate) struct CursorFile(File);

impl CursorFile {
    /// Opens the file, or creates it. None if another process forwards to the sink.
    pub(crate) fn lock(audit: &Path, sink: &str) -> io::Result<Option<Self>> {
        let path = Cursor::path(audit, sink);
        private::check_parent(&path)?;
        drop(private::append(&path)?);
        let file = OpenOptions::new().write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Replaces the content.
    pub(crate) fn write(&mut self, cursor: &Cursor) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(0))?;
        self.0.write_all(&cursor.encode()?)
    }
}
