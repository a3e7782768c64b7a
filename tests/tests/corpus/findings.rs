//! The results of a check and their report.

use std::{collections::BTreeMap, fmt::Write};

/// The results of a check for one document or for all.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The number of checked cases.
    pub(crate) judged: usize,
    /// The number of cases that passed.
    pub(crate) held: usize,
    /// The cases that failed.
    failures: Vec<Exception>,
    /// The cases outside the check's scope.
    exempt: Vec<Exception>,
    /// Other figures to print.
    notes: Vec<String>,
    /// True if a failure has no reviewed reason.
    unexplained: bool,
}

/// A case that failed or is exempt.
#[derive(Debug)]
struct Exception {
    what: String,
    why: String,
}

impl Findings {
    /// Counts one passed case.
    pub(crate) fn hold(&mut self) {
        self.hold_all(1);
    }

    /// Counts several passed cases.
    pub(crate) fn hold_all(&mut self, things: usize) {
        self.judged += things;
        self.held += things;
    }

    /// Counts one failed case.
    pub(crate) fn fail(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.judged += 1;
        let (what, why) = (what.into(), why.into());
        self.failures.push(Exception { what, why });
    }

    /// Counts one failed case without a reviewed reason, which fails the whole check.
    pub(crate) fn fail_unexplained(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.fail(what, why);
        self.unexplained = true;
    }

    /// Returns true if a failure has no reviewed reason.
    pub(crate) const fn has_unexplained(&self) -> bool {
        self.unexplained
    }

    /// Counts one case, which failed if there is a fault.
    pub(crate) fn check(&mut self, what: impl Into<String>, fault: Option<String>) {
        match fault {
            None => self.hold(),
            Some(why) => self.fail(what, why),
        }
    }

    /// Records a case outside the check's scope.
    pub(crate) fn exempt(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let (what, why) = (what.into(), why.into());
        self.exempt.push(Exception { what, why });
    }

    /// Adds a line to the report.
    pub(crate) fn note(&mut self, words: impl Into<String>) {
        self.notes.push(words.into());
    }

    /// Adds the results of another check.
    pub(crate) fn add(&mut self, other: Self) {
        self.judged += other.judged;
        self.held += other.held;
        self.failures.extend(other.failures);
        self.exempt.extend(other.exempt);
        self.notes.extend(other.notes);
        self.unexplained |= other.unexplained;
    }

    /// The share of passed cases; 1.0 if there were none.
    pub(crate) fn share(&self) -> f64 {
        match self.judged {
            0 => 1.0,
            judged => self.held as f64 / judged as f64,
        }
    }

    /// Returns the report without the table: notes, and exceptions with their reasons.
    pub(crate) fn details(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        group(&mut text, "failed", &self.failures);
        group(&mut text, "exempt", &self.exempt);
        text
    }
}

/// Writes exceptions grouped by reason.
fn group(text: &mut String, title: &str, exceptions: &[Exception]) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for exception in exceptions {
        let reason = by_reason.entry(&exception.why).or_default();
        reason.push(&exception.what);
    }
    for (why, things) in by_reason {
        let _ = writeln!(text, "  {title} ({}): {why}", things.len());
        for thing in things {
            let _ = writeln!(text, "    {thing}");
        }
    }
}
