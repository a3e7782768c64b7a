//! The chain of the events: finds the first line that is not where and what it was.

use super::{Finding, FindingKind, Row, Rows, Verified};
use crate::{Hash, Head};

/// The lines of an audit, and what they are compared with.
pub(super) struct Chain<'a> {
    pub(super) rows: &'a Rows,
    /// The last event before the first one in the files, and its hash.
    pub(super) before: (u64, Hash),
    pub(super) head: Option<Head>,
}

impl Chain<'_> {
    /// Checks the chain up to the first fault. Returns the last event before it, and its hash.
    pub(super) fn check(&self, verified: &mut Verified) -> (u64, Hash) {
        let mut last = self.before;
        for (index, row) in self.rows.rows.iter().enumerate() {
            let follows = row.seq == Some(last.0 + 1) && row.prev == last.1;
            if follows && row.genuine != Some(false) {
                if let Some((_, reason)) = self.damage_before(index) {
                    verified
                        .findings
                        .push(self.finding(FindingKind::Changed, last.0, row, reason));
                    return last;
                }
                last = (last.0 + 1, row.hash);
                continue;
            }
            if !row.complete && self.is_after_head(last.0) && index + 1 == self.rows.rows.len() {
                let note = format!("a line after the event {} is incomplete", last.0);
                verified.notes.push(note);
                continue;
            }
            let finding = self.explain(index, row, last);
            verified.findings.push(finding);
            return last;
        }
        if let Some((_, reason)) = self.damage_before(self.rows.rows.len()) {
            verified.findings.push(Finding {
                seq: last.0 + 1,
                kind: FindingKind::Changed,
                place: self.rows.end(),
                detail: reason.clone(),
            });
            return last;
        }
        self.compare_head(last, verified);
        last
    }

    /// Returns the damage of a compressed file that ends before a line.
    fn damage_before(&self, index: usize) -> Option<&(usize, String)> {
        let mut damaged = self.rows.damaged.iter();
        damaged.find(|(end, _)| *end == index)
    }

    fn is_after_head(&self, last: u64) -> bool {
        self.head.is_none_or(|head| head.seq <= last)
    }

    fn finding(
        &self,
        kind: FindingKind,
        seq: u64,
        row: &Row,
        detail: impl Into<String>,
    ) -> Finding {
        Finding {
            seq,
            kind,
            place: self.rows.place(row),
            detail: detail.into(),
        }
    }

    /// Explains why a line does not follow the last event.
    fn explain(&self, index: usize, row: &Row, last: (u64, Hash)) -> Finding {
        let expected = last.0 + 1;
        if let Some((_, reason)) = self.damage_before(index) {
            return self.finding(FindingKind::Changed, expected, row, reason);
        }
        let later = self.rows.rows.iter().skip(index + 1);
        let comes_later = later.clone().any(|row| {
            row.seq == Some(expected) && row.prev == last.1 && row.genuine != Some(false)
        });
        let found = row.seq.map_or_else(
            || "a line that is not an event".to_owned(),
            |seq| format!("the event {seq}"),
        );
        if comes_later {
            let is_original =
                row.seq.is_some_and(|seq| seq > expected) && row.genuine != Some(false);
            let is_only = later.clone().all(|other| other.seq != row.seq);
            let kind = if is_original && is_only {
                FindingKind::Reordered
            } else {
                FindingKind::Inserted
            };
            return self.finding(kind, expected, row, format!("{found} is before it"));
        }
        if !row.complete && index + 1 == self.rows.rows.len() {
            return self.finding(
                FindingKind::CutOff,
                expected,
                row,
                "the last line is incomplete",
            );
        }
        match row.seq {
            None => self.finding(FindingKind::Changed, expected, row, "it cannot be read"),
            Some(_) if row.genuine == Some(false) => self.finding(
                FindingKind::Changed,
                expected,
                row,
                "the line was not written with the key of the audit",
            ),
            Some(_) if row.prev == last.1 => self.finding(
                FindingKind::Changed,
                expected,
                row,
                "its number was changed",
            ),
            Some(seq) if seq == expected => self.changed(index, row, last),
            Some(seq) if seq > expected => {
                let detail = format!("the next event is {seq}");
                self.finding(FindingKind::Removed, expected, row, detail)
            }
            Some(_) => {
                let detail = format!("{found} is in its place");
                self.finding(FindingKind::Changed, expected, row, detail)
            }
        }
    }

    /// Explains a line with the right number that does not contain the hash of the line before it:
    /// one of the two was changed.
    fn changed(&self, index: usize, row: &Row, last: (u64, Hash)) -> Finding {
        let next = self.rows.rows.get(index + 1).map(|next| next.prev);
        let next = next.or_else(|| {
            let head = self.head.filter(|head| row.seq == Some(head.seq));
            head.map(|head| head.hash)
        });
        let is_intact = row.genuine == Some(true) || next == Some(row.hash);
        let is_first = index == 0 || last.0 == self.before.0;
        if is_intact && !is_first {
            let before = self.rows.rows.get(index.saturating_sub(1)).unwrap_or(row);
            return self.finding(
                FindingKind::Changed,
                last.0,
                before,
                "its hash is not the one that the next event contains",
            );
        }
        let detail = "it does not contain the hash of the event before it";
        self.finding(FindingKind::Changed, last.0 + 1, row, detail)
    }

    /// Compares the last event with the head.
    fn compare_head(&self, last: (u64, Hash), verified: &mut Verified) {
        let Some(head) = self.head else {
            return;
        };
        let place = self.rows.end();
        let (kind, seq, detail) = if head.seq > last.0 {
            let detail = format!("the audit had events up to {}", head.seq);
            (FindingKind::CutOff, last.0 + 1, detail)
        } else if head.seq == last.0 {
            if head.hash == last.1 {
                return;
            }
            let detail = "its hash is not the one in the head".to_owned();
            (FindingKind::Changed, last.0, detail)
        } else {
            let mut after = self.rows.rows.iter();
            let after = after.rfind(|row| row.seq == Some(head.seq + 1));
            if after.is_some_and(|row| row.genuine == Some(true)) {
                let note = format!(
                    "the events after {} were written by a process that was killed",
                    head.seq
                );
                verified.notes.push(note);
                return;
            }
            let detail = format!("the head is the event {}", head.seq);
            (FindingKind::Inserted, head.seq + 1, detail)
        };
        verified.findings.push(Finding {
            seq,
            kind,
            place,
            detail,
        });
    }
}
