//! Slows down the guessing of tokens.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// The interval between the responses to refused requests.
const INTERVAL: Duration = Duration::from_millis(200);

/// The refusals that are answered at once after a time without any.
const BURST: u32 = 5;

/// The longest that a refusal waits.
const LONGEST: Duration = Duration::from_secs(5);

/// Spaces out the responses to refused requests. Requests with the right token never wait.
///
/// All clients share one throttle, since they share the loopback interface, where a client can
/// choose its address.
#[derive(Debug)]
pub(super) struct Throttle(Mutex<Option<Instant>>);

impl Throttle {
    /// Begins without refusals.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns how long the answer to a request that is refused now must wait.
    pub(super) fn delay(&self, now: Instant) -> Duration {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let free = next.unwrap_or(now).max(now);
        *next = Some(free.min(now + LONGEST) + INTERVAL);
        let waits = free.saturating_duration_since(now);
        waits.saturating_sub(INTERVAL * BURST).min(LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_wait_longer_and_longer_until_they_stop() {
        let (throttle, start) = (Throttle::new(), Instant::now());
        let delays: Vec<_> = (0..8).map(|_| throttle.delay(start)).collect();
        assert!(delays[..6].iter().all(Duration::is_zero), "{delays:?}");
        assert_eq!(delays[6..], [INTERVAL, INTERVAL * 2]);
        let last = (0..1000).map(|_| throttle.delay(start)).last().unwrap();
        assert!(last <= LONGEST && last > LONGEST / 2, "{last:?}");
        let later = start + LONGEST * 2;
        assert_eq!(throttle.delay(later), Duration::ZERO);
    }
}
