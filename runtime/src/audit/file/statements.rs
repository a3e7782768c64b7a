//! The file of signed statements next to the audit.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::Arc,
};

use jiff::Timestamp;
use toolwright_audit::{AuditKey, Signed, Statement, segment::statements_path};

use super::lock::Lock;
use crate::private;

/// The greatest length of a statement, in bytes.
const LONGEST: u64 = 1024;

/// Appends a statement, and returns its number.
pub(super) fn append(audit: &Path, key: &AuditKey, statement: Statement) -> io::Result<u64> {
    let file = Arc::new(private::append(&statements_path(audit))?);
    let _lock = Lock::acquire(&file)?;
    let number = last_number(&file)? + 1;
    let signed = Signed::new(number, Timestamp::now(), statement, key);
    (&*file).write_all(signed.encode(key)?.as_bytes())?;
    Ok(number)
}

/// Returns the number of the last statement, and cuts off an incomplete one after it.
fn last_number(mut file: &File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let begin = length.saturating_sub(2 * LONGEST);
    file.seek(SeekFrom::Start(begin))?;
    let mut text = Vec::new();
    file.take(2 * LONGEST).read_to_end(&mut text)?;
    let complete = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    if complete < text.len() {
        file.set_len(begin + complete as u64)?;
    }
    let lines = text.get(..complete).unwrap_or_default();
    let last = lines
        .split(|byte| *byte == b'\n')
        .rfind(|line| !line.is_empty());
    let last = last.map(String::from_utf8_lossy).unwrap_or_default();
    Ok(Signed::decode(&last, &[]).map_or(0, |signed| signed.number))
}
