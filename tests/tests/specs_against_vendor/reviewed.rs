//! The deliberate differences of `reviewed.toml`, each with its reason.

use std::{collections::BTreeSet, sync::LazyLock};

use serde::Deserialize;
use toolwright_model::matches_glob;

/// Differences of one kind with one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reviewed {
    pub(crate) service: String,
    /// The beginnings of the differences, which may contain `*`.
    places: Vec<String>,
    /// The rest of each difference, which may contain `*`.
    what: String,
    pub(crate) reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    difference: Vec<Reviewed>,
}

pub(crate) static REVIEWED: LazyLock<Vec<Reviewed>> =
    LazyLock::new(|| read(include_str!("reviewed.toml")));

/// Reads a table of reviewed differences.
pub(crate) fn read(text: &str) -> Vec<Reviewed> {
    toml::from_str::<Table>(text).unwrap().difference
}

impl Reviewed {
    /// Returns the patterns without such a difference.
    pub(crate) fn unused(&self, found: &BTreeSet<String>) -> Vec<String> {
        let is_used = |pattern: &String| found.iter().any(|one| matches_glob(pattern, one));
        self.patterns().filter(|one| !is_used(one)).collect()
    }

    fn patterns(&self) -> impl Iterator<Item = String> {
        let places = self.places.iter();
        places.map(|place| format!("{place}{}", self.what))
    }
}

/// Returns the unreviewed differences of a service.
pub(crate) fn unreviewed<'f>(
    reviewed: &[Reviewed],
    service: &str,
    found: &'f BTreeSet<String>,
) -> Vec<&'f String> {
    let entries = reviewed.iter().filter(|entry| entry.service == service);
    let patterns: Vec<_> = entries.flat_map(Reviewed::patterns).collect();
    let is_known = |one: &str| patterns.iter().any(|pattern| matches_glob(pattern, one));
    found.iter().filter(|one| !is_known(one)).collect()
}
