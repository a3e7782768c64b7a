//! Repetitions of requests: which ones are made, and after which delay.
//!
//! A request is repeated if nothing was sent, or if the service is busy or the answer was lost and a
//! repetition has no further effect. The delays grow, and each is a random part of its limit, so that
//! callers that failed together do not return together.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::{Timestamp, fmt::rfc2822};
use reqwest::{
    Response,
    header::{DATE, HeaderName, RETRY_AFTER},
};
use tokio::time::Instant;
use toolwright_model::Method;
use uuid::Uuid;

use super::{Sending, receive::RawAnswer};
use crate::{
    done::Done,
    error::{ToolError, TransportFault},
    workspace::ServiceWorkspace,
};

/// The limit of the first delay. It doubles with each repetition.
const FIRST_DELAY: Duration = Duration::from_millis(200);

/// The greatest limit of a delay.
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// The longest time that a service may ask to wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The cost of a repetition, in calls.
const COST: u32 = 10;

/// The most calls that are saved up.
const MOST_SAVED: u32 = 100;

/// The repetitions that one call may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retries<'a> {
    pub(crate) service: &'a ServiceWorkspace,
    /// The most repetitions.
    pub(crate) most: u32,
    /// True if a repetition has no further effect.
    pub(crate) repeatable: bool,
}

/// The budgets of the services and their workspaces: ten calls pay for one repetition, so that a service that fails is not
/// asked twice as often. A hundred calls are saved up at the start.
#[derive(Debug, Default)]
pub(super) struct Budgets(Mutex<BTreeMap<ServiceWorkspace, u32>>);

impl Budgets {
    /// Counts a call.
    pub(super) fn add_call(&self, service: &ServiceWorkspace) {
        self.change(service, |saved| {
            Some(saved.saturating_add(1).min(MOST_SAVED))
        });
    }

    /// Pays for a repetition, and returns whether the budget suffices.
    fn pay(&self, service: &ServiceWorkspace) -> bool {
        self.change(service, |saved| saved.checked_sub(COST))
    }

    fn change(&self, service: &ServiceWorkspace, change: impl FnOnce(u32) -> Option<u32>) -> bool {
        let mut budgets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let saved = budgets.entry(service.clone()).or_insert(MOST_SAVED);
        let changed = change(*saved);
        *saved = changed.unwrap_or(*saved);
        changed.is_some()
    }

    /// Returns the delay before the request is sent again; none if it is not.
    pub(super) fn delay(
        &self,
        sending: &Sending<'_>,
        result: &Result<RawAnswer, ToolError>,
        deadline: Instant,
    ) -> Option<Duration> {
        let retries = sending.retries?;
        let repetition = sending.attempts.count();
        if repetition > retries.most || !may_repeat(retries, sending, result) {
            return None;
        }
        let asked = result.as_ref().ok().and_then(|answer| answer.retry_after);
        let delay = match asked {
            Some(asked) if asked > LONGEST_WAIT => return None,
            Some(asked) => asked + part_of(FIRST_DELAY),
            None => part_of(limit_of(repetition)),
        };
        let is_in_time = Instant::now() + delay < deadline;
        (is_in_time && self.pay(retries.service)).then_some(delay)
    }
}

fn may_repeat(
    retries: Retries<'_>,
    sending: &Sending<'_>,
    result: &Result<RawAnswer, ToolError>,
) -> bool {
    let reads = matches!(sending.request.method, Method::Get | Method::Head);
    match result {
        Ok(answer) => retries.repeatable && matches!(answer.status, 429 | 502 | 503 | 504),
        Err(ToolError::Transport { fault, .. }) => match fault {
            TransportFault::Connect => true,
            // A part of the answer may have been written to the program's writer. After a success,
            // a repetition could turn it into an error.
            TransportFault::Broken => {
                let is_open = reads || sending.attempts.done() != Done::Yes;
                retries.repeatable && is_open && sending.saving.is_none()
            }
            _ => false,
        },
        Err(_) => false,
    }
}

/// Returns the limit of the delay before a repetition, which are counted from one.
fn limit_of(repetition: u32) -> Duration {
    let factor = 1 << repetition.saturating_sub(1).min(16);
    FIRST_DELAY.saturating_mul(factor).min(LONGEST_DELAY)
}

/// Returns a random part of a duration.
fn part_of(duration: Duration) -> Duration {
    let (random, ..) = Uuid::new_v4().as_fields();
    duration.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

/// Returns the time that the service asks to wait, in seconds or until a date. The date is compared
/// with the one of the answer, so a difference between the clocks does not count.
pub(super) fn retry_after(response: &Response) -> Option<Duration> {
    let header = |name: HeaderName| response.headers().get(name)?.to_str().ok();
    let now = header(DATE).and_then(parse_date);
    read_retry_after(header(RETRY_AFTER)?, now.unwrap_or_else(Timestamp::now))
}

fn read_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let wait = parse_date(text)?.duration_since(now);
    Some(Duration::try_from(wait).unwrap_or(Duration::ZERO))
}

fn parse_date(text: &str) -> Option<Timestamp> {
    let date = rfc2822::parse(text.trim()).ok()?;
    Some(date.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_asks_to_wait_in_seconds_or_until_a_date() {
        let now = parse_date("Wed, 21 Oct 2026 07:28:00 GMT").unwrap();
        for (text, seconds) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("Wed, 21 Oct 2026 07:28:07 GMT", Some(7)),
            ("Wed, 21 Oct 2026 07:27:00 GMT", Some(0)),
            ("99999999999", Some(99_999_999_999)),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            let wait = read_retry_after(text, now);
            assert_eq!(wait, seconds.map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn delays_grow_up_to_a_limit_and_are_random() {
        let limits = [1, 2, 3, 6, 60].map(limit_of);
        assert_eq!(
            limits.map(|limit| limit.as_millis()),
            [200, 400, 800, 5000, 5000]
        );
        let parts: Vec<_> = (0..100).map(|_| part_of(LONGEST_DELAY)).collect();
        assert!(parts.iter().all(|part| *part <= LONGEST_DELAY));
        assert!(parts.iter().any(|part| *part < LONGEST_DELAY / 2));
        assert!(parts.iter().any(|part| *part > LONGEST_DELAY / 2));
    }

    #[test]
    fn ten_calls_pay_for_one_repetition() {
        let workspace = |service: &str| ServiceWorkspace::unnamed(service.parse().unwrap());
        let (budgets, service) = (Budgets::default(), workspace("depot"));
        let mut paid = (0..50).filter(|_| budgets.pay(&service)).count();
        assert_eq!(paid, 10, "what is saved up at the start");
        for _ in 0..95 {
            budgets.add_call(&service);
            paid += usize::from(budgets.pay(&service));
        }
        assert_eq!(paid, 19);
        assert!(budgets.pay(&workspace("other")), "each service has its own");
    }
}
