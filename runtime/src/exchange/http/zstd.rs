//! The encoding `zstd`.

use std::io;

use ruzstd::decoding::FrameDecoder;

/// The largest window: as RFC 9659 sets it for HTTP, in bytes.
const LARGEST_WINDOW: u64 = 8 << 20;

/// The longest header of a frame, in bytes.
const HEADER: usize = 18;

/// The bytes that are decompressed at once. A block of 4 bytes becomes 128 KiB.
const PIECE: usize = 32;

/// Decompresses piece by piece. Its result is whole only if the end of the frame was seen.
pub(super) struct Zstd {
    decoder: Box<FrameDecoder>,
    /// True after the header of the frame was read.
    has_begun: bool,
    /// The bytes that are no complete block yet.
    waiting: Vec<u8>,
    expanded: Vec<u8>,
}

impl Zstd {
    pub(super) fn new() -> Self {
        let mut decoder = Box::new(FrameDecoder::new());
        decoder.set_max_window_size(LARGEST_WINDOW);
        Self {
            decoder,
            has_begun: false,
            waiting: Vec::new(),
            expanded: Vec::new(),
        }
    }

    /// Adds compressed bytes, which must not become more than `room` bytes.
    pub(super) fn write(&mut self, piece: &[u8], room: usize) -> io::Result<()> {
        for part in piece.chunks(PIECE) {
            self.waiting.extend_from_slice(part);
            if self.has_begun || self.waiting.len() >= HEADER {
                self.decode()?;
            }
            if self.expanded.len() > room {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }

    /// Checks that the frame has ended, and that its content is the one that was compressed.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if !self.has_begun {
            self.decode()?;
        }
        let is_whole = self.decoder.is_finished() && self.waiting.is_empty();
        let stated = self.decoder.get_checksum_from_data();
        let is_same = stated.is_none() || stated == self.decoder.get_calculated_checksum();
        match is_whole && is_same {
            true => Ok(()),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Takes what was expanded so far.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.expanded)
    }

    fn decode(&mut self) -> io::Result<()> {
        if self.has_begun && self.decoder.is_finished() {
            return match self.waiting.is_empty() {
                true => Ok(()),
                false => Err(io::ErrorKind::InvalidData.into()),
            };
        }
        let decoded = self.decoder.decode_from_to(&self.waiting, &mut []);
        let (read, _) = decoded.map_err(io::Error::other)?;
        self.has_begun = true;
        // The decoder takes a part of the checksum for the whole one.
        if read <= self.waiting.len() {
            self.waiting.drain(..read);
        }
        self.expanded
            .extend(self.decoder.collect().unwrap_or_default());
        Ok(())
    }
}
