//! The lines of all files of an audit, reduced to what their verification needs.

use std::{
    collections::BTreeMap,
    io::{self, BufRead},
    path::{Path, PathBuf},
};

use serde::de::IgnoredAny;

use crate::{
    AuditKey, Hash, line,
    pack::hash_file,
    segment::{self, Line},
};

/// The number of the file that is written to, in place of a segment's.
const LATEST: u64 = u64::MAX;

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The number of its event; none if the line cannot be read.
    pub(super) seq: Option<u64>,
    pub(super) prev: Hash,
    pub(super) hash: Hash,
    /// True if the key wrote it; none without the key.
    pub(super) genuine: Option<bool>,
    /// True if it ends in a newline.
    pub(super) complete: bool,
    segment: u64,
    number: u64,
}

/// All lines, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// The files by the numbers of their segments, with the hash of a compressed one.
    pub(super) files: BTreeMap<u64, (PathBuf, Option<Hash>)>,
    /// The lines that record changes from outside or lost events.
    pub(super) special: Vec<(usize, String)>,
    /// The files that could not be read to their end, with the reason and the next line.
    pub(super) damaged: Vec<(usize, String)>,
    /// True if the given key wrote a line.
    has_own: bool,
    /// The lines by the numbers of their events. The first of several is kept.
    by_seq: BTreeMap<u64, usize>,
}

impl Rows {
    pub(super) fn read(audit: &Path, key: Option<&AuditKey>) -> io::Result<Self> {
        let mut rows = Self::default();
        for one in segment::closed(audit)? {
            let hash = if one.packed {
                Some(hash_file(&one.path)?)
            } else {
                None
            };
            rows.files.insert(one.number, (one.path.clone(), hash));
            rows.read_file(one.number, &one.path, one.packed, key)?;
        }
        if audit.exists() {
            rows.files.insert(LATEST, (audit.to_owned(), None));
            rows.read_file(LATEST, audit, false, key)?;
        }
        rows.index();
        Ok(rows)
    }

    /// Reads lines that are in no files of an audit, such as a copy in a database.
    pub(super) fn read_lines(
        place: &str,
        lines: &mut dyn BufRead,
        key: Option<&AuditKey>,
    ) -> io::Result<Self> {
        let mut rows = Self::default();
        rows.files.insert(LATEST, (PathBuf::from(place), None));
        let mut number = 0;
        segment::for_each_line_of(lines, |line| {
            number += 1;
            rows.add(line, LATEST, number, key);
            Ok(())
        })?;
        rows.index();
        Ok(rows)
    }

    /// Notes the lines by the numbers of their events.
    fn index(&mut self) {
        for (index, row) in self.rows.iter().enumerate() {
            if let Some(seq) = row.seq {
                self.by_seq.entry(seq).or_insert(index);
            }
        }
    }

    fn read_file(
        &mut self,
        segment: u64,
        path: &Path,
        packed: bool,
        key: Option<&AuditKey>,
    ) -> io::Result<()> {
        let mut number = 0;
        let read = segment::for_each_line(path, packed, |line| {
            number += 1;
            self.add(line, segment, number, key);
            Ok(())
        });
        match read {
            Err(error) if packed => {
                let reason = format!("{}: {error}", path.display());
                self.damaged.push((self.rows.len(), reason));
                Ok(())
            }
            read => read,
        }
    }

    fn add(&mut self, line: Line<'_>, segment: u64, number: u64, key: Option<&AuditKey>) {
        let is_json = serde_json::from_slice::<IgnoredAny>(line.text).is_ok();
        let sealed = line::parse(line.text).filter(|_| is_json && line.complete);
        let text = line.text;
        // These names cannot be in an event's other fields without an escape.
        let is_special = sealed.is_some()
            && [
                b"\"event\":\"audit_reopened\"".as_slice(),
                b"\"event\":\"audit_gap\"",
            ]
            .iter()
            .any(|name| memchr::memmem::find(text, name).is_some());
        if is_special {
            let text = String::from_utf8_lossy(text).into_owned();
            self.special.push((self.rows.len(), text));
        }
        self.rows.push(Row {
            seq: sealed.map(|sealed| sealed.seq),
            prev: sealed.map(|sealed| sealed.prev).unwrap_or_default(),
            hash: Hash::from_content(text),
            genuine: match (sealed, key) {
                // The latest key is the given one, so no line of another key follows one of it.
                (Some(sealed), Some(key)) => match sealed.is_genuine(key) {
                    None if self.has_own => Some(false),
                    genuine => {
                        self.has_own |= genuine == Some(true);
                        genuine
                    }
                },
                (None, Some(_)) => Some(false),
                (_, None) => None,
            },
            complete: line.complete,
            segment,
            number,
        });
    }

    /// Returns the line of an event.
    pub(super) fn find(&self, seq: u64) -> Option<&Row> {
        self.rows.get(*self.by_seq.get(&seq)?)
    }

    /// Returns the first event of a segment.
    pub(super) fn first_of(&self, segment: u64) -> Option<u64> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.segment == segment)?.seq
    }

    /// Returns the place of a line, for a person.
    pub(super) fn place(&self, row: &Row) -> String {
        match self.files.get(&row.segment) {
            Some((path, _)) => format!("{}:{}", path.display(), row.number),
            None => String::new(),
        }
    }

    /// Returns the place of the last line, for a person.
    pub(super) fn end(&self) -> String {
        self.rows
            .last()
            .map_or_else(String::new, |row| self.place(row))
    }
}
