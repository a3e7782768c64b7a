//! Decides the governance of each operation: that of its kind, changed by the overlay.

mod contradiction;
mod lowering;

use toolwright_model::{Category, Evidence, EvidenceSource, Governance, Kind, ToolName};

use crate::{
    document::diagnostic::{Code, Diagnostic, Diagnostics},
    ir::LoweredOperation,
    parse::overlay::GovernanceCuration,
};

/// The governance of an operation.
pub(super) struct GovernanceDecision {
    /// The governance after the overlay.
    pub(super) governance: Governance,
    /// The evidence, including that of the overlay.
    pub(super) evidence: Vec<Evidence>,
    /// The overlay's reason.
    pub(super) reason: Option<String>,
}

/// Decides the governance of an operation: the row of its kind in the table, changed by its
/// overlay.
///
/// Reports overlays that contradict themselves, or that lower the governance without a reason.
pub(super) fn decide(
    operation: &LoweredOperation,
    diagnostics: &mut Diagnostics,
) -> GovernanceDecision {
    let curation = &operation.curation.governance;
    let kind = kind_of(curation, operation.kind);
    let evidence = match &kind {
        Some((kind, found)) => decided_by_overlay(&operation.evidence, *kind, found.clone()),
        None => operation.evidence.clone(),
    };
    let mut governance = derive(operation, kind.map_or(operation.kind, |(kind, _)| kind));
    if curation.is_empty() {
        return GovernanceDecision {
            governance,
            evidence,
            reason: None,
        };
    }
    overwrite(&mut governance, curation);
    let reason = operation.curation.reason.as_ref();
    let contradictions = contradiction::find(&governance, curation);
    if contradictions.is_empty() && reason.is_none() {
        // A deprecated tool is not more dangerous, so an overlay needs no reason to switch it on.
        let by_evidence = table_row(operation, operation.kind);
        if let Some(lowered) = lowering::find(by_evidence, governance, curation) {
            diagnostics.report(reason_missing(operation, &lowered));
        }
    }
    diagnostics.append(contradictions.into_iter().collect());
    GovernanceDecision {
        governance,
        evidence,
        reason: reason.map(|reason| reason.value.clone()),
    }
}

/// Returns the governance of a kind before the overlay: the row of the table, and off by default if
/// the operation is deprecated.
fn derive(operation: &LoweredOperation, kind: Kind) -> Governance {
    let row = table_row(operation, kind);
    Governance {
        enabled_by_default: row.enabled_by_default && !operation.deprecated,
        ..row
    }
}

fn table_row(operation: &LoweredOperation, kind: Kind) -> Governance {
    let mut row = Governance::from_kind(kind, operation.method.is_idempotent());
    row.hints.destructive |= operation.facts.hints.destroys && !row.hints.read_only;
    row
}

/// Returns the kind that the overlay sets, and the quoted setting.
fn kind_of(said: &GovernanceCuration, by_evidence: Kind) -> Option<(Kind, String)> {
    let category = said.category.as_ref().map(|category| category.value);
    if let Some(effect) = &said.effect {
        let overwrites = by_evidence != Kind::Transition;
        let category = category.unwrap_or(Category::Observe);
        let kind = Kind::from_parts(category, effect.value, overwrites);
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
        weight: 0,
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
    let category = said.category.as_ref().map(|category| category.value);
    governance.approves = category == Some(Category::Approve);
    put! {
        approval_required => approval_required,
        enabled_by_default => enabled_by_default,
        read_only => hints.read_only,
        destructive => hints.destructive,
        idempotent => hints.idempotent,
        open_world => hints.open_world,
    }
}

fn reason_missing(operation: &LoweredOperation, lowered: &lowering::Lowered) -> Diagnostic {
    let name = operation.name.as_ref().map_or("the tool", ToolName::as_str);
    let diagnostic = Diagnostic::error(
        Code::ReasonMissing,
        lowered.place,
        format!(
            "{} of `{name}` is lower than the evidence suggests, without a reason",
            lowered.what
        ),
    )
    .label(format!("the evidence suggests `{}`", lowered.evidence))
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
    .help("add a `reason` to the entry, in your words; the tool's record and the audit log contain it")
}
