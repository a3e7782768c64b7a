//! The destination of an answer that a program saves itself.

use std::{
    fmt,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

/// A writer that receives the body of a successful answer. Clones share the writer.
///
/// If a call fails, the writer may have received a part of the body: write to a temporary file, and
/// rename it after the call.
#[derive(Clone)]
pub struct AnswerWriter(Arc<Mutex<dyn Write + Send>>);

impl AnswerWriter {
    /// Takes a writer.
    #[must_use]
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(writer)))
    }

    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(bytes)
    }

    pub(crate) fn flush_bytes(&self) -> io::Result<()> {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writer.flush()
    }
}

impl Write for AnswerWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_bytes(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flush_bytes()
    }
}

impl fmt::Debug for AnswerWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerWriter").finish_non_exhaustive()
    }
}
