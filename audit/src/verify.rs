//! Verifies an audit, also a copy of one: names the first event that was removed, changed, moved,
//! inserted or cut off.
//!
//! Without the key, the chain, the signed statements and the head are compared with each other. With
//! the key, each line and the head are authenticated too.

mod chain;
mod rows;

use std::{
    fmt,
    io::{self, BufRead},
    ops::RangeInclusive,
    path::PathBuf,
};

use toolwright_model::words;

use crate::{
    AuditKey, Hash, Head, HeadFault, PublicKey, Signed, Statement, read_statements,
    segment::{head_path, statements_path},
};
use rows::{Row, Rows};

/// An audit to verify, and the keys for it.
#[derive(Debug)]
pub struct Request<'a> {
    /// The file with the latest events.
    pub audit: PathBuf,
    /// The secret key, if it is at hand.
    pub key: Option<&'a AuditKey>,
    /// The public keys whose statements count, in addition to that of the secret key. Without any
    /// key, the statements are verified by the keys that they name themselves.
    pub trusted: Vec<PublicKey>,
    /// An event that the audit must contain: its number and its hash, as an earlier verification
    /// reported it.
    pub expected: Option<(u64, Hash)>,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of events in the files.
    pub events: u64,
    /// The number of the first event in the files.
    pub first: u64,
    /// The number of the last event, and its hash.
    pub last: (u64, Hash),
    /// The number of files with events.
    pub files: u64,
    /// The number of checkpoints that match.
    pub checkpoints: u64,
    /// The last event that a checkpoint covers.
    pub covered: u64,
    /// The public keys that signed the statements.
    pub keys: Vec<String>,
    /// True if each line was authenticated with the secret key.
    pub authenticated: bool,
    /// The faults, ordered by the events. Empty if nothing was changed.
    pub findings: Vec<Finding>,
    /// Facts that are no faults.
    pub notes: Vec<String>,
}

/// A fault of an audit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The number of the first event that is concerned.
    pub seq: u64,
    /// The kind of the fault.
    pub kind: FindingKind,
    /// The file, and the line in it if there is one.
    pub place: String,
    /// The details.
    pub detail: String,
}

words! {
    /// The fault of an event.
    FindingKind {
        /// It is missing, and later events are there.
        Removed = "removed",
        /// It was changed.
        Changed = "changed",
        /// Another event is in its place, and it comes later.
        Reordered = "reordered",
        /// A line is before it that the audit did not write.
        Inserted = "inserted",
        /// It and all after it are missing.
        CutOff = "cut-off",
        /// The head or a statement about it is missing or changed.
        Statement = "statement",
        /// It records that the audit was changed from outside.
        Recorded = "recorded",
    }
}

/// Verifies an audit.
///
/// # Errors
/// When a file cannot be read, except for damage, which is a finding.
pub fn verify(request: &Request<'_>) -> io::Result<Verified> {
    let mut verified = Verified {
        authenticated: request.key.is_some(),
        ..Verified::default()
    };
    let mut trusted = request.trusted.clone();
    trusted.extend(request.key.map(AuditKey::public));
    let statements = statements(request, &trusted, &mut verified)?;
    let head = head(request, &mut verified)?;
    let rows = Rows::read(&request.audit, request.key)?;
    let stated = statements.last().map_or(0, |last| last.number);
    if let Some(head) = head
        && head.statement > stated
    {
        verified.findings.push(Finding {
            seq: statements
                .iter()
                .map(|one| seq_of(&one.statement))
                .max()
                .unwrap_or_default()
                + 1,
            kind: FindingKind::Statement,
            place: statements_path(&request.audit).display().to_string(),
            detail: format!(
                "there were {} statements, and {stated} are left",
                head.statement
            ),
        });
    }
    verified.events = rows.rows.iter().filter(|row| row.seq.is_some()).count() as u64;
    verified.files = rows.files.len() as u64;
    let before = retained(&statements, &rows);
    let chain = chain::Chain {
        rows: &rows,
        before,
        head,
    };
    let last = chain.check(&mut verified);
    verified.first = before.0 + 1;
    verified.last = last;
    compare_statements(&statements, &rows, last, &mut verified);
    if let Some((seq, hash)) = request.expected {
        expect(&rows, seq, hash, last, &mut verified);
    }
    recorded(&rows, &mut verified);
    verified.findings.sort();
    Ok(verified)
}

