//! The open file, and whether it is still the one that the path names.

use std::{
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    audit::{ReopenReason, Reopened},
    private,
};

/// An open file, and the last line of this process.
#[derive(Debug)]
pub(super) struct Log {
    file: Arc<File>,
    /// The identity of the file, which an open file keeps.
    identity: (u64, u64),
    /// The length of the file at the comparison. It is valid while the file is locked.
    length: u64,
    last: Option<Written>,
    /// The folder, until its entry of the file is on the disk too.
    unsynced: Option<PathBuf>,
}

/// The last line that this process wrote, and its end in the file.
#[derive(Debug)]
struct Written {
    text: Vec<u8>,
    end: u64,
}

/// The state of an open file.
pub(super) enum FileState {
    /// The path names it, and the last line of this process is in its place.
    Same,
    /// The path names it, but its content has changed.
    Changed(Reopened),
    /// The path names no file or another one. The reason is absent if nothing was written to the
    /// file.
    Gone(Option<Reopened>),
}

impl Log {
    /// Opens the file, and creates it and its folder if they are absent.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        private::create_parent(path)?;
        let file = private::append(path)?;
        Ok(Self {
            identity: private::identity(&file.metadata()?),
            file: Arc::new(file),
            length: 0,
            last: None,
            unsynced: Some(private::parent(path).to_owned()),
        })
    }

    pub(super) const fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns whether the file was empty at the comparison.
    pub(super) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Compares the open file with the path and with the last line of this process. The file must
    /// be locked, and stay so until the next event is written.
    pub(super) fn compare(&mut self, path: &Path) -> io::Result<FileState> {
        let reason = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => ReopenReason::Removed,
            Err(error) => return Err(error),
            Ok(there) if private::identity(&there) == self.identity => {
                private::check_parent(path)?;
                private::check(&there).map_err(private::denied)?;
                self.length = there.len();
                return self.compare_content();
            }
            Ok(_) => ReopenReason::Replaced,
        };
        let reason = if has_name(&self.file.metadata()?) {
            ReopenReason::Moved
        } else {
            reason
        };
        Ok(FileState::Gone(self.reopened(reason)))
    }

    fn compare_content(&mut self) -> io::Result<FileState> {
        let reason = self.change()?;
        Ok(match reason.and_then(|reason| self.reopened(reason)) {
            None => FileState::Same,
            Some(reopened) => {
                self.last = None;
                FileState::Changed(reopened)
            }
        })
    }

    fn reopened(&self, reason: ReopenReason) -> Option<Reopened> {
        let last = self.last.as_ref()?;
        let bytes = Some(last.end);
        Some(Reopened { reason, bytes })
    }

    /// Returns how the content differs from the last line of this process, if it does.
    fn change(&self) -> io::Result<Option<ReopenReason>> {
        let Some(last) = &self.last else {
            return Ok(None);
        };
        if self.length < last.end {
            return Ok(Some(ReopenReason::Truncated));
        }
        let start = last.end.saturating_sub(last.text.len() as u64);
        let same = self.read(start, last.text.len())? == last.text;
        Ok((!same).then_some(ReopenReason::Overwritten))
    }

    /// Returns the length of the file at the comparison, in bytes.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Returns whether the file ends with the last line of this process.
    pub(super) fn ends_with_ours(&self) -> bool {
        self.last
            .as_ref()
            .is_some_and(|last| last.end == self.length)
    }

    /// Returns the folder once, for a caller that makes the name of the file durable.
    pub(super) const fn take_folder(&mut self) -> Option<PathBuf> {
        self.unsynced.take()
    }

    /// Appends lines, all of them or none.
    pub(super) fn append(&mut self, text: Vec<u8>) -> io::Result<()> {
        let written = (&*self.file).write_all(&text);
        if written.is_err() {
            self.take_back(&text);
            return written;
        }
        let end = self.length + text.len() as u64;
        self.length = end;
        self.last = Some(Written { text, end });
        Ok(())
    }

    /// Cuts the file to a length.
    pub(super) fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// Removes the beginning of a line that could not be written, if nothing follows it. If that
    /// fails too, the next append finds an incomplete line and closes it.
    fn take_back(&self, text: &[u8]) {
        let written = self.file.metadata().and_then(|metadata| {
            let length = metadata.len().saturating_sub(self.length);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            self.read(self.length, length.min(text.len() + 1))
        });
        if written.is_ok_and(|written| text.starts_with(&written)) {
            let _ = self.file.set_len(self.length);
        }
    }

    /// Reads bytes of the file.
    pub(super) fn read(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, start)?;
        Ok(bytes)
    }
}

/// Fills bytes from a place of a file.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(bytes)
}

/// Returns whether the file still has a name in some folder.
#[cfg(unix)]
pub(super) fn has_name(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink() > 0
}

#[cfg(not(unix))]
pub(super) fn has_name(_: &Metadata) -> bool {
    false
}
