//! Usage reports: how often which tool was called, by whom, and how it ended.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::Entry;

/// The use of tools in an audit, or in a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// All calls.
    pub total: Calls,
    /// The calls of each tool.
    pub tools: BTreeMap<String, Calls>,
    /// The calls of each role.
    pub roles: BTreeMap<String, Calls>,
    /// The calls of each kind of tool: `raw`, `skill` and `discovery`.
    pub kinds: BTreeMap<String, Calls>,
    /// The number of refused calls, by their reasons.
    pub denials: BTreeMap<String, u64>,
    /// The number of violations of scopes, also of protected paths.
    pub scope_violations: u64,
    /// The number of alerts, by their rules.
    pub alerts: BTreeMap<String, u64>,
}

/// The calls of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Calls {
    /// The number of allowed calls.
    pub allowed: u64,
    /// The number of refused calls.
    pub denied: u64,
    /// The number of allowed calls that ended with a result.
    pub ok: u64,
    /// The number of allowed calls that ended otherwise.
    pub failed: u64,
    /// The number of allowed calls without an end: they still run, or their process was killed.
    pub open: u64,
    /// The median of the durations in milliseconds; 0 without one.
    pub median_ms: u64,
    /// The longest duration in milliseconds.
    pub longest_ms: u64,
    #[serde(skip)]
    durations: Vec<u64>,
}

impl Usage {
    /// Adds an event.
    pub fn add(&mut self, entry: &Entry<'_>) {
        match entry.event.as_ref() {
            "decision" | "outcome" => {
                let is_denied = entry.decision.as_deref() == Some("deny");
                if is_denied && let Some(reason) = &entry.reason {
                    *self.denials.entry(reason.to_string()).or_default() += 1;
                }
                self.total.add(entry);
                let groups = [
                    (&mut self.tools, &entry.tool),
                    (&mut self.roles, &entry.role),
                    (&mut self.kinds, &entry.kind),
                ];
                for (group, name) in groups {
                    if let Some(name) = name {
                        group.entry(name.to_string()).or_default().add(entry);
                    }
                }
            }
            "scope_violation" | "protected_path" => self.scope_violations += 1,
            "alert" => {
                let name = entry.alert.as_deref().unwrap_or_default();
                *self.alerts.entry(name.to_owned()).or_default() += 1;
            }
            _ => {}
        }
    }

    /// Returns the report after the last event.
    #[must_use]
    pub fn finish(mut self) -> Self {
        let groups = [&mut self.tools, &mut self.roles, &mut self.kinds];
        let calls = groups.into_iter().flat_map(BTreeMap::values_mut);
        calls.chain([&mut self.total]).for_each(Calls::finish);
        self
    }
}

impl Calls {
    fn add(&mut self, entry: &Entry<'_>) {
        match (entry.event.as_ref(), entry.decision.as_deref()) {
            ("decision", Some("allow")) => self.allowed += 1,
            ("decision", _) => self.denied += 1,
            _ => {
                if entry.outcome.as_deref() == Some("ok") {
                    self.ok += 1;
                } else {
                    self.failed += 1;
                }
                self.durations.extend(entry.duration_ms);
            }
        }
    }

    fn finish(&mut self) {
        self.open = self.allowed.saturating_sub(self.ok + self.failed);
        self.durations.sort_unstable();
        let middle = self.durations.get(self.durations.len() / 2);
        self.median_ms = middle.copied().unwrap_or_default();
        self.longest_ms = self.durations.last().copied().unwrap_or_default();
    }
}
