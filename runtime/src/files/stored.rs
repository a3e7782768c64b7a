//! A file of a store that is open for reading.

use std::{
    fs::File,
    io::{Read, Write},
};

use super::{FileError, FileRecord, Measured};

/// The bytes that are read at once: groups of three, which base64 encodes as one.
const BLOCK: usize = 60 * 1024;

/// A file of a store. What is read is compared with its digest.
#[derive(Debug)]
pub struct StoredFile {
    record: FileRecord,
    file: File,
}

/// The blocks of a file. The last one is returned only if the whole file has its digest.
pub(crate) struct Blocks {
    record: FileRecord,
    file: File,
    measured: Measured,
    is_done: bool,
}

impl StoredFile {
    pub(super) const fn new(record: FileRecord, file: File) -> Self {
        Self { record, file }
    }

    /// Returns the record of the file.
    #[must_use]
    pub const fn record(&self) -> &FileRecord {
        &self.record
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// [`FileError::TooLarge`] if it is longer than `limit`, [`FileError::Changed`] if its content is
    /// not what was stored, and [`FileError::Failed`] if it cannot be read.
    pub fn read(self, limit: u64) -> Result<Vec<u8>, FileError> {
        if self.record.size > limit {
            return Err(FileError::TooLarge { limit });
        }
        let mut bytes = Vec::new();
        for block in self.blocks() {
            bytes.extend(block?);
        }
        Ok(bytes)
    }

    /// Copies the file. If it fails, a part of the file may have been written, and never the whole.
    ///
    /// # Errors
    /// As [`StoredFile::read`], and if the destination cannot be written.
    pub fn copy_to(self, destination: &mut dyn Write) -> Result<(), FileError> {
        for block in self.blocks() {
            destination.write_all(&block?)?;
        }
        Ok(())
    }

    pub(crate) fn blocks(self) -> Blocks {
        Blocks {
            record: self.record,
            file: self.file,
            measured: Measured::default(),
            is_done: false,
        }
    }
}

impl Blocks {
    fn read(&mut self) -> Result<Option<Vec<u8>>, FileError> {
        let mut block = vec![0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            let rest = block.get_mut(filled..).unwrap_or_default();
            match self.file.read(rest)? {
                0 => break,
                read => filled += read,
            }
        }
        block.truncate(filled);
        self.measured.add(&block);
        if self.measured.size() < self.record.size && filled == BLOCK {
            return Ok(Some(block));
        }
        self.is_done = true;
        let is_whole = self.measured.size() == self.record.size;
        if !is_whole || self.measured.sha256() != self.record.sha256 {
            return Err(FileError::Changed);
        }
        Ok((!block.is_empty()).then_some(block))
    }
}

impl Iterator for Blocks {
    type Item = Result<Vec<u8>, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let read = self.read();
        self.is_done |= read.is_err();
        read.transpose()
    }
}
