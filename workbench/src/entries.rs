//! The entries of an open folder.

use std::{ffi::CString, os::fd::BorrowedFd};

use rustix::{
    fs::{AtFlags, Dir, FileType, statat},
    io::{Errno, Result},
};

/// A name in a folder, and the kind of its file.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: CString,
    pub(crate) kind: FileType,
}

/// Reads the entries of a folder.
pub(crate) fn entries(folder: BorrowedFd<'_>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            // The file system does not store it.
            FileType::Unknown => match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => FileType::from_raw_mode(found.st_mode),
                Err(Errno::NOENT) => continue,
                Err(error) => return Err(error),
            },
            kind => kind,
        };
        let name = name.to_owned();
        entries.push(Entry { name, kind });
    }
    Ok(entries)
}
