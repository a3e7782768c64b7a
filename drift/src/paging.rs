//! Requests for the next page of a list.

use toolwright_model::{Pagination, ToolSpec};

use super::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
};

pub(super) fn compare(old: &ToolSpec, new: &ToolSpec) -> Option<Change> {
    let (was, is) = (without_evidence(old), without_evidence(new));
    let (kind, predicate) = match (&was, &is) {
        (before, after) if before == after => return None,
        (None, _) => (ChangeKind::PagesAdded, Predicate::PageAdded),
        (Some(_), None) => (ChangeKind::PagesChanged, Predicate::PageRemoved),
        (Some(_), Some(_)) => (ChangeKind::PagesChanged, Predicate::PageChanged),
    };
    let state = |pages: &Option<Pagination>| {
        let line = pages.as_ref().map(ToString::to_string).unwrap_or_default();
        State::described(pages, line.trim_start_matches("Pages: "))
    };
    let change = Change::new(kind, "/pagination", "the next page", predicate);
    Some(change.before(state(&was)).after(state(&is)))
}

/// Returns the pagination without its evidence.
fn without_evidence(spec: &ToolSpec) -> Option<Pagination> {
    let mut pages = spec.pagination.clone()?;
    pages.evidence.clear();
    Some(pages)
}
