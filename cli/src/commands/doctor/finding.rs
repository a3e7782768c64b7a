//! What a check found.

use std::fmt;

use anstyle::AnsiColor;
use serde::Serialize;
use toolwright_model::text::show_invisible;

use crate::Failure;

toolwright_model::words! {
    /// How good it is.
    Status {
        /// Nothing is to be done.
        Ok = "ok",
        /// It works, and should be looked at.
        Warning = "warning",
        /// Something does not work.
        Error = "error",
    }
}

toolwright_model::words! {
    /// The part of a project that was checked.
    Part {
        /// `toolwright.toml` and the trust in it.
        Configuration = "configuration",
        /// Grants, roles and the policy lock.
        Policy = "policy",
        /// The specifications, their overlays and their locks.
        Specifications = "specifications",
        /// The generated adapters.
        Adapters = "adapters",
        /// The credentials and the address of a service.
        Service = "service",
        /// A database and its statements.
        Database = "database",
        /// The state: approvals and switches.
        State = "state",
        /// The store of files.
        Files = "files",
        /// The audit and its sinks.
        Audit = "audit",
    }
}

/// One finding.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// How good it is.
    pub(super) status: Status,
    /// The checked part.
    pub(super) part: Part,
    /// What exactly: a file or a service.
    pub(super) subject: String,
    /// The finding in a sentence.
    pub(super) message: String,
    /// The reasons.
    pub(super) notes: Vec<String>,
    /// What to do.
    pub(super) help: Vec<String>,
}

/// The findings of all checks.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    /// Adds that a subject is in order.
    pub(super) fn ok(
        &mut self,
        part: Part,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.add(Finding::new(Status::Ok, part, subject, message));
    }

    /// Adds a finding.
    pub(super) fn add(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    /// Adds the problems of a failure.
    pub(super) fn failure(&mut self, part: Part, subject: &str, failure: &Failure) {
        for (message, notes, help) in failure.texts() {
            let mut finding = Finding {
                notes,
                help,
                ..Finding::new(Status::Error, part, subject, message)
            };
            if finding.help.is_empty() {
                finding.help.push(usual_fix(part).to_owned());
            }
            self.add(finding);
        }
    }

    /// Returns the findings in order.
    pub(super) fn all(&self) -> &[Finding] {
        &self.0
    }

    /// Counts the findings of a status.
    pub(super) fn count(&self, status: Status) -> usize {
        let all = self.0.iter();
        all.filter(|finding| finding.status == status).count()
    }
}

/// What to do if a failure does not say it.
const fn usual_fix(part: Part) -> &'static str {
    match part {
        Part::Configuration | Part::Policy => "correct it in `toolwright.toml`",
        Part::Specifications => "correct the faults that are listed above",
        Part::Adapters => "run `toolwright generate`",
        Part::Service => "correct the settings of the service",
        Part::Database => {
            "correct the file of its statements, or `[databases]` in `toolwright.toml`"
        }
        Part::State => "correct `[state]` in `toolwright.toml`, or the place that it names",
        Part::Audit => "correct `[audit]` in `toolwright.toml`, or the files that it names",
        Part::Files => "correct `[files]` in `toolwright.toml`, or the folder that it names",
    }
}

impl Finding {
    pub(super) fn new(
        status: Status,
        part: Part,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            status,
            part,
            subject: subject.into(),
            message: message.into(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// Adds what to do.
    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colour = match self.status {
            Status::Ok => AnsiColor::Green,
            Status::Warning => AnsiColor::Yellow,
            Status::Error => AnsiColor::Red,
        };
        let style = colour.on_default().bold();
        let (status, subject) = (self.status, show_invisible(&self.subject));
        let message = show_invisible(&self.message);
        write!(f, "{style}{status}{style:#}: {subject}: {message}")?;
        let notes = self.notes.iter().map(|text| ("note", text));
        let help = self.help.iter().map(|text| ("help", text));
        for (kind, text) in notes.chain(help) {
            write!(f, "\n  = {kind}: {}", show_invisible(text))?;
        }
        Ok(())
    }
}
