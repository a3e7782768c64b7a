//! Finds the end of the chain when this process has not written it itself.

use std::{io, path::Path};

use jiff::Timestamp;
use toolwright_audit::{
    AuditKey, Hash, Head, Statement, line, read_statements,
    segment::{closed, for_each_line, statements_path},
};

use super::{head_file::HeadFile, log::Log, writer::Found};
use crate::audit::ReopenReason;

/// The greatest length of a line that is looked for backwards, in bytes.
const LONGEST: usize = 1 << 20;

/// Returns the end of the chain that the head states, or what this process knows of it. Without
/// both, the end of the file.
pub(super) fn head(
    audit: &Path,
    log: &Log,
    key: &AuditKey,
    known: Option<Head>,
    found: &mut Found,
) -> io::Result<Head> {
    match (HeadFile::read(audit, key)?, known) {
        (Some(head), Some(known)) if known.seq > head.seq => {
            found.note(ReopenReason::HeadChanged, Some(known.end));
            Ok(known)
        }
        (Some(head), _) => Ok(head),
        (None, Some(known)) => {
            found.note(ReopenReason::HeadMissing, Some(known.end));
            Ok(known)
        }
        (None, None) => without_head(audit, log, found),
    }
}

/// Finds the end of the chain without a head.
fn without_head(audit: &Path, log: &Log, found: &mut Found) -> io::Result<Head> {
    let mut head = Head::empty(Timestamp::now().as_second());
    let segments = closed(audit)?;
    if let Some(last) = segments.last() {
        head.segment = last.number + 1;
        for_each_line(&last.path, last.packed, |line| {
            advance(&mut head, line.text);
            Ok(())
        })?;
    }
    // The latest checkpoint or retention may be of events that are gone.
    for signed in read_statements(&statements_path(audit), &[])?
        .into_iter()
        .flatten()
    {
        let (Statement::Checkpoint { seq, hash }
        | Statement::Segment { seq, hash, .. }
        | Statement::Retention { seq, hash, .. }) = signed.statement
        else {
            continue;
        };
        if seq > head.seq {
            (head.seq, head.hash) = (seq, hash);
        }
        head.statement = signed.number;
    }
    if !log.is_empty() {
        let last = last_line(log, complete_length(log)?)?;
        match line::parse(&last) {
            Some(sealed) => (head.seq, head.hash) = (sealed.seq, Hash::from_content(&last)),
            None if head.seq == 0 => return Err(unchained()),
            None => {}
        }
        head.end = log.length();
    }
    if head.seq > 0 {
        found.note(ReopenReason::HeadMissing, None);
    }
    Ok(head)
}

fn advance(head: &mut Head, text: &[u8]) {
    if let Some(sealed) = line::parse(text) {
        head.seq = sealed.seq;
        head.hash = Hash::from_content(text);
    }
}

/// The error for a file of an earlier version.
fn unchained() -> io::Error {
    let message = "its events have no chain: an earlier version wrote it, or something else; move it \
                   away, for example to `audit-before.jsonl`, to begin a new audit";
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Compares the file with the head, and takes over what other processes have written since. What
/// does not belong to the audit is noted, and the chain continues after it.
pub(super) fn reconcile(
    log: &mut Log,
    key: &AuditKey,
    head: &mut Head,
    found: &mut Found,
) -> io::Result<()> {
    let complete = complete_length(log)?;
    if complete < log.length() {
        log.cut(complete)?;
        found.torn_lines += 1;
    }
    if head.end == 0 && head.seq > 0 && !log.is_empty() {
        let last = Hash::from_content(&last_line(log, log.length())?);
        if last == head.hash {
            // The file was about to be closed, and still has its name.
            head.segment = head.segment.saturating_sub(1).max(1);
            head.end = log.length();
            return Ok(());
        }
    }
    if log.length() < head.end {
        let reason = if log.is_empty() {
            ReopenReason::Missing
        } else {
            ReopenReason::Truncated
        };
        found.note(reason, Some(head.end));
    } else if head.end > 0 && Hash::from_content(&last_line(log, head.end)?) != head.hash {
        found.note(ReopenReason::Overwritten, Some(head.end));
    } else {
        take_over(log, key, head, found)?;
    }
    head.end = log.length();
    Ok(())
}

/// Takes over the lines after the head that a process of this audit wrote before it was killed.
fn take_over(log: &Log, key: &AuditKey, head: &mut Head, found: &mut Found) -> io::Result<()> {
    let length = log.length().saturating_sub(head.end);
    let length = usize::try_from(length).map_err(io::Error::other)?;
    let text = log.read(head.end, length)?;
    for text in text.split_inclusive(|byte| *byte == b'\n') {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let sealed = line::parse(text).filter(|sealed| {
            sealed.seq == head.seq + 1
                && sealed.prev == head.hash
                && sealed.is_genuine(key) == Some(true)
        });
        match sealed {
            Some(_) => advance(head, text),
            None => found.note(ReopenReason::Inserted, Some(head.end)),
        }
    }
    Ok(())
}

/// Returns the length of the file up to its last newline.
fn complete_length(log: &Log) -> io::Result<u64> {
    let mut end = log.length();
    while end > 0 {
        let length = usize::try_from(end).unwrap_or(usize::MAX).min(LONGEST);
        let begin = end - length as u64;
        let text = log.read(begin, length)?;
        if let Some(place) = text.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + place as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

/// Returns the line that ends at a place, without its newline.
fn last_line(log: &Log, end: u64) -> io::Result<Vec<u8>> {
    let mut length = 4096;
    loop {
        let read = usize::try_from(end).unwrap_or(usize::MAX).min(length);
        let text = log.read(end - read as u64, read)?;
        let text = text.strip_suffix(b"\n").unwrap_or_default();
        match text.iter().rposition(|byte| *byte == b'\n') {
            Some(place) => return Ok(text.get(place + 1..).unwrap_or_default().to_vec()),
            None if (read as u64) < end && length < LONGEST => length *= 16,
            None => return Ok(text.to_vec()),
        }
    }
}
