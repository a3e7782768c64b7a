//! Names the tool of an operation: by the overlay, by the lock, or by the rules.

use toolwright_model::{Kind, ServiceName, ToolName};

use crate::{
    language::facts::OperationFacts,
    naming::{NameHints, NamingError, name_as},
    parse::{lock::Held, overlay::Curation},
};

/// The name, or why there is none; and how it came about.
pub(super) fn name(
    service: &ServiceName,
    kind: Kind,
    facts: &OperationFacts,
    curation: &Curation,
    held: &Held,
) -> (Result<ToolName, NamingError>, Vec<String>) {
    if let Some(name) = &curation.name {
        let line = format!("the overlay names it `{}`", name.value);
        return (Ok(name.value.clone()), vec![line]);
    }
    let naming = name_as(kind, service, facts, hints(curation));
    let mut derivation = naming.derivation;
    let kept = held.kept(service, curation);
    if let Some(name) = kept.filter(|name| naming.name.as_ref() != Ok(*name)) {
        derivation.push(format!("the lock holds the name `{name}`"));
    }
    (kept.cloned().map_or(naming.name, Ok), derivation)
}

/// Returns the parts of a name that the overlay sets.
fn hints(curation: &Curation) -> NameHints<'_> {
    NameHints {
        verb: curation.verb.as_ref().map(|verb| verb.value.as_str()),
        noun: curation.noun.as_ref().map(|noun| noun.value.as_str()),
    }
}
