//! What an agent reads of a tool, and where it stands in lists.

use serde_json::json;
use toolwright_model::ToolSpec;

use super::{
    change::{ChangeKind, Found},
    moved,
};
use crate::passes::DEPRECATED;

pub(super) fn compare(old: &ToolSpec, new: &ToolSpec) -> Vec<Found> {
    let mut found = Vec::new();
    let mut text = |place: &str, what: &str, before: Option<&str>, after: Option<&str>| {
        if before != after {
            let change = moved(ChangeKind::DescriptionChanged, place, before, after);
            found.push(change.of(format!("the {what}"), "is another"));
        }
    };
    text(
        "/description",
        "description",
        Some(told(old)),
        Some(told(new)),
    );
    text(
        "/when_to_use",
        "advice when to use it",
        old.when_to_use.as_deref(),
        new.when_to_use.as_deref(),
    );
    // Title and line are mostly the beginning of the description: the same is not told twice.
    for (place, what, before, after) in [
        ("/title", "title", &old.title, &new.title),
        ("/short", "line in lists", &old.short, &new.short),
    ] {
        if !repeats(old, before) || !repeats(new, after) {
            text(place, what, Some(before), Some(after));
        }
    }
    if old.section != new.section {
        let (was, is) = (&old.section, &new.section);
        let change = moved(ChangeKind::SectionChanged, "/section", was, is);
        found.push(change.says(format!(
            "it stands in the section `{is}` and stood in `{was}`: a role that is granted `section:` of either is granted another set"
        )));
    }
    if old.deprecated != new.deprecated {
        let kind = if new.deprecated {
            ChangeKind::Deprecated
        } else {
            ChangeKind::Undeprecated
        };
        found.push(
            Found::new(kind, "/deprecated")
                .before(json!(old.deprecated))
                .after(json!(new.deprecated)),
        );
    }
    found
}

/// The description without what it says of pages and of being deprecated, which are told of by
/// themselves.
fn told(spec: &ToolSpec) -> &str {
    let text = spec.description.as_str();
    let pages = spec.pagination.as_ref().map(ToString::to_string);
    let rest = pages.and_then(|pages| text.strip_suffix(pages.as_str()));
    let text = rest.map_or(text, str::trim_end);
    text.strip_prefix(DEPRECATED).map_or(text, str::trim_start)
}

/// Whether the description has the text too.
fn repeats(spec: &ToolSpec, text: &str) -> bool {
    let text = text.trim_end_matches(['.', '…']).to_lowercase();
    spec.description.to_lowercase().contains(&text)
}
