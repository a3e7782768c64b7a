//! The encoding `deflate`: the format of zlib, or the bare one that some services send in its place.

use std::io;

use flate2::{Decompress, FlushDecompress, Status};

/// The room for the result of one step, in bytes.
const ROOM: usize = 32 * 1024;

/// Decompresses piece by piece. Its result is whole only if the end of the data was seen.
pub(super) struct Deflate {
    /// The first bytes, which tell the format; none after it is known.
    first: Vec<u8>,
    decoder: Option<Decompress>,
    expanded: Vec<u8>,
    has_ended: bool,
}

impl Deflate {
    pub(super) const fn new() -> Self {
        Self {
            first: Vec::new(),
            decoder: None,
            expanded: Vec::new(),
            has_ended: false,
        }
    }

    /// Adds compressed bytes.
    pub(super) fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        if self.decoder.is_some() {
            return self.expand(piece);
        }
        self.first.extend_from_slice(piece);
        let [first, second, ..] = *self.first.as_slice() else {
            return Ok(());
        };
        // The header of zlib names the method and is a multiple of 31 (RFC 1950, 2.2).
        let is_zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]) % 31 == 0;
        self.decoder = Some(Decompress::new(is_zlib));
        let first = std::mem::take(&mut self.first);
        self.expand(&first)
    }

    /// Checks that the data has ended.
    pub(super) fn finish(&self) -> io::Result<()> {
        match self.has_ended {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Takes what was expanded so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.expanded)
    }

    fn expand(&mut self, mut piece: &[u8]) -> io::Result<()> {
        let Some(decoder) = &mut self.decoder else {
            return Ok(());
        };
        loop {
            if self.has_ended && !piece.is_empty() {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.expanded.reserve(ROOM);
            let (read_before, expanded_before) = (decoder.total_in(), decoder.total_out());
            let status = decoder
                .decompress_vec(piece, &mut self.expanded, FlushDecompress::None)
                .map_err(|_| io::ErrorKind::InvalidData)?;
            self.has_ended |= status == Status::StreamEnd;
            let read = decoder.total_in() - read_before;
            let is_stuck = read == 0 && decoder.total_out() == expanded_before;
            let read = usize::try_from(read).unwrap_or(usize::MAX);
            piece = piece.get(read..).unwrap_or_default();
            // A full buffer may not be all that the input expands to.
            let is_full = self.expanded.len() == self.expanded.capacity();
            match piece.is_empty() {
                true if self.has_ended || !is_full || is_stuck => return Ok(()),
                false if is_stuck => return Err(io::ErrorKind::InvalidData.into()),
                _ => {}
            }
        }
    }
}
