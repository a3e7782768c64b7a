//! The credentials that a call needs, and their scopes.

use std::collections::BTreeSet;

use toolwright_model::{SecurityRequirement, credentials_in_words};

use super::super::{
    change::{Change, ChangeKind, State},
    predicate::Predicate,
};

/// Alternative requirements. A call meets one of them.
type Alternatives = [Vec<SecurityRequirement>];

const PLACE: &str = "/binding/http/security";

pub(super) fn compare(old: &Alternatives, new: &Alternatives) -> Vec<Change> {
    let (before, after) = (schemes(old), schemes(new));
    let mut changes = scopes(old, new);
    let kind = match (is_needed(old), is_needed(new)) {
        (false, true) => ChangeKind::AuthenticationAdded,
        (true, false) => ChangeKind::AuthenticationDropped,
        (false, false) => return changes,
        (true, true) if before == after => return changes,
        (true, true) if before.is_subset(&after) => ChangeKind::AuthenticationOffered,
        (true, true) => ChangeKind::AuthenticationChanged,
    };
    let accepts_only_none = |security: &Alternatives| security.iter().all(Vec::is_empty);
    let predicate = match (accepts_only_none(old), accepts_only_none(new)) {
        (true, _) => Predicate::CredentialAdded,
        (false, true) => Predicate::CredentialDropped,
        (false, false) => Predicate::CredentialChanged,
    };
    let state =
        |security: &Alternatives| State::described(security, credentials_in_words(security));
    let change = Change::new(kind, PLACE, "a call", predicate);
    changes.push(change.before(state(old)).after(state(new)));
    changes
}

/// Checks whether every call needs a credential.
fn is_needed(security: &Alternatives) -> bool {
    !security.is_empty() && security.iter().all(|alternative| !alternative.is_empty())
}

/// Returns the alternatives by the kinds of their schemes.
fn schemes(security: &Alternatives) -> BTreeSet<BTreeSet<String>> {
    let alternatives = security.iter();
    alternatives
        .map(|alternative| {
            alternative
                .iter()
                .map(|part| part.kind.to_string())
                .collect()
        })
        .collect()
}

/// Compares the scopes of the schemes that are on both sides.
fn scopes(old: &Alternatives, new: &Alternatives) -> Vec<Change> {
    let (before, after) = (scheme_names(old), scheme_names(new));
    let kinds = |all: &BTreeSet<(String, String)>, security: &Alternatives| {
        let known: BTreeSet<String> = security
            .iter()
            .flatten()
            .map(|part| part.kind.to_string())
            .collect();
        let both = all.iter().filter(|(kind, _)| known.contains(kind));
        both.map(|(_, scope)| scope.clone())
            .collect::<BTreeSet<_>>()
    };
    let (was, is) = (kinds(&before, new), kinds(&after, old));
    let change = |kind, predicate| Change::new(kind, PLACE, "the credential", predicate);
    let added = is.difference(&was).map(|scope| {
        change(ChangeKind::ScopeAdded, Predicate::ScopeAdded).after(State::code(scope))
    });
    let removed = was.difference(&is).map(|scope| {
        change(ChangeKind::ScopeRemoved, Predicate::ScopeRemoved).before(State::code(scope))
    });
    added.chain(removed).collect()
}

fn scheme_names(security: &Alternatives) -> BTreeSet<(String, String)> {
    let parts = security.iter().flatten();
    parts
        .flat_map(|part| {
            let kind = part.kind.to_string();
            part.scopes
                .iter()
                .map(move |scope| (kind.clone(), scope.clone()))
        })
        .collect()
}
