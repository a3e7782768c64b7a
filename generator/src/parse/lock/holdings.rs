//! Assigns the lines of a lock to the operations of a document.

use std::collections::BTreeMap;

use toolwright_model::{Method, ToolName};

use super::{Entry, Held, HeldName, Lock};
use crate::{document::source::Placed, language::facts::nameless, parse::openapi::OperationKey};

/// The lock entries of each operation of a document.
pub(crate) struct Holdings {
    by_operation: BTreeMap<(Method, String), Held>,
}

/// The properties that identify an operation, in a document and in a lock.
#[derive(Clone, Copy)]
struct Identity<'a> {
    method: Method,
    path: &'a str,
    operation_id: Option<&'a str>,
}

type RecognisedBy = fn(Identity<'_>) -> Option<String>;

/// The ways to identify an operation, the most reliable first: method and path; method and path
/// without parameter names; operation id, which finds an operation that moved.
const RECOGNISED_BY: [RecognisedBy; 3] = [
    |identity| Some(format!("{} {}", identity.method, identity.path)),
    |identity| Some(format!("{} {}", identity.method, nameless(identity.path))),
    |identity| identity.operation_id.map(ToOwned::to_owned),
];

impl Holdings {
    /// Finds the operation of each line, including operations with errors.
    ///
    /// A key matches only if it is unique among the operations and among the lines. A less reliable
    /// match never replaces a more reliable one.
    pub(crate) fn new<'a>(lock: &'a Lock, keys: impl Iterator<Item = &'a OperationKey>) -> Self {
        let operations: Vec<Identity<'_>> = keys.map(Identity::of_operation).collect();
        let mut lines: Vec<(&ToolName, &Placed<Entry>)> = lock.entries.iter().collect();
        let mut by_operation: BTreeMap<(Method, String), Held> = BTreeMap::new();
        for recognised_by in RECOGNISED_BY {
            if lines.is_empty() {
                break;
            }
            let current = lines.iter().filter(|(_, entry)| !entry.value.former);
            let current = current.map(|(_, entry)| Identity::of_line(&entry.value));
            let by_line = by(recognised_by, current);
            let by_document = by(recognised_by, operations.iter().copied());
            let mut found = Vec::new();
            lines.retain(|(name, entry)| {
                let operation = recognised_by(Identity::of_line(&entry.value))
                    .filter(|word| by_line.get(word).is_none_or(Option::is_some))
                    .and_then(|word| by_document.get(&word).copied().flatten())
                    .map(|operation| (operation.method, operation.path.to_owned()))
                    .filter(|operation| !by_operation.contains_key(operation));
                let is_found = operation.is_some();
                found.extend(operation.map(|operation| (operation, *name, *entry)));
                !is_found
            });
            for (operation, name, entry) in found {
                by_operation.entry(operation).or_default().add(name, entry);
            }
        }
        Self { by_operation }
    }

    /// Returns the lock entries of an operation.
    pub(crate) fn held(&self, key: &OperationKey) -> Held {
        let held = self.by_operation.get(&(key.method, key.path.clone()));
        held.cloned().unwrap_or_default()
    }
}

impl Held {
    fn add(&mut self, name: &ToolName, entry: &Placed<Entry>) {
        if entry.value.former {
            self.former.push(name.clone());
        } else {
            self.current = Some(HeldName {
                name: name.clone(),
                entry: entry.clone(),
            });
        }
    }
}

impl<'a> Identity<'a> {
    fn of_operation(key: &'a OperationKey) -> Self {
        Self {
            method: key.method,
            path: &key.path,
            operation_id: key.operation_id.as_deref(),
        }
    }

    fn of_line(entry: &'a Entry) -> Self {
        Self {
            method: entry.method,
            path: &entry.path,
            operation_id: entry.operation_id.as_deref(),
        }
    }
}

/// Indexes the operations by a key. A key that several operations share maps to `None`.
fn by<'a>(
    recognised_by: RecognisedBy,
    operations: impl Iterator<Item = Identity<'a>>,
) -> BTreeMap<String, Option<Identity<'a>>> {
    let mut known: BTreeMap<String, Option<Identity<'a>>> = BTreeMap::new();
    for operation in operations {
        if let Some(word) = recognised_by(operation) {
            known
                .entry(word)
                .and_modify(|others| *others = None)
                .or_insert(Some(operation));
        }
    }
    known
}
