//! Finds the operations without a name of their own.

use std::collections::BTreeMap;

use toolwright_model::ToolName;

use super::{remedy::Unsettled, verb_help};
use crate::{
    document::diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    ir::{Catalog, CuratedOperation, LeftOutBecause, Operation, Service},
    naming::NamingError,
};

/// Takes the operations without a name from a service. A fault in the overlay is an error at its
/// place, whatever the severity.
pub(super) fn take(
    index: usize,
    service: &mut Service<CuratedOperation>,
    severity: Severity,
    diagnostics: &mut Diagnostics,
) -> Vec<Unsettled> {
    let mut taken = Vec::new();
    for operation in std::mem::take(&mut service.operations) {
        let Err(error) = &operation.name else {
            service.operations.push(operation);
            continue;
        };
        let diagnostic = unnameable(&operation, error, severity);
        if let NamingError::UnknownVerb { similar, .. } = error {
            let left_out = operation.operation.leave_out(LeftOutBecause::Unnamed);
            service.left_out.push(left_out);
            diagnostics.report(diagnostic.help(verb_help(*similar)));
        } else {
            taken.push(Unsettled {
                service: index,
                operation,
                diagnostic,
                why: LeftOutBecause::Unnamed,
            });
        }
    }
    taken
}

fn unnameable(operation: &CuratedOperation, error: &NamingError, severity: Severity) -> Diagnostic {
    let curation = &operation.curation;
    let said = match error {
        NamingError::UnknownVerb { .. } => curation.verb.as_ref(),
        _ => curation.noun.as_ref(),
    };
    let (message, place) = (error.to_string(), operation.operation.place);
    match said {
        Some(said) => {
            Diagnostic::error(Code::Unnameable, said.place, message).also(place, "the operation")
        }
        None => Diagnostic {
            severity,
            ..Diagnostic::error(Code::Unnameable, place, message)
        },
    }
}

/// Takes the operations whose name another one has, too, from all services.
pub(super) fn take_colliding(
    catalog: &mut Catalog<CuratedOperation>,
    severity: Severity,
) -> Vec<Unsettled> {
    let mut by_name: BTreeMap<ToolName, Vec<(usize, CuratedOperation)>> = BTreeMap::new();
    let counts = count_names(catalog);
    let is_shared = |name: &ToolName| counts.get(name).is_some_and(|count| *count > 1);
    for (index, service) in catalog.services.iter_mut().enumerate() {
        for operation in std::mem::take(&mut service.operations) {
            match &operation.name {
                Ok(name) if is_shared(name) => {
                    let operations = by_name.entry(name.clone()).or_default();
                    operations.push((index, operation));
                }
                _ => service.operations.push(operation),
            }
        }
    }
    let groups = by_name.into_iter();
    groups
        .flat_map(|(name, operations)| report_shared(&name, operations, severity))
        .collect()
}

fn count_names(catalog: &Catalog<CuratedOperation>) -> BTreeMap<ToolName, usize> {
    let mut counts = BTreeMap::new();
    let operations = catalog.services.iter().flat_map(|one| &one.operations);
    for name in operations.filter_map(|one| one.name.as_ref().ok()) {
        *counts.entry(name.clone()).or_default() += 1;
    }
    counts
}

fn report_shared(
    name: &ToolName,
    operations: Vec<(usize, CuratedOperation)>,
    severity: Severity,
) -> Vec<Unsettled> {
    let all: Vec<&Operation> = operations.iter().map(|(_, one)| &one.operation).collect();
    let diagnostics: Vec<Diagnostic> = operations
        .iter()
        .map(|(_, one)| collision(name, one, &all, severity))
        .collect();
    let unsettled = operations.into_iter().zip(diagnostics);
    unsettled
        .map(|((service, operation), diagnostic)| Unsettled {
            service,
            operation,
            diagnostic,
            why: LeftOutBecause::Unnamed,
        })
        .collect()
}

fn collision(
    name: &ToolName,
    curated: &CuratedOperation,
    all: &[&Operation],
    severity: Severity,
) -> Diagnostic {
    let operation = &curated.operation;
    let diagnostic = Diagnostic {
        severity,
        ..Diagnostic::error(
            Code::NameCollision,
            operation.place,
            format!("{} operations map to the tool name `{name}`", all.len()),
        )
    };
    let curation = &curated.curation;
    let whole = curation.name.as_ref().map(|name| name.place);
    let said = whole.or_else(|| curation.noun.as_ref().map(|noun| noun.place));
    let diagnostic = match said {
        Some(place) => diagnostic.also(place, "the overlay sets it"),
        None => diagnostic,
    };
    let others = all
        .iter()
        .filter(|other| other.place != operation.place)
        .take(3);
    others.fold(diagnostic, |diagnostic, other| {
        let text = format!("{} {}", other.method, other.path);
        diagnostic.also(other.place, format!("`{text}` maps to it too"))
    })
}
