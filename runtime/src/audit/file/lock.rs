//! The advisory lock under which a process appends.

use std::{
    fs::{File, TryLockError},
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// The time for which a process waits for the others. A process that stopped while it held the lock
/// must not block all calls for good.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_micros(200);

/// A lock of a file, held until it is dropped.
pub(super) struct Lock(Arc<File>);

impl Lock {
    /// Waits for the lock, for at most five seconds.
    pub(super) fn acquire(file: &Arc<File>) -> io::Result<Self> {
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(Arc::clone(file))),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let message = "another process keeps it locked; end that process";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, message));
                }
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file releases the lock as well.
        let _ = self.0.unlock();
    }
}
