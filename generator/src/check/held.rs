//! Checks that the lock is respected unless a person accepts the difference.

use toolwright_model::{ServiceName, ToolName};

use super::{Accept, leave_out, overlay_line, selector, suggested_noun};
use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics, Severity},
        source::Place,
    },
    ir::{CuratedOperation, LeftOutBecause, Service},
};

/// Leaves out the operations that differ from the lock, each with a diagnostic of the given
/// severity.
pub(super) fn check(
    service: &mut Service<CuratedOperation>,
    severity: Severity,
    accept: Accept,
    diagnostics: &mut Diagnostics,
) {
    let operations = std::mem::take(&mut service.operations);
    for operation in operations {
        let faults = [
            renamed(&operation).filter(|_| !accept.renames),
            taken(&operation, service),
            lowered(&operation).filter(|_| !accept.lowering),
        ];
        let faults: Vec<Diagnostic> = faults.into_iter().flatten().collect();
        if faults.is_empty() {
            service.operations.push(operation);
        } else {
            let left_out = leave_out(&operation.operation, LeftOutBecause::Locked);
            service.left_out.push(left_out);
        }
        for fault in faults {
            diagnostics.report(Diagnostic { severity, ..fault });
        }
    }
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

/// Reports a name that the lock holds for another operation.
fn taken(operation: &CuratedOperation, service: &Service<CuratedOperation>) -> Option<Diagnostic> {
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
    Some(
        Diagnostic::error(Code::NameCollision, said_name(operation), message)
            .also(held.place, owner)
            .help(other_name(operation, name, &service.name))
            .help("to release the name, remove its line from the lock"),
    )
}

fn other_name(operation: &CuratedOperation, name: &ToolName, service: &ServiceName) -> String {
    match &operation.curation.name {
        Some(_) => format!("give the operation another name than `{name}`"),
        None => overlay_line(
            &selector(&operation.operation, &[]),
            suggested_noun(service, operation).as_ref(),
        ),
    }
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
