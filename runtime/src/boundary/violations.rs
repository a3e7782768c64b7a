//! The violations of scopes, counted for each role and run.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use toolwright_model::Role;

use super::view::Scope;
use crate::config::ViolationLimits;

/// The most runs that are counted. The oldest ones are forgotten.
const MOST_RUNS: usize = 4_096;

/// The number of violations of each role and run.
#[derive(Debug, Default)]
pub(crate) struct Violations(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    numbers: BTreeMap<Run, u64>,
    /// The runs in the order of their first violation.
    order: VecDeque<Run>,
}

/// A run of a role. Calls outside of a run belong to their view.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Run {
    Named(Role, String),
    View(Role, u64),
}

impl Violations {
    /// Counts a violation. Returns the number of violations of the run.
    pub(crate) fn count(&self, scope: &Scope) -> u64 {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let run = Run::new(scope);
        if !counts.numbers.contains_key(&run) {
            counts.order.push_back(run.clone());
            if counts.order.len() > MOST_RUNS
                && let Some(oldest) = counts.order.pop_front()
            {
                counts.numbers.remove(&oldest);
            }
        }
        let number = counts.numbers.entry(run).or_default();
        *number += 1;
        *number
    }

    /// Checks whether the run was halted because of its violations.
    pub(crate) fn is_halted(&self, scope: &Scope, limits: ViolationLimits) -> bool {
        if !limits.halt {
            return false;
        }
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = counts.numbers.get(&Run::new(scope));
        number.is_some_and(|number| *number >= limits.alert_after)
    }
}

impl Run {
    fn new(scope: &Scope) -> Self {
        match &scope.run.run {
            Some(run) => Self::Named(scope.role.clone(), run.clone()),
            None => Self::View(scope.role.clone(), scope.number),
        }
    }
}
