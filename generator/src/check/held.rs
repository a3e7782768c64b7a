//! Checks that the lock is respected unless a person accepts the difference.

use super::{Accept, remedy::Unsettled};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics, Severity},
        source::Place,
    },
    ir::{CuratedOperation, LeftOutBecause, Service},
};

/// The severities of differences from the lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Severities {
    /// A new operation has a name that the lock holds for another one.
    pub(super) of_new: Severity,
    /// A person or the document changes a tool.
    pub(super) of_lock: Severity,
}

/// Takes the operations that differ from the lock from a service. Those that only lack a name of
/// their own are returned; the others are left out, each with a diagnostic.
pub(super) fn take(
    index: usize,
    service: &mut Service<CuratedOperation>,
    severities: Severities,
    accept: Accept,
    diagnostics: &mut Diagnostics,
) -> Vec<Unsettled> {
    let mut unsettled = Vec::new();
    for operation in std::mem::take(&mut service.operations) {
        let faults = [
            renamed(&operation).filter(|_| !accept.renames),
            lowered(&operation).filter(|_| !accept.lowering),
        ];
        let faults: Vec<Diagnostic> = faults.into_iter().flatten().collect();
        let taken = taken(&operation, service, severities);
        if faults.is_empty() && taken.is_none() {
            service.operations.push(operation);
            continue;
        }
        for fault in faults {
            let severity = severities.of_lock;
            diagnostics.report(Diagnostic { severity, ..fault });
        }
        let why = LeftOutBecause::Locked;
        match taken {
            Some(diagnostic) => unsettled.push(Unsettled {
                service: index,
                operation,
                diagnostic,
                why,
            }),
            None => service.left_out.push(operation.operation.leave_out(why)),
        }
    }
    unsettled
}

/// Reports a tool that the overlay renames.
fn renamed(operation: &CuratedOperation) -> Option<Diagnostic> {
    let name = operation.name.as_ref().ok()?;
    let held = operation.operation.held.current.as_ref()?;
    if held.name == *name {
        return None;
    }
    let message = format!("`{}` would be renamed to `{name}`", held.name);
    Some(
        Diagnostic::error(Code::RenamedTool, said_name(operation), message)
            .also(held.entry.place, "the current name")
            .note("roles, prompts and programs use the current name")
            .help("to rename the tool, run `toolwright generate --accept renames`; otherwise remove the line from the overlay"),
    )
}

/// Reports a name that the lock holds for another operation. It is the fault of a person if the
/// overlay sets the name.
fn taken(
    operation: &CuratedOperation,
    service: &Service<CuratedOperation>,
    severities: Severities,
) -> Option<Diagnostic> {
    let name = operation.name.as_ref().ok()?;
    let held = service.lock.entries.get(name)?;
    let is_its_own = held.value.method == operation.operation.method
        && held.value.path == operation.operation.path;
    if is_its_own || operation.operation.held.knows(name) {
        return None;
    }
    let message = format!("the name `{name}` belongs to another operation");
    let owner = format!(
        "the lock holds it for `{} {}`",
        held.value.method, held.value.path
    );
    let severity = if operation.curation.sets_name() {
        severities.of_lock
    } else {
        severities.of_new
    };
    let diagnostic = Diagnostic {
        severity,
        ..Diagnostic::error(Code::NameCollision, said_name(operation), message)
    };
    let release = "to release the name, remove its line from the lock";
    Some(diagnostic.also(held.place, owner).help(release))
}

/// Reports a tool with a lower category or without a required approval.
fn lowered(operation: &CuratedOperation) -> Option<Diagnostic> {
    let held = &operation.operation.held.current.as_ref()?.entry;
    let name = operation.name.as_ref().ok()?;
    let (was, is) = (&held.value, operation.operation.governance);
    let message = if is.category().is_below(was.category) {
        format!(
            "the category of `{name}` would be lowered from `{}` to `{}`",
            was.category,
            is.category()
        )
    } else if was.approval_required && !is.approval_required {
        format!("`{name}` would no longer require approval")
    } else {
        return None;
    };
    Some(
        Diagnostic::error(Code::LoweredGovernance, said_governance(operation), message)
            .also(held.place, "the governance in the lock")
            .help("to accept it, run `toolwright generate --accept lowering`; otherwise set the governance in the overlay"),
    )
}

/// Returns the place of the name: in the overlay, or else the operation.
fn said_name(operation: &CuratedOperation) -> Place {
    let curation = &operation.curation;
    let name = curation.name.as_ref().map(|said| said.place);
    let parts = [&curation.noun, &curation.verb];
    name.or_else(|| parts.into_iter().flatten().map(|said| said.place).next())
        .unwrap_or(operation.operation.place)
}

/// Returns the place of the governance: in the overlay, or else the operation.
fn said_governance(operation: &CuratedOperation) -> Place {
    let said = &operation.curation.governance;
    let approval = said.approval_required.as_ref().map(|said| said.place);
    let effect = said.effect.as_ref().map(|said| said.place);
    let category = said.category.as_ref().map(|said| said.place);
    approval
        .or(effect)
        .or(category)
        .unwrap_or(operation.operation.place)
}
