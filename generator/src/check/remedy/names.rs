//! The names that no suggestion may have.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::ToolName;

use super::Unsettled;
use crate::{
    ir::{Catalog, CuratedOperation},
    naming::{NameHints, document::key, name_of},
};

/// The names of a run, by the string by which names are compared.
pub(super) struct Names {
    /// The names of tools, those in locks, and the suggested ones.
    taken: BTreeSet<String>,
    /// The number of operations that have a name by the rules, as long as no other one has it. An
    /// operation may return to that name when its neighbour has another.
    bases: BTreeMap<String, usize>,
    /// The last number at the end of each noun.
    numbers: BTreeMap<String, usize>,
}

impl Names {
    pub(super) fn new(catalog: &Catalog<CuratedOperation>, unsettled: &[Unsettled]) -> Self {
        let mut names = Self {
            taken: BTreeSet::new(),
            bases: BTreeMap::new(),
            numbers: BTreeMap::new(),
        };
        for (index, service) in catalog.services.iter().enumerate() {
            for name in service.lock.entries.keys() {
                names.take(name);
            }
            let own = || unsettled.iter().filter(|one| one.service == index);
            if own().next().is_none() {
                continue;
            }
            let own = own().map(|one| &one.operation);
            for operation in service.operations.iter().chain(own) {
                let verb = operation.curation.verb.as_ref();
                let hints = NameHints {
                    verb: verb.map(|verb| verb.value.as_str()),
                    noun: None,
                };
                let naming = name_of(&service.name, &operation.facts, hints);
                if let Ok(name) = naming.name {
                    *names.bases.entry(key(name.as_str())).or_default() += 1;
                }
            }
        }
        let settled = catalog.services.iter().flat_map(|one| &one.operations);
        for name in settled.filter_map(|operation| operation.name.as_ref().ok()) {
            names.take(name);
        }
        names
    }

    pub(super) fn take(&mut self, name: &ToolName) {
        self.taken.insert(key(name.as_str()));
    }

    /// Returns the next number for a noun, from 2.
    pub(super) fn next_number(&mut self, noun: &str) -> usize {
        let number = self.numbers.entry(noun.to_owned()).or_insert(1);
        *number += 1;
        *number
    }

    /// Checks whether an operation with this base name may have a name.
    pub(super) fn is_free(&self, name: &ToolName, base: Option<&ToolName>) -> bool {
        let own = usize::from(base == Some(name));
        let name = key(name.as_str());
        let wanted = self.bases.get(&name).copied().unwrap_or_default();
        wanted <= own && !self.taken.contains(&name)
    }
}
