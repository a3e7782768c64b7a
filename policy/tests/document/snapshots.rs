//! What a compiled policy says of a role: its fingerprint and its account.

use std::collections::BTreeSet;

use toolwright_model::Role;

use crate::snapshot;

#[test]
fn a_policy_that_decides_differently_has_another_fingerprint() {
    let role = Role::new("a").unwrap();
    let grant = "[roles.a]\nprofiles = [\"p\"]\n[profiles.p]\ntools = [\"*\"]\n";
    let policies = [
        "[roles.a]\ngrant = [\"get-shop-item\"]\n".to_owned(),
        "[roles.a]\ngrant = [\"*\"]\n".to_owned(),
        grant.to_owned(),
        format!("{grant}[[profiles.p.scopes]]\nrate = \"2/minute\"\n"),
        format!("{grant}[[profiles.p.scopes]]\nrate = \"3/minute\"\n"),
        format!("{grant}[[profiles.p.scopes]]\ntools = \"get-*\"\nrate = \"2/minute\"\n"),
        format!("{grant}[[nodes.review.scopes]]\nrate = \"2/minute\"\n"),
        format!("{grant}[[forbid]]\ntools = \"get-*\"\n"),
        format!("{grant}[[forbid]]\ntools = \"get-*\"\nwhen.id = {{ values = [\"7\"] }}\n"),
    ];
    let fingerprints: BTreeSet<_> = policies
        .iter()
        .map(|policy| snapshot(policy).fingerprint(&role))
        .collect();
    assert_eq!(fingerprints.len(), policies.len());
    for policy in &policies {
        let (one, again) = (snapshot(policy), snapshot(policy));
        assert_eq!(one.fingerprint(&role), again.fingerprint(&role));
    }
}

#[test]
fn a_role_may_have_an_account_of_its_own() {
    let policy =
        "[roles.a]\ngrant = [\"*\"]\ncredentials = \"reader\"\n[roles.b]\ngrant = [\"*\"]\n";
    let snapshot = snapshot(policy);
    let account = |role: &str| {
        let account = snapshot.account(&Role::new(role).unwrap());
        account.map(ToString::to_string)
    };
    assert_eq!(account("a").as_deref(), Some("reader"));
    assert_eq!(account("b"), None);
    let roles: Vec<_> = snapshot.roles().map(Role::as_str).collect();
    assert_eq!(roles, ["a", "b"]);
}
