//! Answers that are compressed with gzip or deflate, and with Brotli or Zstandard if the features are on.

use std::io::{self, Write};

use bytes::Bytes;
use flate2::write::GzDecoder;

#[cfg(feature = "brotli")]
use super::brotli::Brotli;
#[cfg(feature = "zstd")]
use super::zstd::Zstd;
use super::{deflate::Deflate, fault};
use crate::error::ToolError;

/// The value of `Accept-Encoding`.
pub(super) const ACCEPTED: Option<&str> =
    Some(match (cfg!(feature = "brotli"), cfg!(feature = "zstd")) {
        (false, false) => "gzip, deflate",
        (true, false) => "gzip, deflate, br",
        (false, true) => "gzip, deflate, zstd",
        (true, true) => "gzip, deflate, br, zstd",
    });

/// The most compressed bytes that are decompressed at once. They become a mebibyte at most.
const PIECE: usize = 1024;

/// The size from which on the expansion is measured, in bytes.
const MEASURED: u64 = 1 << 20;

/// The greatest expansion. Texts expand by a factor of 10, repetitive ones of 100.
const MOST_EXPANSION: u64 = 250;

/// A compressed body.
pub(super) struct Inflation {
    status: u16,
    decoder: Decoder,
    waiting: Bytes,
    received: u64,
    expanded: u64,
    is_finished: bool,
}

/// The decoder of an encoding.
enum Decoder {
    Gzip(Box<GzDecoder<Vec<u8>>>),
    Deflate(Deflate),
    #[cfg(feature = "brotli")]
    Brotli(Brotli),
    #[cfg(feature = "zstd")]
    Zstd(Zstd),
}

impl Decoder {
    fn new(encoding: &str) -> Option<Self> {
        match encoding {
            "gzip" | "x-gzip" => Some(Self::Gzip(Box::new(GzDecoder::new(Vec::new())))),
            "deflate" => Some(Self::Deflate(Deflate::new())),
            #[cfg(feature = "brotli")]
            "br" => Some(Self::Brotli(Brotli::new())),
            #[cfg(feature = "zstd")]
            "zstd" => Some(Self::Zstd(Zstd::new())),
            _ => None,
        }
    }

    /// Adds compressed bytes. Encodings that expand by more than a factor of 1,000 stop after `room` bytes.
    #[cfg_attr(
        not(any(feature = "brotli", feature = "zstd")),
        expect(unused_variables, reason = "the other encodings expand by less")
    )]
    fn write(&mut self, piece: &[u8], room: usize) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => decoder.write_all(piece),
            Self::Deflate(decoder) => decoder.write(piece),
            #[cfg(feature = "brotli")]
            Self::Brotli(decoder) => decoder.write(piece, room),
            #[cfg(feature = "zstd")]
            Self::Zstd(decoder) => decoder.write(piece, room),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Deflate(decoder) => decoder.finish(),
            #[cfg(feature = "brotli")]
            Self::Brotli(decoder) => decoder.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(decoder) => decoder.finish(),
        }
    }

    fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Gzip(decoder) => std::mem::take(decoder.get_mut()),
            Self::Deflate(decoder) => decoder.take(),
            #[cfg(feature = "brotli")]
            Self::Brotli(decoder) => decoder.take(),
            #[cfg(feature = "zstd")]
            Self::Zstd(decoder) => decoder.take(),
        }
    }
}

impl Inflation {
    /// Begins a body with an encoding; none if the encoding is another one.
    pub(super) fn new(encoding: &str, status: u16) -> Option<Self> {
        Decoder::new(encoding).map(|decoder| Self {
            status,
            decoder,
            waiting: Bytes::new(),
            received: 0,
            expanded: 0,
            is_finished: false,
        })
    }

    pub(super) const fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns whether everything that was received is expanded.
    pub(super) fn is_hungry(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Adds received bytes.
    pub(super) fn feed(&mut self, block: Bytes) {
        self.waiting = block;
    }

    /// Expands a piece of the received bytes.
    pub(super) fn expand(&mut self) -> Result<Bytes, ToolError> {
        let piece = self.waiting.split_to(self.waiting.len().min(PIECE));
        self.received += piece.len() as u64;
        let room = self.most().saturating_sub(self.expanded).saturating_add(1);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let written = self.decoder.write(&piece, room);
        // Too great an expansion is the first reason.
        let block = self.take()?;
        written.map_err(|_| self.unusable("is damaged"))?;
        Ok(block)
    }

    /// Returns the rest of the body.
    pub(super) fn finish(&mut self) -> Result<Bytes, ToolError> {
        self.is_finished = true;
        // An answer without a body may still name an encoding.
        if self.received > 0 {
            let finished = self.decoder.finish();
            finished.map_err(|_| self.unusable("is damaged or incomplete"))?;
        }
        self.take()
    }

    fn take(&mut self) -> Result<Bytes, ToolError> {
        let block = self.decoder.take();
        self.expanded += block.len() as u64;
        if self.expanded > self.most() {
            let what = format!("expands by more than a factor of {MOST_EXPANSION}");
            return Err(self.unusable(&what));
        }
        Ok(block.into())
    }

    /// Returns the most bytes that what was received may have become.
    fn most(&self) -> u64 {
        self.received.saturating_mul(MOST_EXPANSION).max(MEASURED)
    }

    fn unusable(&self, what: &str) -> ToolError {
        fault::unusable(
            self.status,
            format!("the service's compressed answer {what}"),
        )
    }
}
