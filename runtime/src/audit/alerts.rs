//! Alerts: rules that count events of the audit.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use toolwright_model::words;

use super::{Alert, AuditEvent, Ending, Permission, What, bounds::bounded_name};

/// The most groups of events that are counted at once. The oldest ones are forgotten.
const MOST_GROUPS: usize = 4_096;

words! {
    /// The events that a rule of alerts counts.
    AlertTrigger {
        /// A call was refused.
        Denied = "denied",
        /// A call was refused because it violates a scope.
        ScopeViolation = "scope_violation",
        /// A call was refused because it would reach a protected path.
        ProtectedPath = "protected_path",
        /// An allowed call failed, for any reason.
        Failed = "failed",
        /// An allowed call did not end in time.
        TimedOut = "timed_out",
        /// The function of the program that carried out a call panicked.
        Crashed = "crashed",
        /// A client could not authenticate.
        LoginRefused = "login_refused",
        /// The audit was changed from outside, or has lost events.
        AuditChanged = "audit_changed",
    }
}

words! {
    /// The events that a rule of alerts counts together.
    AlertGroup {
        /// Those of one role in one run.
        Run = "run",
        /// Those of one role.
        Role = "role",
        /// Those of one tool.
        Tool = "tool",
        /// All of them.
        All = "all",
    }
}

/// A rule: so many events within a time are an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AlertRule {
    /// The name of the rule, for the alert.
    pub name: String,
    /// The events that count.
    pub on: AlertTrigger,
    /// The number of events that are an alert. After it, counting begins again.
    pub count: u64,
    /// The time within which they must happen.
    pub within: Duration,
    /// The events that are counted together.
    pub per: AlertGroup,
}

impl AlertRule {
    /// Creates a rule.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        on: AlertTrigger,
        count: u64,
        within: Duration,
        per: AlertGroup,
    ) -> Self {
        Self {
            name: name.into(),
            on,
            count,
            within,
            per,
        }
    }
}

/// Delivers an alert.
type Deliver = Box<dyn Fn(&Alert, Timestamp) + Send + Sync>;

/// The rules in force, and the events that were counted.
#[derive(Default)]
pub(super) struct Alerts {
    /// True if there is a rule. Most programs have none.
    active: AtomicBool,
    counted: Mutex<Counted>,
    deliver: OnceLock<Deliver>,
}

#[derive(Debug, Default)]
struct Counted {
    rules: Vec<AlertRule>,
    groups: BTreeMap<Group, VecDeque<Timestamp>>,
    /// The groups in the order of their first event.
    order: VecDeque<Group>,
}

/// The events of one rule that are counted together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    rule: String,
    role: Option<String>,
    run: Option<String>,
    tool: Option<String>,
}

impl Alerts {
    /// Replaces the rules. What was counted for a rule that stays is kept.
    pub(super) fn set_rules(&self, rules: &[AlertRule]) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.rules = rules.to_vec();
        self.active.store(!rules.is_empty(), Ordering::Release);
    }

    /// Sets the delivery of alerts. The first one stays.
    pub(super) fn set_delivery(&self, deliver: Deliver) {
        let _ = self.deliver.set(deliver);
    }

    pub(super) fn deliver(&self, alert: &Alert, time: Timestamp) {
        if let Some(deliver) = self.deliver.get() {
            deliver(alert, time);
        }
    }

    /// Counts an event, and returns the alerts that it completes.
    pub(super) fn count(&self, event: &AuditEvent) -> Vec<Alert> {
        if !self.active.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.count(event)
    }
}

impl Counted {
    fn count(&mut self, event: &AuditEvent) -> Vec<Alert> {
        let rules = self.rules.clone();
        let met = rules.iter().filter(|rule| rule.on.is_met_by(&event.what));
        met.filter_map(|rule| self.add(rule, event)).collect()
    }

    fn add(&mut self, rule: &AlertRule, event: &AuditEvent) -> Option<Alert> {
        let group = Group::new(rule, event);
        if !self.groups.contains_key(&group) {
            self.order.push_back(group.clone());
            if self.order.len() > MOST_GROUPS
                && let Some(oldest) = self.order.pop_front()
            {
                self.groups.remove(&oldest);
            }
        }
        let times = self.groups.entry(group.clone()).or_default();
        times.push_back(event.time);
        let within = SignedDuration::try_from(rule.within).unwrap_or(SignedDuration::MAX);
        let is_old = |time: &Timestamp| event.time.duration_since(*time) > within;
        while times.front().is_some_and(is_old) {
            times.pop_front();
        }
        let count = times.len() as u64;
        if count < rule.count {
            return None;
        }
        times.clear();
        let Group {
            rule,
            role,
            run,
            tool,
        } = group;
        Some(Alert {
            alert: rule,
            role,
            run,
            tool,
            count,
            halted: false,
        })
    }
}

impl Group {
    fn new(rule: &AlertRule, event: &AuditEvent) -> Self {
        let call = event.call.as_ref();
        let role = call.map(|call| bounded_name(call.role.as_str()));
        let (role, run, tool) = match rule.per {
            AlertGroup::Run => (role, call.and_then(|call| call.run.clone()), None),
            AlertGroup::Role => (role, None, None),
            AlertGroup::Tool => (None, None, call.map(|call| call.tool.clone())),
            AlertGroup::All => (None, None, None),
        };
        Self {
            rule: rule.name.clone(),
            role,
            run,
            tool,
        }
    }
}

impl AlertTrigger {
    fn is_met_by(self, what: &What) -> bool {
        match (self, what) {
            (Self::Denied, What::Decision(decision)) => decision.decision == Permission::Deny,
            (Self::ScopeViolation, What::ScopeViolation(_))
            | (Self::ProtectedPath, What::ProtectedPath(_))
            | (Self::LoginRefused, What::LoginRefused(_))
            | (Self::AuditChanged, What::AuditReopened(_) | What::AuditGap(_)) => true,
            (Self::Failed, What::Outcome(outcome)) => outcome.outcome != Ending::Ok,
            (Self::TimedOut, What::Outcome(outcome)) => outcome.outcome == Ending::TimedOut,
            (Self::Crashed, What::Outcome(outcome)) => outcome.outcome == Ending::Crashed,
            _ => false,
        }
    }
}

impl fmt::Debug for Alerts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alerts").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(second: i64) -> AuditEvent {
        let time = Timestamp::from_second(second).unwrap();
        AuditEvent::login_refused(time, "127.0.0.1", "no_token", 1)
    }

    #[test]
    fn so_many_events_within_the_time_are_one_alert() {
        let alerts = Alerts::default();
        let within = Duration::from_secs(10);
        let rule = AlertRule::new("x", AlertTrigger::LoginRefused, 3, within, AlertGroup::All);
        assert!(alerts.count(&refused(0)).is_empty());
        alerts.set_rules(&[rule]);
        // The first one is too old when the third one happens.
        for second in [0, 8, 11] {
            assert!(alerts.count(&refused(second)).is_empty(), "{second}");
        }
        let raised = alerts.count(&refused(12));
        assert_eq!(raised.len(), 1);
        assert_eq!((raised[0].alert.as_str(), raised[0].count), ("x", 3));
        // Counting begins again.
        for second in [13, 14] {
            assert!(alerts.count(&refused(second)).is_empty(), "{second}");
        }
        assert_eq!(alerts.count(&refused(15)).len(), 1);
    }
}
