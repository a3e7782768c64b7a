//! The encoding `br`.

use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;

/// The size of the buffer between the decoder and its result, in bytes.
const BUFFER: usize = 32 * 1024;

/// Decompresses piece by piece.
pub(super) struct Brotli(Box<DecompressorWriter<Room>>);

/// A result with room for some bytes.
struct Room {
    expanded: Vec<u8>,
    left: usize,
}

impl Brotli {
    pub(super) fn new() -> Self {
        let room = Room {
            expanded: Vec::new(),
            left: 0,
        };
        Self(Box::new(DecompressorWriter::new(room, BUFFER)))
    }

    /// Adds compressed bytes, which must not become more than `room` bytes.
    pub(super) fn write(&mut self, piece: &[u8], room: usize) -> io::Result<()> {
        self.0.get_mut().left = room;
        self.0.write_all(piece)
    }

    /// Checks that the data has ended.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.0.close()
    }

    /// Takes what was expanded so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0.get_mut().expanded)
    }
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fitting = bytes.get(..self.left.min(bytes.len())).unwrap_or_default();
        self.expanded.extend_from_slice(fitting);
        self.left -= fitting.len();
        match fitting.is_empty() && !bytes.is_empty() {
            true => Err(io::ErrorKind::WriteZero.into()),
            false => Ok(fitting.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
