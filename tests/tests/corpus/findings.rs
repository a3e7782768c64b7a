//! What a judge found, and how it is shown.

use std::{collections::BTreeMap, fmt::Write};

/// What a judge found of one document, or of all.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// How many things were judged.
    pub(crate) judged: usize,
    /// How many of them are as the sentence says.
    pub(crate) held: usize,
    /// What is not.
    failures: Vec<Exception>,
    /// What the sentence does not speak of, so that it was not judged.
    exempt: Vec<Exception>,
    /// Other figures.
    notes: Vec<String>,
    /// Whether there is a failure that nothing may have.
    unexplained: bool,
}

/// A thing of which a sentence does not hold.
#[derive(Debug)]
struct Exception {
    what: String,
    why: String,
}

impl Findings {
    /// One more thing is as it should be.
    pub(crate) fn hold(&mut self) {
        self.hold_all(1);
    }

    /// So many more things are as they should be.
    pub(crate) fn hold_all(&mut self, things: usize) {
        self.judged += things;
        self.held += things;
    }

    /// One more thing is not as it should be.
    pub(crate) fn fail(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.judged += 1;
        let (what, why) = (what.into(), why.into());
        self.failures.push(Exception { what, why });
    }

    /// One more thing is not as it should be, and no share that holds makes up for it: nobody has
    /// looked into it yet.
    pub(crate) fn fail_unexplained(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.fail(what, why);
        self.unexplained = true;
    }

    /// Whether something failed that nobody has looked into.
    pub(crate) const fn has_unexplained(&self) -> bool {
        self.unexplained
    }

    /// One more thing is as it should be, or is not because of something.
    pub(crate) fn check(&mut self, what: impl Into<String>, fault: Option<String>) {
        match fault {
            None => self.hold(),
            Some(why) => self.fail(what, why),
        }
    }

    /// One thing is no matter of the sentence.
    pub(crate) fn exempt(&mut self, what: impl Into<String>, why: impl Into<String>) {
        let (what, why) = (what.into(), why.into());
        self.exempt.push(Exception { what, why });
    }

    /// Another figure, or word, that is shown.
    pub(crate) fn note(&mut self, words: impl Into<String>) {
        self.notes.push(words.into());
    }

    /// Takes over what was found elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        self.judged += other.judged;
        self.held += other.held;
        self.failures.extend(other.failures);
        self.exempt.extend(other.exempt);
        self.notes.extend(other.notes);
        self.unexplained |= other.unexplained;
    }

    /// The share of things that are as they should be; where nothing was judged, all of it.
    pub(crate) fn share(&self) -> f64 {
        match self.judged {
            0 => 1.0,
            judged => self.held as f64 / judged as f64,
        }
    }

    /// Everything that is not a figure of the table: each exception with its reason.
    pub(crate) fn details(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "  {note}");
        }
        group(&mut text, "does not hold", &self.failures);
        group(&mut text, "not judged", &self.exempt);
        text
    }
}

/// Exceptions by their reasons.
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
