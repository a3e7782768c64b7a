//! The description of a tool that a model reads.

use toolwright_model::texts::{DEPRECATED, bounded};

use crate::ToolSpec;

/// The sentence for a tool whose calls wait for a person.
pub(super) const APPROVAL: &str = "A person must approve each call.";

/// The characters that [`bounded`] appends.
const ELLIPSIS: usize = 2;

/// Returns the description: the effect of the tool, when to use it, and its approval.
pub(super) fn description(spec: &ToolSpec) -> String {
    let body = match spec.description.trim() {
        "" => spec.short.trim(),
        description => description,
    };
    // The generator begins the descriptions of deprecated operations with it.
    let deprecated = (spec.deprecated && !body.starts_with(DEPRECATED)).then_some(DEPRECATED);
    let approval = spec.approval_required.then_some(APPROVAL);
    [
        deprecated,
        Some(body),
        spec.when_to_use.as_deref().map(str::trim),
        approval,
    ]
    .into_iter()
    .flatten()
    .filter(|paragraph| !paragraph.is_empty())
    .collect::<Vec<_>>()
    .join("\n\n")
}

/// Returns the description in at most this number of characters. Its middle is cut: the sentences about
/// the tool's owner and the approval stay.
pub(super) fn short_description(spec: &ToolSpec, longest: usize) -> String {
    let whole = description(spec);
    if whole.chars().count() <= longest {
        return whole;
    }
    let end = if spec.approval_required {
        format!("\n\n{APPROVAL}")
    } else {
        String::new()
    };
    let body = whole.strip_suffix(&end).unwrap_or(&whole);
    let room = longest.saturating_sub(end.chars().count() + ELLIPSIS);
    format!("{}{end}", bounded(body, room))
}
