//! Differences that a manifest shows. It holds digests of descriptions, arguments and results.

use super::{
    change::{Change, ChangeKind, State},
    inventory::Tool,
    pairs::template,
    predicate::Predicate,
};

pub(super) fn compare(old: &Tool, new: &Tool) -> Vec<Change> {
    let (before, after) = (old.row(), new.row());
    let mut changes = Vec::new();
    if let (Some((a, from)), Some((b, to))) = (old.request(), new.request()) {
        let change = |kind, place, subject| Change::new(kind, place, subject, Predicate::Changed);
        if a != b {
            let change = change(ChangeKind::MethodChanged, "/method", "the request method");
            changes.push(change.before(State::plain(a)).after(State::plain(b)));
        }
        if template(&from) != template(&to) {
            let change = change(ChangeKind::PathChanged, "/path", "the request path");
            changes.push(change.before(State::code(from)).after(State::code(to)));
        }
    }
    let digests = [
        (
            ChangeKind::DescriptionChanged,
            "/description_sha256",
            "the description",
            Some(&before.description_sha256),
            Some(&after.description_sha256),
        ),
        (
            ChangeKind::ArgumentsChanged,
            "/input_schema_sha256",
            "the set of arguments",
            Some(&before.input_schema_sha256),
            Some(&after.input_schema_sha256),
        ),
        (
            ChangeKind::ResultChanged,
            "/output_schema_sha256",
            "the result",
            before.output_schema_sha256.as_ref(),
            after.output_schema_sha256.as_ref(),
        ),
    ];
    let digests = digests.into_iter().filter(|(_, _, _, was, is)| was != is);
    changes.extend(digests.map(|(kind, place, subject, was, is)| {
        Change::new(kind, place, subject, Predicate::ReplacedUnseen)
            .before(State::plain(was))
            .after(State::plain(is))
    }));
    changes
}
