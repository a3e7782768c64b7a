//! The redactors of the latest calls.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::Redactor;
use crate::secret::Secret;

/// The most redactors that are kept.
const MOST: usize = 64;

/// Keeps the redactors of the latest sets of secrets: to build their matchers takes longer than the rest of a
/// call. The secrets of a service that is not called any more leave the memory when as many others were
/// used.
#[derive(Clone, Default)]
pub(crate) struct RecentRedactors(Arc<Mutex<VecDeque<Redactor>>>);

impl RecentRedactors {
    /// Returns the redactor of these secrets.
    pub(crate) fn of<'a>(&self, secrets: impl IntoIterator<Item = &'a Secret>) -> Redactor {
        let redactor = Redactor::new(secrets);
        if redactor.0.secrets.is_empty() {
            return redactor;
        }
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = recent
            .iter()
            .position(|kept| kept.0.secrets == redactor.0.secrets);
        let kept = place.and_then(|place| recent.remove(place));
        let redactor = kept.unwrap_or(redactor);
        recent.push_front(redactor.clone());
        recent.truncate(MOST);
        redactor
    }
}

impl fmt::Debug for RecentRedactors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RecentRedactors")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text.to_owned())
    }

    #[test]
    fn one_set_of_secrets_has_one_redactor() {
        let recent = RecentRedactors::default();
        let (one, other) = (secret("a-first-secret"), secret("a-second-secret"));
        let first = recent.of([&one, &other]);
        assert!(Arc::ptr_eq(&first.0, &recent.of([&other, &one, &one]).0));
        assert!(!Arc::ptr_eq(&first.0, &recent.of([&one]).0));
        assert_eq!(
            recent.of([&one]).text("a-first-secret".to_owned()),
            "[redacted]"
        );
    }

    #[test]
    fn the_secrets_that_were_used_longest_ago_are_forgotten() {
        let recent = RecentRedactors::default();
        let first = recent.of([&secret("the-first-secret")]);
        for number in 0..MOST {
            recent.of([&secret(&format!("secret-number-{number}"))]);
        }
        assert_eq!(recent.0.lock().unwrap().len(), MOST);
        assert_eq!(Arc::strong_count(&first.0), 1);
    }

    #[test]
    fn no_secrets_are_not_kept() {
        let recent = RecentRedactors::default();
        recent.of([&secret("")]);
        assert!(recent.0.lock().unwrap().is_empty());
    }
}
