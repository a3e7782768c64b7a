//! What a run of the kit found.

use serde::Serialize;
use toolwright::eab::Endpoint;

/// What a run of the kit found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Where the service is.
    pub endpoint: String,
    /// Everything that was looked at, in order.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What it is, such as `handshake.version`.
    pub id: &'static str,
    /// The method, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// How it ended.
    pub verdict: Verdict,
    /// What was found, or why it was not looked at; empty where it is as it has to be.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is as it has to be.
    Passed,
    /// It is not.
    Failed,
    /// It could not be looked at.
    Skipped,
}

impl Report {
    pub(super) fn new(endpoint: &Endpoint) -> Self {
        Self {
            endpoint: endpoint.to_string(),
            checks: Vec::new(),
        }
    }

    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.count(Verdict::Failed) == 0
    }

    /// How many checks ended so.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        let checks = self.checks.iter();
        checks.filter(|check| check.verdict == verdict).count()
    }

    pub(super) fn fail(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        message: impl Into<String>,
    ) {
        self.add(id, method, Verdict::Failed, message.into());
    }

    pub(super) fn skip(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        message: impl Into<String>,
    ) {
        self.add(id, method, Verdict::Skipped, message.into());
    }

    /// Notes that a thing is as it has to be, or what is wrong with it.
    pub(super) fn note(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        found: Result<(), String>,
    ) {
        match found {
            Ok(()) => self.add(id, method, Verdict::Passed, String::new()),
            Err(message) => self.fail(id, method, message),
        }
    }

    fn add(&mut self, id: &'static str, method: Option<&str>, verdict: Verdict, message: String) {
        self.checks.push(Check {
            id,
            method: method.map(str::to_owned),
            verdict,
            message,
        });
    }
}
