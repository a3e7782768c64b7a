//! gzip, the format of compressed segments.

use std::{
    fs::File,
    io::{self, BufReader, Read, Write},
};

use flate2::{
    Compression,
    bufread::{GzDecoder, MultiGzDecoder},
    write::GzEncoder,
};

/// Fails if this build cannot compress.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the build without compression fails"
)]
pub(crate) fn available() -> io::Result<()> {
    Ok(())
}

/// Writes a block as one member.
pub(crate) fn encode(block: &[u8], target: &mut impl Write) -> io::Result<()> {
    let mut encoder = GzEncoder::new(target, Compression::fast());
    encoder.write_all(block)?;
    encoder.finish().map(drop)
}

/// Appends the content of the first member to `block`, and returns the bytes after the member.
pub(crate) fn decode<'a>(packed: &'a [u8], block: &mut Vec<u8>) -> io::Result<&'a [u8]> {
    let mut decoder = GzDecoder::new(packed);
    decoder.read_to_end(block)?;
    Ok(decoder.into_inner())
}

/// Returns a reader of the content of all members of a file.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the build without compression fails"
)]
pub(crate) fn reader(file: File) -> io::Result<impl Read + Send> {
    Ok(MultiGzDecoder::new(BufReader::new(file)))
}