/// Verifies lines that are in no files of an audit, such as those in a database: the chain, each line
/// with the key if there is one, and an expected event. Without the head and the statements, lines
/// that were cut off at the end are missed unless an event is expected. `place` names the lines in the
/// findings.
///
/// # Errors
/// When the lines cannot be read.
pub fn verify_lines(
    place: &str,
    lines: &mut dyn BufRead,
    key: Option<&AuditKey>,
    expected: Option<(u64, Hash)>,
) -> io::Result<Verified> {
    let rows = Rows::read_lines(place, lines, key)?;
    let mut verified = Verified {
        authenticated: key.is_some(),
        events: rows.rows.iter().filter(|row| row.seq.is_some()).count() as u64,
        files: 1,
        ..Verified::default()
    };
    let first = rows.rows.first();
    let before = first.and_then(|row| Some((row.seq?.checked_sub(1)?, row.prev)));
    let before = before.unwrap_or((0, Hash::GENESIS));
    if before.0 > 0 {
        let note = format!("the events up to {} are not among the lines", before.0);
        verified.notes.push(note);
    }
    let chain = chain::Chain {
        rows: &rows,
        before,
        head: None,
    };
    let last = chain.check(&mut verified);
    verified.first = before.0 + 1;
    verified.last = last;
    if let Some((seq, hash)) = expected {
        expect(&rows, seq, hash, last, &mut verified);
    }
    recorded(&rows, &mut verified);
    verified.findings.sort();
    Ok(verified)
}

/// Reads the statements. Those that cannot be used are findings.
fn statements(
    request: &Request<'_>,
    trusted: &[PublicKey],
    verified: &mut Verified,
) -> io::Result<Vec<Signed>> {
    let path = statements_path(&request.audit);
    let mut statements: Vec<Signed> = Vec::new();
    for (statement, line) in read_statements(&path, trusted)?.into_iter().zip(1..) {
        let last = statements.last().map_or(0, |last| last.number);
        let reached = statements.iter().map(|one| seq_of(&one.statement)).max();
        let reached = reached.unwrap_or_default();
        let mut report = |detail: String| {
            verified.findings.push(Finding {
                seq: reached + 1,
                kind: FindingKind::Statement,
                place: format!("{}:{line}", path.display()),
                detail,
            });
        };
        match statement {
            Err(fault) => report(format!("the statement cannot be used: {fault}")),
            Ok(statement) => {
                if statement.number != last + 1 {
                    let expected = last + 1;
                    report(format!(
                        "expected the statement {expected}, found {}",
                        statement.number
                    ));
                }
                if !verified.keys.contains(&statement.key) {
                    verified.keys.push(statement.key.clone());
                }
                statements.push(statement);
            }
        }
    }
    Ok(statements)
}

const fn seq_of(statement: &Statement) -> u64 {
    match statement {
        Statement::Checkpoint { seq, .. }
        | Statement::Segment { seq, .. }
        | Statement::Retention { seq, .. } => *seq,
    }
}

/// Reads the head. One that cannot be used is a finding.
fn head(request: &Request<'_>, verified: &mut Verified) -> io::Result<Option<Head>> {
    let path = head_path(&request.audit);
    let fault = match Head::read(&path, request.key)? {
        Some(Ok(head)) => {
            if request.key.is_none() {
                let note = "the head is not authenticated, because the secret key is not at hand";
                verified.notes.push(note.to_owned());
            }
            return Ok(Some(head));
        }
        None => "it is absent",
        Some(Err(HeadFault::OtherKey)) => "another key made it",
        Some(Err(HeadFault::Forged)) => "it was changed",
        Some(Err(HeadFault::Malformed)) => "it is not a head",
    };
    verified.findings.push(Finding {
        seq: u64::MAX,
        kind: FindingKind::Statement,
        place: path.display().to_string(),
        detail: format!(
            "the head cannot be used: {fault}; events after the last checkpoint may have been cut off"
        ),
    });
    Ok(None)
}

