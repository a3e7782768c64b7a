//! The rates of calls, counted in the memory of the process.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use governor::{
    Quota, RateLimiter, clock,
    middleware::NoOpMiddleware,
    nanos::Nanos,
    state::{InMemoryState, NotKeyed},
};
use jiff::Timestamp;
use toolwright_policy::Rate;

use crate::system::Clock;

/// The rates that have been used, by their keys.
#[derive(Default)]
pub(crate) struct Rates(Mutex<BTreeMap<String, Counted>>);

/// A rate with the calls that were counted.
struct Counted {
    rate: Rate,
    limiter: RateLimiter<NotKeyed, InMemoryState, CallClock, NoOpMiddleware<Nanos>>,
}

/// The clock of the calls.
#[derive(Clone)]
struct CallClock(Arc<dyn Clock>);

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
            if entry.limiter.check().is_err() {
                return Some(key.clone());
            }
        }
        None
    }
}

impl Counted {
    fn new(rate: Rate, clock: &Arc<dyn Clock>) -> Self {
        let interval = rate.per / rate.calls.get();
        let quota = Quota::with_period(interval.max(Duration::from_nanos(1)));
        // The interval is not zero, so there is a quota.
        let quota = quota.unwrap_or_else(|| Quota::per_second(rate.calls));
        Self {
            rate,
            limiter: RateLimiter::direct_with_clock(
                quota.allow_burst(rate.calls),
                CallClock(Arc::clone(clock)),
            ),
        }
    }
}

impl clock::Clock for CallClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        let now = self.0.now().duration_since(Timestamp::UNIX_EPOCH);
        u64::try_from(now.as_nanos()).unwrap_or_default().into()
    }
}
