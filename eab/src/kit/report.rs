//! The report of a run of the kit.

use serde::Serialize;
use toolwright::eab::Endpoint;

/// The report of a run of the kit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The endpoint of the service.
    pub endpoint: String,
    /// Everything that was looked at, in order.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The id, such as `handshake.version`.
    pub id: &'static str,
    /// The method, if the check is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The verdict.
    pub verdict: CheckVerdict,
    /// The problem, or the reason for skipping; empty if the check passed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// The verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckVerdict {
    /// The check found no problem.
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

    /// Returns whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.count(CheckVerdict::Failed) == 0
    }

    /// Counts the checks with this verdict.
    #[must_use]
    pub fn count(&self, verdict: CheckVerdict) -> usize {
        let checks = self.checks.iter();
        checks.filter(|check| check.verdict == verdict).count()
    }

    pub(super) fn fail(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        message: impl Into<String>,
    ) {
        self.add(id, method, CheckVerdict::Failed, message.into());
    }

    pub(super) fn skip(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        message: impl Into<String>,
    ) {
        self.add(id, method, CheckVerdict::Skipped, message.into());
    }

    /// Records that a check passed, or its problem.
    pub(super) fn note(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        found: Result<(), String>,
    ) {
        match found {
            Ok(()) => self.add(id, method, CheckVerdict::Passed, String::new()),
            Err(message) => self.fail(id, method, message),
        }
    }

    fn add(
        &mut self,
        id: &'static str,
        method: Option<&str>,
        verdict: CheckVerdict,
        message: String,
    ) {
        self.checks.push(Check {
            id,
            method: method.map(str::to_owned),
            verdict,
            message,
        });
    }
}
