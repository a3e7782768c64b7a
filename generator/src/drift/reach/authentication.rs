//! How a call proves who makes it, and what the credential has to be good for.

use std::collections::BTreeSet;

use toolwright_model::{SecurityRequirement, credentials_in_words};

use super::super::{
    change::{ChangeKind, Found},
    moved,
};

/// The alternatives, of which one is needed.
type Alternatives = [Vec<SecurityRequirement>];

const PLACE: &str = "/binding/http/security";

pub(super) fn compare(old: &Alternatives, new: &Alternatives) -> Vec<Found> {
    let (before, after) = (schemes(old), schemes(new));
    let said = |security: &Alternatives| match security {
        [] => "nothing that is said".to_owned(),
        security => credentials_in_words(security),
    };
    let mut found = scopes(old, new);
    let kind = match (is_needed(old), is_needed(new)) {
        (false, true) => ChangeKind::AuthenticationAdded,
        (true, false) => ChangeKind::AuthenticationDropped,
        (false, false) => return found,
        (true, true) if before == after => return found,
        (true, true) if before.is_subset(&after) => ChangeKind::AuthenticationOffered,
        (true, true) => ChangeKind::AuthenticationChanged,
    };
    let says = format!("a call needs {}, and needed {}", said(new), said(old));
    found.push(moved(kind, PLACE, old, new).says(says));
    found
}

/// Whether no call passes without a credential.
fn is_needed(security: &Alternatives) -> bool {
    !security.is_empty() && security.iter().all(|alternative| !alternative.is_empty())
}

/// The alternatives by the kinds of their schemes.
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

/// The scopes that any alternative names, as far as the scheme that names them is on both sides.
fn scopes(old: &Alternatives, new: &Alternatives) -> Vec<Found> {
    let (before, after) = (named(old), named(new));
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
    let mut found = Vec::new();
    for scope in is.difference(&was) {
        let change = moved(ChangeKind::ScopeAdded, PLACE, (), scope);
        found.push(change.says(format!("the credential needs the scope `{scope}` too")));
    }
    for scope in was.difference(&is) {
        let change = moved(ChangeKind::ScopeRemoved, PLACE, scope, ());
        found.push(change.says(format!(
            "the credential no longer needs the scope `{scope}`"
        )));
    }
    found
}

fn named(security: &Alternatives) -> BTreeSet<(String, String)> {
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
