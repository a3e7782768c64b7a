//! The strings that agents read of a tool, and its section in lists.

use toolwright_model::{ToolSpec, texts::DEPRECATED};

use super::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
};

pub(super) fn compare(old: &ToolSpec, new: &ToolSpec) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut compare = |place: &str, subject: &str, before: Option<&str>, after: Option<&str>| {
        let predicate = match (before, after) {
            (before, after) if before == after => return,
            (None, _) => Predicate::Added,
            (_, None) => Predicate::Removed,
            (Some(_), Some(_)) => Predicate::Replaced,
        };
        changes.push(
            Change::new(ChangeKind::DescriptionChanged, place, subject, predicate)
                .before(State::plain(before))
                .after(State::plain(after)),
        );
    };
    compare(
        "/description",
        "the description",
        Some(own_description(old)),
        Some(own_description(new)),
    );
    compare(
        "/when_to_use",
        "the advice when to use the tool",
        old.when_to_use.as_deref(),
        new.when_to_use.as_deref(),
    );
    // Title and line mostly repeat the beginning of the description. Report only other ones.
    for (place, subject, before, after) in [
        ("/title", "the title", &old.title, &new.title),
        ("/short", "the line in lists", &old.short, &new.short),
    ] {
        if !repeats(old, before) || !repeats(new, after) {
            compare(place, subject, Some(before), Some(after));
        }
    }
    if old.section != new.section {
        let change = Change::new(
            ChangeKind::SectionChanged,
            "/section",
            "the section",
            Predicate::SectionChanged,
        );
        let (was, is) = (State::code(&old.section), State::code(&new.section));
        changes.push(change.before(was).after(is));
    }
    if old.deprecated != new.deprecated {
        let (kind, predicate) = if new.deprecated {
            (ChangeKind::Deprecated, Predicate::Deprecated)
        } else {
            (ChangeKind::Undeprecated, Predicate::Undeprecated)
        };
        changes.push(
            Change::new(kind, "/deprecated", "the tool", predicate)
                .before(State::plain(old.deprecated))
                .after(State::plain(new.deprecated)),
        );
    }
    changes
}

/// Returns the description without the sentences about pages and deprecation, which have kinds of
/// their own.
fn own_description(spec: &ToolSpec) -> &str {
    let description = spec.description.as_str();
    let pages = spec.pagination.as_ref().map(ToString::to_string);
    let rest = pages.and_then(|pages| description.strip_suffix(pages.as_str()));
    let description = rest.map_or(description, str::trim_end);
    let rest = description.strip_prefix(DEPRECATED);
    rest.map_or(description, str::trim_start)
}

/// Checks whether the description contains the line.
fn repeats(spec: &ToolSpec, line: &str) -> bool {
    let line = line.trim_end_matches(['.', '…']).to_lowercase();
    spec.description.to_lowercase().contains(&line)
}
