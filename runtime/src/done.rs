//! What is certain about the effect of a call after it ended.

use std::sync::{Mutex, PoisonError};

use toolwright_model::{Method, words};

words! {
    /// What is certain about the effect of a call that changes something.
    Done {
        /// The service reported success, so it carried the call out.
        Yes = "yes",
        /// The service received no request, or refused it. Nothing was changed.
        No = "no",
        /// The request was sent, and no answer tells whether the service carried it out.
        Unknown = "unknown",
    }
}

/// The attempts to carry out one call, and what is certain about their effect.
///
/// An attempt that may have had an effect is never forgotten: if the first one was lost and the
/// second one was refused, the effect is unknown.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<AttemptState>);

#[derive(Clone, Copy, Debug)]
struct AttemptState {
    count: u32,
    /// Set if a service may have received one of the attempts.
    sent: bool,
    /// The effect of the attempts before this one.
    before: Done,
    sent_before: bool,
    done: Done,
}

impl Done {
    /// Returns the effect that an answer of this status reports.
    ///
    /// A proxy may repeat a request whose method HTTP defines as idempotent. The service then
    /// refuses the repetition because of the effect of the first delivery, so such a refusal
    /// proves nothing.
    pub(crate) const fn from_status(method: Method, status: u16) -> Self {
        let may_be_refused_repetition = match method {
            Method::Delete => matches!(status, 404 | 409 | 410 | 412),
            Method::Put => matches!(status, 409 | 412),
            _ => false,
        };
        match status {
            200..300 => Self::Yes,
            400..500 if !may_be_refused_repetition => Self::No,
            _ => Self::Unknown,
        }
    }

    const fn and(self, next: Self) -> Self {
        match (self, next) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
        }
    }
}

impl Attempts {
    /// Begins an attempt. Its effect is unknown until it ends.
    pub(crate) fn begin(&self) {
        self.change(|state| AttemptState {
            count: state.count.saturating_add(1),
            sent: true,
            before: state.done,
            sent_before: state.sent,
            done: state.done.and(Done::Unknown),
        });
    }

    /// Records that no service received the attempt.
    pub(crate) fn set_unsent(&self) {
        self.change(|state| AttemptState {
            sent: state.sent_before,
            done: state.before,
            ..state
        });
    }

    /// Records the effect of the attempt.
    pub(crate) fn set_done(&self, done: Done) {
        self.change(|state| AttemptState {
            done: state.before.and(done),
            ..state
        });
    }

    /// Returns the number of attempts.
    pub(crate) fn count(&self) -> u32 {
        self.state().count
    }

    /// Returns whether a service may have received one of the attempts.
    pub(crate) fn may_be_sent(&self) -> bool {
        self.state().sent
    }

    /// Returns what is certain about the effect of all attempts.
    pub(crate) fn done(&self) -> Done {
        self.state().done
    }

    fn state(&self) -> AttemptState {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(AttemptState) -> AttemptState) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = change(*state);
    }
}

impl Default for AttemptState {
    fn default() -> Self {
        Self {
            count: 0,
            sent: false,
            before: Done::No,
            sent_before: false,
            done: Done::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_that_may_have_had_an_effect_is_not_forgotten() {
        use Done::{No, Unknown, Yes};
        // The ends of the attempts: none is one that was not sent.
        for (ends, done, sent) in [
            (&[][..], No, false),
            (&[None], No, false),
            (&[Some(No)], No, true),
            (&[Some(No), Some(Yes)], Yes, true),
            (&[Some(Unknown), Some(No)], Unknown, true),
            (&[Some(Unknown), None], Unknown, true),
            (&[None, Some(No)], No, true),
            (&[Some(Unknown), Some(Yes)], Yes, true),
            (&[Some(Yes), Some(No)], Yes, true),
        ] {
            let attempts = Attempts::default();
            for end in ends {
                attempts.begin();
                assert_ne!(attempts.done(), No, "{ends:?}: an attempt without an end");
                match end {
                    Some(done) => attempts.set_done(*done),
                    None => attempts.set_unsent(),
                }
            }
            assert_eq!(attempts.done(), done, "{ends:?}");
            assert_eq!(attempts.may_be_sent(), sent, "{ends:?}");
            assert_eq!(attempts.count() as usize, ends.len());
        }
    }

    #[test]
    fn a_refusal_proves_nothing_if_a_proxy_may_have_repeated_the_request() {
        use Done::{No, Unknown, Yes};
        for (method, status, done) in [
            (Method::Post, 201, Yes),
            (Method::Post, 202, Yes),
            (Method::Post, 303, Unknown),
            (Method::Post, 404, No),
            (Method::Post, 409, No),
            (Method::Post, 429, No),
            (Method::Patch, 412, No),
            (Method::Delete, 403, No),
            (Method::Delete, 404, Unknown),
            (Method::Put, 404, No),
            (Method::Put, 412, Unknown),
            (Method::Post, 500, Unknown),
            (Method::Post, 503, Unknown),
        ] {
            assert_eq!(Done::from_status(method, status), done, "{method} {status}");
        }
    }
}
