//! The entry of the overlay that a line belongs to.

use super::Unsettled;
use crate::{
    check::selectors::Selectors,
    parse::overlay::{Curation, OwnEntry},
};

/// The entry for an operation alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    /// Its selector, or `None` if the overlay can have no such entry.
    pub(super) selector: Option<String>,
    /// The entry, if the overlay has it.
    pub(super) entry: Option<OwnEntry>,
}

impl Target {
    pub(super) fn find(one: &Unsettled, selectors: &Selectors) -> Self {
        let operation = one.left_out();
        let mut entries = one.operation.curation.entries.iter();
        let is_own = |entry: &&OwnEntry| selectors.is_for(&entry.selector, &operation);
        let Some(at) = entries.clone().position(|entry| is_own(&entry)) else {
            return Self {
                selector: selectors.select(&operation),
                entry: None,
            };
        };
        let is_overruled = entries.clone().take(at).any(|entry| entry.sets_name);
        let entry = entries.nth(at).cloned();
        let selector = entry.as_ref().map(|entry| entry.selector.clone());
        Self {
            selector: selector.filter(|_| !is_overruled),
            entry,
        }
    }

    /// Checks whether a person wrote the noun or the name into the entry.
    pub(super) fn has_noun(&self, curation: &Curation) -> bool {
        self.sets_name() && (curation.name.is_some() || curation.noun.is_some())
    }

    /// Returns the keys that give the operation a noun. An entry that sets a part of the name replaces
    /// what others set, so it repeats their verb.
    pub(super) fn keys(&self, curation: &Curation, noun: String) -> Vec<(&'static str, String)> {
        let verb = curation.verb.as_ref().filter(|_| !self.sets_name());
        let verb = verb.map(|verb| ("verb", verb.value.clone()));
        verb.into_iter().chain([("noun", noun)]).collect()
    }

    fn sets_name(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.sets_name)
    }
}
