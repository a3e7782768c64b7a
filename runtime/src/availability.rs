//! Availability: the operator's switches of tools, which change while programs run.
//!
//! A tool without an [`Override`] is on or off as its record and the configuration decide. Overrides
//! are sparse: removing one restores that default. `disable` of the configuration wins over an
//! override that switches a tool on.
//!
//! The crate `toolwright-state` keeps overrides in a database and [publishes](Availability::publish)
//! them. While it cannot read them, the last known overrides apply. After a limit, tools that change
//! something are refused, because the operator may have switched them off in the meantime.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use toolwright_model::ToolName;

use crate::statement::Statement;
pub use crate::statement::StatementError as OverrideError;

/// The default time for which the last known overrides apply while the state is unreachable.
pub const GRACE: Duration = Duration::from_secs(30);

/// The overrides in force, by tool.
pub type Overrides = BTreeMap<ToolName, Override>;

/// The switch of one tool by a named person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Override {
    /// True if the tool is on.
    pub enabled: bool,
    /// The name of the person.
    pub by: String,
    /// The person's reason.
    pub why: String,
    /// The time of the switch.
    pub at: Timestamp,
}

/// The overrides that a program knows, and when it last confirmed them. All clones of a registry
/// share it.
#[derive(Debug)]
pub struct Availability {
    known: watch::Sender<Arc<Overrides>>,
    /// The time of the last confirmation; none if no state stores overrides.
    confirmed: Mutex<Option<Instant>>,
    /// True if the last attempt to read the state failed.
    lost: AtomicBool,
    grace: Duration,
}

/// Whether a program reaches its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateStatus {
    /// True if the last attempt to read the state succeeded.
    pub reachable: bool,
    /// The time since the known overrides were confirmed.
    pub age: Duration,
}

impl Override {
    /// Creates the switch of a named person with a reason.
    ///
    /// # Errors
    /// [`OverrideError`] if the name or the reason is empty, too long, or has an invisible character.
    pub fn new(enabled: bool, by: &str, why: &str, at: Timestamp) -> Result<Self, OverrideError> {
        let Statement { by, why } = Statement::new(by, why)?;
        Ok(Self {
            enabled,
            by,
            why,
            at,
        })
    }
}

impl Availability {
    /// Creates the availability of a program without a state: no tool is overridden.
    #[must_use]
    pub fn fixed() -> Self {
        Self {
            known: watch::Sender::default(),
            confirmed: Mutex::default(),
            lost: AtomicBool::new(false),
            grace: GRACE,
        }
    }

    /// Creates the availability of a program with a state. `as_of` is the time before these
    /// overrides were read. If they are not confirmed for `grace`, tools that change something are
    /// refused.
    #[must_use]
    pub fn new(overrides: Overrides, as_of: Instant, grace: Duration) -> Self {
        Self {
            known: watch::Sender::new(Arc::new(overrides)),
            confirmed: Mutex::new(Some(as_of)),
            lost: AtomicBool::new(false),
            grace,
        }
    }

    /// Replaces the overrides for all views at once. `as_of` is the time before they were read.
    pub fn publish(&self, overrides: Overrides, as_of: Instant) {
        self.known.send_if_modified(|known| {
            let is_new = **known != overrides;
            if is_new {
                *known = Arc::new(overrides);
            }
            is_new
        });
        *self
            .confirmed
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(as_of);
        self.lost.store(false, Ordering::Relaxed);
    }

    /// Records that the state cannot be read. The known overrides apply for the time of
    /// [`Availability::grace`].
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// Returns whether the state can be reached; none if no state stores overrides.
    #[must_use]
    pub fn status(&self) -> Option<StateStatus> {
        Some(StateStatus {
            reachable: !self.lost.load(Ordering::Relaxed),
            age: self.age()?,
        })
    }

    /// Returns the known overrides.
    #[must_use]
    pub fn overrides(&self) -> Arc<Overrides> {
        Arc::clone(&self.known.borrow())
    }

    /// Returns a receiver that is notified when an override changes.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Overrides>> {
        self.known.subscribe()
    }

    /// Returns the time for which unconfirmed overrides apply.
    #[must_use]
    pub const fn grace(&self) -> Duration {
        self.grace
    }

    /// Returns the time since the last confirmation, if it is longer than the limit.
    #[must_use]
    pub fn overdue(&self) -> Option<Duration> {
        self.age().filter(|age| *age > self.grace)
    }

    fn age(&self) -> Option<Duration> {
        let confirmed = *self
            .confirmed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(confirmed?.elapsed())
    }
}

impl Default for Availability {
    fn default() -> Self {
        Self::fixed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    #[test]
    fn a_switch_has_a_visible_name_and_reason() {
        assert!(Override::new(false, "Ann Önal", "leaks rows; see ticket 7", at()).is_ok());
        for text in ["", "  ", "a\nb", "a\u{202e}b", "\u{200b}", &"x".repeat(600)] {
            let person = Override::new(true, text, "why", at());
            assert_eq!(person, Err(OverrideError::Person), "{text:?}");
            let reason = Override::new(true, "ann", text, at());
            assert_eq!(reason, Err(OverrideError::Reason), "{text:?}");
        }
    }

    #[test]
    fn overrides_are_overdue_after_the_limit_until_they_are_confirmed() {
        let long_ago = Instant::now().checked_sub(Duration::from_secs(31)).unwrap();
        let availability = Availability::new(Overrides::new(), long_ago, GRACE);
        assert!(availability.overdue().is_some());
        availability.publish(Overrides::new(), Instant::now());
        assert_eq!(availability.overdue(), None);
        assert_eq!(Availability::fixed().overdue(), None);
        // The age of what is confirmed at this moment is the limit, and not beyond it.
        let later = Instant::now() + Duration::from_secs(60);
        let without_limit = Availability::new(Overrides::new(), later, Duration::ZERO);
        assert_eq!(without_limit.overdue(), None);
    }

    #[test]
    fn a_lost_state_is_reported_until_it_is_read_again() {
        assert_eq!(Availability::fixed().status(), None);
        let availability = Availability::new(Overrides::new(), Instant::now(), GRACE);
        let reachable = || availability.status().map(|status| status.reachable);
        assert_eq!(reachable(), Some(true));
        availability.lose();
        assert_eq!(reachable(), Some(false));
        availability.publish(Overrides::new(), Instant::now());
        assert_eq!(reachable(), Some(true));
    }

    #[test]
    fn only_a_change_is_notified() {
        let availability = Availability::fixed();
        let changes = availability.changes();
        availability.publish(Overrides::new(), Instant::now());
        assert!(!changes.has_changed().unwrap());
        let tool: ToolName = "delete-depot-item".parse().unwrap();
        let entry = Override::new(false, "ann", "why", at()).unwrap();
        availability.publish([(tool.clone(), entry)].into(), Instant::now());
        assert!(changes.has_changed().unwrap());
        assert!(!availability.overrides()[&tool].enabled);
    }
}
