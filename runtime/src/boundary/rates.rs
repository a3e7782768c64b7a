//! The rates of calls, counted in the memory of the process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use ratelimit::{Builder, Clock as LimiterClock, Ratelimiter};
use toolwright_policy::Rate;

use crate::system::Clock;

/// The rates that have been used, by their keys.
#[derive(Default)]
pub(crate) struct Rates(Mutex<BTreeMap<String, Counted>>);

/// A rate with the calls that were counted.
struct Counted {
    rate: Rate,
    /// None if the rate is invalid, which allows no call.
    limiter: Option<Ratelimiter<CallClock>>,
}

/// The time since the first call that was counted.
struct CallClock {
    clock: Arc<dyn Clock>,
    begin: Timestamp,
}

impl Rates {
    /// Counts a call for each of the rates. Returns the key of the first one that has no call left.
    pub(crate) fn count(&self, rates: &[(String, Rate)], clock: &Arc<dyn Clock>) -> Option<String> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, rate) in rates {
            let entry = counted
                .entry(key.clone())
                .or_insert_with(|| Counted::new(*rate, clock));
            if entry.rate != *rate {
                *entry = Counted::new(*rate, clock);
            }
            let limiter = entry.limiter.as_ref();
            if limiter.is_none_or(|limiter| limiter.try_wait().is_err()) {
                return Some(key.clone());
            }
        }
        None
    }
}

impl Counted {
    fn new(rate: Rate, clock: &Arc<dyn Clock>) -> Self {
        let calls = u64::from(rate.calls.get());
        let clock = CallClock {
            clock: Arc::clone(clock),
            begin: clock.now(),
        };
        let limiter = Builder::with_clock(calls, clock)
            .period(rate.per)
            .initial_available(calls)
            .build();
        Self {
            rate,
            limiter: limiter.ok(),
        }
    }
}

impl LimiterClock for CallClock {
    fn elapsed(&self) -> Duration {
        let elapsed = self.clock.now().duration_since(self.begin);
        Duration::try_from(elapsed).unwrap_or_default()
    }
}
