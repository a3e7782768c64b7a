//! What the manifest tells of texts, arguments and results: whether they differ.

use super::{
    change::{ChangeKind, Found},
    inventory::Tool,
    moved,
    pairs::template,
};

pub(super) fn compare(old: &Tool, new: &Tool) -> Vec<Found> {
    let (before, after) = (old.row(), new.row());
    let mut found = Vec::new();
    let mut differ = |kind, place: &str, before: Option<&String>, after: Option<&String>| {
        if before != after {
            found.push(moved(kind, place, before, after));
        }
    };
    if let (Some((a, from)), Some((b, to))) = (old.request(), new.request()) {
        let (a, b) = (a.to_string(), b.to_string());
        differ(ChangeKind::MethodChanged, "/method", Some(&a), Some(&b));
        if template(&from) != template(&to) {
            let (from, to) = (from.into_owned(), to.into_owned());
            differ(ChangeKind::PathChanged, "/path", Some(&from), Some(&to));
        }
    }
    differ(
        ChangeKind::DescriptionChanged,
        "/description_sha256",
        Some(&before.description_sha256),
        Some(&after.description_sha256),
    );
    differ(
        ChangeKind::ArgumentsChanged,
        "/input_schema_sha256",
        Some(&before.input_schema_sha256),
        Some(&after.input_schema_sha256),
    );
    differ(
        ChangeKind::ResultChanged,
        "/output_schema_sha256",
        before.output_schema_sha256.as_ref(),
        after.output_schema_sha256.as_ref(),
    );
    found
}
