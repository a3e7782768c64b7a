//! The open files that a child inherits.

use std::{
    fs, io,
    os::fd::{AsRawFd, BorrowedFd, RawFd},
};

use nix::unistd::close;

/// The descriptors up to this one are the standard streams.
const LAST_STANDARD: RawFd = 2;

/// Closes all open files but the standard streams and `kept`. Children do not
/// inherit the files of Rust programs, but may inherit files of libraries in other languages.
pub(super) fn close_inherited(kept: BorrowedFd<'_>) -> io::Result<()> {
    let folder = fs::read_dir("/proc/self/fd");
    let descriptors: Vec<RawFd> = match folder {
        Ok(folder) => folder
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect(),
        Err(_) => (0..4096).collect(),
    };
    for descriptor in descriptors {
        if descriptor > LAST_STANDARD && descriptor != kept.as_raw_fd() {
            // The folder itself was open while it was read, and is closed already.
            let _ = close(descriptor);
        }
    }
    Ok(())
}