/// Returns the last event that retention removed, with its hash.
fn retained(statements: &[Signed], rows: &Rows) -> (u64, Hash) {
    let first = rows.rows.first().and_then(|row| row.seq);
    let removed = statements
        .iter()
        .filter_map(|signed| match signed.statement {
            Statement::Retention { seq, hash, .. } => Some((seq, hash)),
            _ => None,
        });
    let mut removed: Vec<_> = removed.collect();
    removed.sort_unstable();
    // Retention that was interrupted leaves older events, which are verified like the others.
    match removed.pop() {
        Some(last) if first.is_none_or(|first| first > last.0) => last,
        Some(_) if first == Some(1) => (0, Hash::GENESIS),
        Some(last) => removed
            .iter()
            .rev()
            .find(|(seq, _)| first == Some(seq + 1))
            .copied()
            .unwrap_or(last),
        None => (0, Hash::GENESIS),
    }
}

/// Compares the statements with the events.
fn compare_statements(
    statements: &[Signed],
    rows: &Rows,
    last: (u64, Hash),
    verified: &mut Verified,
) {
    let mut covered = 0;
    for signed in statements {
        let (seq, hash) = match &signed.statement {
            Statement::Checkpoint { seq, hash } => (*seq, *hash),
            Statement::Segment {
                segment, file, seq, ..
            } => {
                if let Some((path, found)) = rows.files.get(segment)
                    && found.is_some_and(|found| found != *file)
                    && !verified.concerns(rows.first_of(*segment).unwrap_or(*seq)..=*seq)
                {
                    verified.findings.push(Finding {
                        seq: rows.first_of(*segment).unwrap_or(*seq),
                        kind: FindingKind::Changed,
                        place: path.display().to_string(),
                        detail: "the compressed file is not the one that was closed".to_owned(),
                    });
                }
                continue;
            }
            Statement::Retention { .. } => continue,
        };
        if seq < verified.first {
            continue;
        }
        match rows.find(seq) {
            Some(row) if row.hash == hash => {
                verified.checkpoints += 1;
                covered = covered.max(seq);
                verified.covered = covered;
            }
            // The chain names the event exactly.
            Some(_) if verified.concerns(covered + 1..=seq) => {}
            Some(row) => verified.findings.push(Finding {
                seq: covered + 1,
                kind: FindingKind::Changed,
                place: rows.place(row),
                detail: format!(
                    "the checkpoint of the event {seq} does not match: an event from {} to {seq} was changed",
                    covered + 1
                ),
            }),
            None if seq > last.0 => verified.findings.push(Finding {
                seq: last.0 + 1,
                kind: FindingKind::CutOff,
                place: rows.end(),
                detail: format!("a checkpoint covers events up to {seq}"),
            }),
            // The chain has a finding for it.
            None => {}
        }
    }
}

/// Compares an event with the report of an earlier verification.
fn expect(rows: &Rows, seq: u64, hash: Hash, last: (u64, Hash), verified: &mut Verified) {
    let (kind, seq, detail) = match rows.find(seq) {
        Some(row) if row.hash == hash => return,
        Some(_) => (
            FindingKind::Changed,
            seq,
            format!("the event {seq} or one before it is not the expected one"),
        ),
        None if seq < verified.first => {
            let note = format!("the expected event {seq} was removed by retention");
            verified.notes.push(note);
            return;
        }
        None => (
            FindingKind::CutOff,
            last.0 + 1,
            format!("the audit had events up to {seq}"),
        ),
    };
    verified.findings.push(Finding {
        seq,
        kind,
        place: rows.end(),
        detail,
    });
}

/// Reports the events that record a change from outside, and lost events.
fn recorded(rows: &Rows, verified: &mut Verified) {
    for (row, event) in &rows.special {
        let Some(row) = rows.rows.get(*row) else {
            continue;
        };
        let seq = row.seq.unwrap_or_default();
        if event.contains("\"audit_reopened\"") {
            verified.findings.push(Finding {
                seq,
                kind: FindingKind::Recorded,
                place: rows.place(row),
                detail: "the event records that the audit was changed from outside".to_owned(),
            });
        } else {
            let note = format!("the event {seq} records events that could not be written");
            verified.notes.push(note);
        }
    }
}

impl Verified {
    /// Checks whether a finding concerns one of these events.
    fn concerns(&self, events: RangeInclusive<u64>) -> bool {
        self.findings
            .iter()
            .any(|finding| events.contains(&finding.seq))
    }

    /// Returns the first event that something is wrong with.
    #[must_use]
    pub fn first_finding(&self) -> Option<&Finding> {
        self.findings.first()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seq,
            kind,
            place,
            detail,
        } = self;
        if *seq == u64::MAX {
            return write!(f, "{place}: {detail}");
        }
        write!(f, "{place}: event {seq}: {kind}: {detail}")
    }
}
