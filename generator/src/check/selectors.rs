//! The selectors that the check suggests for an operation.

use std::collections::BTreeMap;

use crate::{
    ir::{LeftOut, LeftOutBecause, Operation},
    parse::{openapi::OperationKey, overlay::Selector},
};

/// The selectors of a service's operations, those that are left out too.
pub(super) struct Selectors {
    /// The number of operations that each matches.
    counts: BTreeMap<String, usize>,
}

impl Selectors {
    pub(super) fn new<'a>(
        operations: impl Iterator<Item = &'a Operation>,
        left_out: &[LeftOut],
    ) -> Self {
        let mut counts = BTreeMap::new();
        let operations = operations.map(|one| one.leave_out(LeftOutBecause::Unnamed));
        for operation in operations.chain(left_out.iter().cloned()) {
            for text in texts(&operation) {
                *counts.entry(text).or_default() += 1;
            }
        }
        Self { counts }
    }

    /// Returns the selector of an operation alone: its id, or else its method and path. Returns
    /// `None` if neither can be written as one.
    pub(super) fn select(&self, operation: &LeftOut) -> Option<String> {
        texts(operation).find(|text| self.is_for(text, operation))
    }

    /// Checks whether a selector is for an operation alone.
    pub(super) fn is_for(&self, text: &str, operation: &LeftOut) -> bool {
        let Ok(selector) = text.parse::<Selector>() else {
            return false;
        };
        !selector.is_pattern()
            && selector.matches(&key_of(operation))
            && self.counts.get(&selector.to_string()) == Some(&1)
    }
}

fn texts(operation: &LeftOut) -> impl Iterator<Item = String> + use<> {
    let endpoint = format!("{} {}", operation.method, operation.path);
    let id = operation.operation_id.clone();
    id.into_iter().chain([endpoint])
}

fn key_of(operation: &LeftOut) -> OperationKey {
    OperationKey {
        method: operation.method,
        path: operation.path.clone(),
        operation_id: operation.operation_id.clone(),
        place: operation.place,
        pointer: String::new(),
        tags: Vec::new(),
    }
}
