//! The selectors that the check suggests for an operation.

use crate::{
    ir::{LeftOut, LeftOutBecause, Operation},
    parse::{openapi::OperationKey, overlay::Selector},
};

/// The operations of a service, those that are left out too.
pub(super) struct Selectors {
    keys: Vec<OperationKey>,
}

impl Selectors {
    pub(super) fn of<'a>(
        operations: impl Iterator<Item = &'a Operation>,
        left_out: &[LeftOut],
    ) -> Self {
        let operations = operations.map(|one| one.leave_out(LeftOutBecause::Unnamed));
        let operations = operations.map(|one| key_of(&one));
        Self {
            keys: operations.chain(left_out.iter().map(key_of)).collect(),
        }
    }

    /// Returns the selector of an operation alone: its id, or else its method and path. Returns
    /// `None` if neither can be written as one.
    pub(super) fn select(&self, operation: &LeftOut) -> Option<String> {
        let key = key_of(operation);
        let endpoint = format!("{} {}", key.method, key.path);
        let mut texts = key.operation_id.clone().into_iter().chain([endpoint]);
        texts.find(|text| self.is_alone(text, &key))
    }

    /// Checks whether a selector is for an operation alone.
    pub(super) fn is_for(&self, text: &str, operation: &LeftOut) -> bool {
        self.is_alone(text, &key_of(operation))
    }

    fn is_alone(&self, text: &str, key: &OperationKey) -> bool {
        let Ok(selector) = text.parse::<Selector>() else {
            return false;
        };
        let others = self.keys.iter().filter(|other| other.place != key.place);
        let mut others = others.filter(|other| selector.matches(other));
        !selector.is_pattern() && selector.matches(key) && others.next().is_none()
    }
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
