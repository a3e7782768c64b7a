//! Compresses closed segments: gzip, in blocks that can be read one by one.
//!
//! Each block is a member of its own of the gzip file, which every program that reads gzip
//! understands. The [index](crate::index) has the place of each block.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
};

use ring::digest::{Context, SHA256};

use crate::{
    Entry, Hash, gzip,
    index::{Builder, Index},
    segment::{Segment, index_path, packed_path},
};

/// The length of a block before its compression, in bytes.
const BLOCK: usize = 128 * 1024;

/// Compresses a segment and writes its index. Returns the hash of the compressed file. The
/// uncompressed file stays; [`remove_plain`] removes it.
///
/// # Errors
/// When a file cannot be read or written. Without the feature `gzip`, before anything is written.
pub fn pack(audit: &Path, segment: &Segment) -> io::Result<Hash> {
    gzip::available()?;
    let target = packed_path(audit, segment.number);
    let staged = staged(&target);
    let mut source = BufReader::with_capacity(1 << 17, File::open(&segment.path)?);
    let mut hashed = Hashed::new(BufWriter::new(private(&staged)?));
    let mut index = Builder::default();
    let mut block = Vec::with_capacity(BLOCK + 4096);
    loop {
        let read = source.read_until(b'\n', &mut block)?;
        if block.len() >= BLOCK || (read == 0 && !block.is_empty()) {
            index.begin_block(hashed.length);
            for line in block.split(|byte| *byte == b'\n') {
                index.add(&Entry::read(line).unwrap_or_default());
            }
            gzip::encode(&block, &mut hashed)?;
            block.clear();
        }
        if read == 0 {
            break;
        }
    }
    let (length, hash) = hashed.finish()?;
    fs::rename(&staged, &target)?;
    write_index(audit, segment.number, &index.finish(length));
    Ok(hash)
}

/// Removes the uncompressed file of a segment that was compressed.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_plain(segment: &Segment) -> io::Result<()> {
    fs::remove_file(&segment.path)
}

/// Returns the index of a compressed segment. If it is absent or of another file, it is built and
/// written if the folder permits it.
///
/// # Errors
/// When the segment cannot be read.
pub fn index_of(audit: &Path, segment: &Segment) -> io::Result<Index> {
    let length = fs::metadata(&segment.path)?.len();
    if let Ok(content) = fs::read(index_path(audit, segment.number))
        && let Some(index) = Index::decode(content, length)
    {
        return Ok(index);
    }
    let content = fs::read(&segment.path)?;
    let mut index = Builder::default();
    let mut rest = content.as_slice();
    while !rest.is_empty() {
        index.begin_block((content.len() - rest.len()) as u64);
        let mut block = Vec::new();
        rest = gzip::decode(rest, &mut block)?;
        for line in block.split(|byte| *byte == b'\n') {
            index.add(&Entry::read(line).unwrap_or_default());
        }
    }
    let index = index.finish(length);
    write_index(audit, segment.number, &index);
    Ok(index)
}

/// Computes the SHA-256 of a file.
///
/// # Errors
/// When it cannot be read.
pub fn hash_file(path: &Path) -> io::Result<Hash> {
    let mut hashed = Hashed::new(io::sink());
    io::copy(&mut File::open(path)?, &mut hashed)?;
    Ok(hashed.hash())
}

fn write_index(audit: &Path, number: u64, index: &Index) {
    // The index is built again if it is absent.
    let target = index_path(audit, number);
    let staged = staged(&target);
    let written = private(&staged).and_then(|mut file| file.write_all(index.encoded()));
    if written.and_then(|()| fs::rename(&staged, &target)).is_err() {
        let _ = fs::remove_file(&staged);
    }
}

fn staged(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    name.into()
}

/// Creates a file that only this user can read.
fn private(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// A writer that counts and hashes what is written.
struct Hashed<W> {
    inner: W,
    length: u64,
    digest: Context,
}

impl<W: Write> Hashed<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            length: 0,
            digest: Context::new(&SHA256),
        }
    }

    fn hash(self) -> Hash {
        Hash::from_digest(&self.digest.finish())
    }
}

impl Hashed<BufWriter<File>> {
    /// Waits until the content is on the disk.
    fn finish(mut self) -> io::Result<(u64, Hash)> {
        self.inner.flush()?;
        self.inner.get_ref().sync_all()?;
        Ok((self.length, self.hash()))
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.digest.update(bytes.get(..written).unwrap_or_default());
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
