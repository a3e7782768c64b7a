//! The files of an audit: the one that is written to, and the closed segments next to it.
//!
//! For `audit.jsonl`, the segments are `audit-000001.jsonl` until they are compressed, and
//! `audit-000001.jsonl.gz` afterwards.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use crate::gzip;

/// The least number of digits of a segment's number.
const DIGITS: usize = 6;

/// The ending of a compressed segment.
const PACKED: &str = "gz";

/// A closed segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The number, from 1.
    pub number: u64,
    /// The file.
    pub path: PathBuf,
    /// True if it is compressed.
    pub packed: bool,
}

/// Returns the path of a file next to an audit: its own path with an ending.
pub(crate) fn beside(audit: &Path, ending: &str) -> PathBuf {
    let mut path = OsString::from(audit);
    path.push(ending);
    path.into()
}

/// Returns the path of the head of an audit.
#[must_use]
pub fn head_path(audit: &Path) -> PathBuf {
    beside(audit, ".head")
}

/// Returns the path of the statements about an audit.
#[must_use]
pub fn statements_path(audit: &Path) -> PathBuf {
    beside(audit, ".statements")
}

/// Returns the default path of the key of an audit.
#[must_use]
pub fn key_path(audit: &Path) -> PathBuf {
    beside(audit, ".key")
}

/// Returns the path of a closed segment before it is compressed.
#[must_use]
pub fn plain_path(audit: &Path, number: u64) -> PathBuf {
    let (stem, extension) = stem(audit);
    audit.with_file_name(format!("{stem}-{number:0DIGITS$}{extension}"))
}

/// Returns the path of a compressed segment.
#[must_use]
pub fn packed_path(audit: &Path, number: u64) -> PathBuf {
    beside(&plain_path(audit, number), &format!(".{PACKED}"))
}

/// Returns the path of the index of a segment.
#[must_use]
pub fn index_path(audit: &Path, number: u64) -> PathBuf {
    plain_path(audit, number).with_extension("index")
}

/// Returns the name of an audit without its extension, and the extension with its dot.
fn stem(audit: &Path) -> (String, String) {
    let text =
        |text: Option<&std::ffi::OsStr>| text.map(|text| text.to_string_lossy().into_owned());
    let stem = text(audit.file_stem()).unwrap_or_default();
    let extension = text(audit.extension());
    (
        stem,
        extension
            .map(|extension| format!(".{extension}"))
            .unwrap_or_default(),
    )
}

/// Returns the closed segments of an audit, in order. Of a segment that exists in both forms, the
/// uncompressed one is returned: its compression was interrupted.
///
/// # Errors
/// When the folder cannot be read.
pub fn closed(audit: &Path) -> io::Result<Vec<Segment>> {
    let (stem, extension) = stem(audit);
    let folder = match audit.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut segments: Vec<Segment> = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let packed_ending = format!("{extension}.{PACKED}");
        let Some(rest) = name.strip_prefix(&format!("{stem}-")) else {
            continue;
        };
        let (digits, packed) = match rest.strip_suffix(&packed_ending) {
            Some(digits) => (Some(digits), true),
            None => (rest.strip_suffix(&extension), false),
        };
        let is_number = |digits: &&str| {
            digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if let Some(number) = digits
            .filter(is_number)
            .and_then(|digits| digits.parse().ok())
        {
            segments.push(Segment {
                number,
                path,
                packed,
            });
        }
    }
    segments.sort_by_key(|segment| (segment.number, segment.packed));
    segments.dedup_by_key(|segment| segment.number);
    Ok(segments)
}

/// A line of a file.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The content without the newline.
    pub text: &'a [u8],
    /// True if it ends in a newline.
    pub complete: bool,
}

/// Reads the lines of a file, one after another.
///
/// # Errors
/// When the file cannot be read, or a compressed one is damaged. The lines before the damage were
/// passed to `each`. The first error of `each` ends the reading.
pub fn for_each_line(
    path: &Path,
    packed: bool,
    each: impl FnMut(Line<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::open(path)?;
    let content: Box<dyn Read> = if packed {
        Box::new(gzip::reader(file)?)
    } else {
        Box::new(file)
    };
    for_each_line_of(&mut BufReader::with_capacity(1 << 17, content), each)
}

/// Reads the lines of a content, one after another.
pub(crate) fn for_each_line_of(
    content: &mut dyn BufRead,
    mut each: impl FnMut(Line<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if content.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let complete = line.last() == Some(&b'\n');
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        each(Line { text, complete })?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_found_by_their_names_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let audit = folder.path().join("audit.jsonl");
        assert_eq!(
            plain_path(&audit, 7),
            folder.path().join("audit-000007.jsonl")
        );
        for name in [
            "audit-000002.jsonl.gz",
            "audit-000001.jsonl.gz",
            "audit-000002.jsonl",
            "audit-1234567.jsonl.gz",
            "audit.jsonl",
            "audit.jsonl.head",
            "audit-000001.index",
            "audit-old.jsonl",
            "audit-1.jsonl",
            "other-000003.jsonl",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let closed = closed(&audit).unwrap();
        let found: Vec<_> = closed.iter().map(|one| (one.number, one.packed)).collect();
        assert_eq!(found, [(1, true), (2, false), (1_234_567, true)]);
    }
}
