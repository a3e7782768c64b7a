//! Gives each operation the governance of its kind, and applies what the overlay says of it.

mod contradiction;
mod lowering;

use toolwright_model::{Category, Effect, Evidence, EvidenceSource, Governance, Kind, ToolName};

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    ir::{Catalog, Operation},
    spec::overlay::GovernanceCuration,
};

pub(super) fn run(catalog: &mut Catalog, diagnostics: &mut Diagnostics) {
    let services = catalog.services.iter_mut();
    for operation in services.flat_map(|service| &mut service.operations) {
        operation.governance = derived(operation, operation.kind);
        if !operation.curation.governance.is_empty() {
            curate(operation, diagnostics);
        }
    }
}

/// What holds for an operation of a kind where the overlay says nothing: the row of the table, and
/// off by default when it is deprecated.
fn derived(operation: &Operation, kind: Kind) -> Governance {
    let row = table_row(operation, kind);
    Governance {
        enabled_by_default: row.enabled_by_default && !operation.deprecated,
        ..row
    }
}

fn table_row(operation: &Operation, kind: Kind) -> Governance {
    Governance::of(kind, operation.method.is_idempotent())
}

/// Applies the overlay. The kind that its effect or category means gives the row of the table,
/// and what it says besides changes that row.
fn curate(operation: &mut Operation, diagnostics: &mut Diagnostics) {
    let said = operation.curation.governance.clone();
    // That a tool is deprecated makes it no more dangerous, so switching it on needs no reason.
    let by_evidence = table_row(operation, operation.kind);
    if let Some((kind, found)) = kind_of(&said, operation.kind) {
        operation.evidence = decided_by_overlay(&operation.evidence, kind, found);
        operation.governance = derived(operation, kind);
    }
    overwrite(&mut operation.governance, &said);
    operation.reason = operation
        .curation
        .reason
        .as_ref()
        .map(|said| said.value.clone());
    let contradictions = contradiction::find(&operation.governance, &said);
    let sound = contradictions.is_empty();
    diagnostics.append(contradictions.into_iter().collect());
    if sound
        && operation.reason.is_none()
        && let Some(lowered) = lowering::find(by_evidence, operation.governance, &said)
    {
        diagnostics.report(reason_missing(operation, &lowered));
    }
}

/// The kind that the overlay means, and the words by which it says so.
fn kind_of(said: &GovernanceCuration, by_evidence: Kind) -> Option<(Kind, String)> {
    let category = said.category.as_ref().map(|category| category.value);
    if let Some(effect) = &said.effect {
        let kind = match effect.value {
            Effect::Read if category == Some(Category::Report) => Kind::Derive,
            Effect::Read => Kind::Read,
            Effect::Create => Kind::Create,
            Effect::Update if by_evidence == Kind::Transition => Kind::Transition,
            Effect::Update => Kind::Overwrite,
            Effect::Delete => Kind::Delete,
            Effect::Annotate => Kind::Annotate,
            Effect::Action => Kind::Action,
        };
        return Some((kind, format!("effect = \"{}\"", effect.value)));
    }
    let category = category?;
    let kind = match category {
        Category::Observe => Kind::Read,
        Category::Report => Kind::Derive,
        Category::Execute | Category::Approve => match by_evidence {
            Kind::Read | Kind::Derive => Kind::Action,
            kind => kind,
        },
    };
    Some((kind, format!("category = \"{category}\"")))
}

fn decided_by_overlay(evidence: &[Evidence], kind: Kind, found: String) -> Vec<Evidence> {
    let overlay = Evidence {
        source: EvidenceSource::Overlay,
        found,
        suggests: kind,
        decided: true,
    };
    let others = evidence.iter().cloned().map(|other| Evidence {
        decided: false,
        ..other
    });
    std::iter::once(overlay).chain(others).collect()
}

fn overwrite(governance: &mut Governance, said: &GovernanceCuration) {
    macro_rules! put {
        ($($field:ident => $($target:ident).+),+ $(,)?) => {
            $(if let Some(said) = &said.$field {
                governance.$($target).+ = said.value;
            })+
        };
    }
    put! {
        category => category,
        effect => effect,
        approval_required => approval_required,
        enabled_by_default => enabled_by_default,
        read_only => hints.read_only,
        destructive => hints.destructive,
        idempotent => hints.idempotent,
        open_world => hints.open_world,
    }
}

fn reason_missing(operation: &Operation, lowered: &lowering::Lowered) -> Diagnostic {
    let name = operation.name.as_ref().map_or("the tool", ToolName::as_str);
    let diagnostic = Diagnostic::error(
        Code::ReasonMissing,
        lowered.place,
        format!(
            "{} of `{name}` is lower than the evidence says, without a reason",
            lowered.what
        ),
    )
    .label(format!("the evidence says `{}`", lowered.evidence))
    .also(operation.place, "the operation");
    let decided = operation
        .evidence
        .iter()
        .find(|evidence| evidence.source != EvidenceSource::Overlay);
    match decided {
        Some(evidence) => diagnostic.note(format!(
            "{} ({}) suggests `{}`",
            evidence.found, evidence.source, evidence.suggests
        )),
        None => diagnostic,
    }
    .help("add `reason = \"…\"`; it is carried into the tool's record and the audit log")
}
