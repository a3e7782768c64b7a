//! How the pages of a list follow one another.

use toolwright_model::{Pagination, ToolSpec};

use super::{
    change::{ChangeKind, Found},
    moved,
};

pub(super) fn compare(old: &ToolSpec, new: &ToolSpec) -> Option<Found> {
    let (was, is) = (told(old), told(new));
    let kind = match (&was, &is) {
        (before, after) if before == after => return None,
        (None, _) => ChangeKind::PagesAdded,
        (Some(_), _) => ChangeKind::PagesChanged,
    };
    let words = |pages: &Option<Pagination>| {
        let pages = pages.as_ref().map(ToString::to_string);
        let words = pages.unwrap_or_else(|| "it is not known any more.".to_owned());
        words.trim_start_matches("Pages: ").to_owned()
    };
    let says = match kind {
        ChangeKind::PagesAdded => format!("there are pages now: {}", words(&is)),
        _ => format!("of pages now: {} Before: {}", words(&is), words(&was)),
    };
    Some(moved(kind, "/pagination", &was, &is).says(says))
}

/// The pages, without what led to them.
fn told(spec: &ToolSpec) -> Option<Pagination> {
    let mut pages = spec.pagination.clone()?;
    pages.evidence.clear();
    Some(pages)
}
