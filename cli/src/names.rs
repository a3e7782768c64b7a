//! The names that depend on the whole document, and the names that no lock pins.

use std::io;

use serde::{Deserialize, Serialize};
use toolwright_generator::{check::CheckedService, generate::Outcome, internals::Operation};

use crate::output::{Output, Table, plural, printable};

/// So many names are listed in a message.
const FEW: usize = 5;

/// A name that the document decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DecidedName {
    /// The name of the tool.
    pub(crate) name: String,
    /// The operation: `GET /items`.
    pub(crate) operation: String,
    /// The steps that led to the name.
    pub(crate) derivation: Vec<String>,
}

/// Returns the names of a service that the document decided and no lock pins.
pub(crate) fn decided(service: &CheckedService) -> Vec<DecidedName> {
    let tools = service.decided_by_document().into_iter();
    tools
        .map(|(name, operation)| DecidedName {
            name: name.to_string(),
            operation: endpoint(operation),
            derivation: operation.name_derivation.clone(),
        })
        .collect()
}

fn endpoint(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

/// Writes the names as a table.
pub(crate) fn write(names: &[DecidedName], output: &mut Output) -> io::Result<()> {
    let mut table = Table::new(["NAME THAT THE DOCUMENT DECIDED", "OPERATION"]);
    for name in names {
        table.row([name.name.as_str().into(), name.operation.as_str().into()]);
    }
    output.table(&table)?;
    output.line("")
}

/// Returns the notice about names that may change with the document, or `None` if there are none.
pub(crate) fn notice(outcome: &Outcome) -> Option<String> {
    let services = outcome.catalog.as_ref()?.services();
    let names: Vec<_> = services.iter().flat_map(decided).collect();
    if names.is_empty() {
        return None;
    }
    let count = plural(names.len(), "name");
    Some(format!(
        "{count} depend on the whole document and are not pinned: {}; \
         `toolwright generate` pins names in a lock",
        listed(names.iter().map(|name| name.name.as_str()))
    ))
}

/// Returns the line about the names that no lock pins, or `None` if there are none.
pub(crate) fn unpinned(service: &CheckedService) -> Option<String> {
    let all: Vec<_> = service.tools().collect();
    let mut unpinned: Vec<&str> = all
        .iter()
        .filter(|(name, operation)| !operation.is_pinned(name))
        .map(|(name, _)| name.as_str())
        .collect();
    unpinned.sort_unstable();
    let (count, total) = (unpinned.len(), all.len());
    match count {
        0 => None,
        _ if count == total => Some(
            "No name is pinned: `toolwright generate` writes names to a lock, where they stay."
                .to_owned(),
        ),
        _ => Some(format!(
            "{count} of {total} names are not pinned: {}",
            listed(unpinned.into_iter())
        )),
    }
}

/// Lists the first of some names, and counts the others.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(FEW);
    let first: Vec<_> = names
        .take(FEW)
        .map(|name| printable(name).to_string())
        .collect();
    let first = first.join(", ");
    if more == 0 {
        first
    } else {
        format!("{first} and {more} more")
    }
}
