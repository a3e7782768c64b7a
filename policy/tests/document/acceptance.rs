//! Selectors that match new tools, or none.

use toolwright_model::{Role, ToolName, ToolSpec};
use toolwright_policy::{
    Compiled, PolicyLock, PolicyProblem, PolicyTool, ScopeParameters, Stated, Tools,
};

use crate::{policy, spec};

/// Compiles a policy for two tools of the registry and one of the workspace.
fn compiled(text: &str, partial: bool, lock: Option<&PolicyLock>) -> Compiled {
    let parameters = ScopeParameters::new();
    let specs = ["get-shop-item", "list-shop-items"].map(|name| spec(name, "observe"));
    let elsewhere: [ToolSpec; 1] = [spec("delete-shop-item", "execute")];
    let here = specs.each_ref().map(|spec| PolicyTool {
        spec,
        parameters: &parameters,
    });
    policy(text).compile(Tools {
        here: &here,
        elsewhere: &elsewhere,
        partial,
        lock,
    })
}

fn offered(compiled: &Compiled) -> Vec<String> {
    let offered = compiled.snapshot.offered(&Role::new("a").unwrap());
    offered.into_iter().map(ToString::to_string).collect()
}

#[test]
fn a_pattern_grants_what_a_person_has_accepted() {
    let text = "[roles.a]\ngrant = [\"get-*\", \"list-shop-items\"]\n";
    let without = compiled(text, false, None);
    assert_eq!(offered(&without), ["get-shop-item", "list-shop-items"]);
    assert_eq!(without.pending, []);

    let empty = PolicyLock::default();
    let new = compiled(text, false, Some(&empty));
    assert_eq!(offered(&new), ["list-shop-items"]);
    let [pending] = new.pending.as_slice() else {
        panic!("{:?}", new.pending);
    };
    assert_eq!(pending.selector, "get-*");
    let tools: Vec<_> = pending.tools.iter().map(ToolName::as_str).collect();
    assert_eq!(tools, ["get-shop-item"]);

    let accepted = compiled(text, false, Some(&new.matched));
    assert_eq!(offered(&accepted), ["get-shop-item", "list-shop-items"]);
    assert_eq!(accepted.pending, []);
    assert_eq!(accepted.matched, new.matched);
}

#[test]
fn a_grant_that_selects_nothing_is_a_fault_unless_tools_are_missing() {
    let text = "[roles.a]\ngrant = [\"drop-*\"]\n";
    let whole = compiled(text, false, None);
    assert!(matches!(
        whole.problems.as_slice(),
        [PolicyProblem::SelectsNothing { selector, .. }] if selector == "drop-*"
    ));
    assert_eq!(whole.unmatched, []);
    let part = compiled(text, true, None);
    assert_eq!(part.problems, []);
    assert_eq!(part.unmatched.len(), 1);
    let elsewhere = compiled("[roles.a]\ngrant = [\"delete-*\"]\n", false, None);
    assert_eq!((elsewhere.problems, elsewhere.unmatched), (vec![], vec![]));
}

#[test]
fn a_grant_in_code_must_select_tools_also_if_some_are_missing() {
    let mut policy = policy("");
    let own = policy.roles.entry(Role::new("a").unwrap()).or_default();
    own.grants
        .push(Stated::new("drop-*".parse().unwrap(), "the test"));
    let compiled = policy.compile(Tools {
        partial: true,
        ..Tools::default()
    });
    assert_eq!(compiled.problems.len(), 1);
}

#[test]
fn a_profile_may_select_nothing_and_a_file_that_does_is_told() {
    let text = "[roles.a]\nprofiles = [\"p\"]\n[profiles.p]\ntools = [\"drop-*\"]\n";
    let of_file = compiled(text, false, None);
    assert_eq!((of_file.problems.len(), of_file.unmatched.len()), (0, 1));
    let mut in_code = policy(text);
    for profile in in_code.profiles.values_mut() {
        profile.tools = vec![Stated::new("drop-*".parse().unwrap(), "the test")];
    }
    let of_code = in_code.compile(Tools::default());
    assert_eq!((of_code.problems.len(), of_code.unmatched.len()), (0, 0));
}

#[test]
fn a_switch_off_says_what_it_switches_off() {
    for (selector, problems, unmatched) in [("get-*", 0, 0), ("delete-*", 0, 1), ("drop-*", 1, 0)] {
        let text = format!("[roles.a]\ngrant = [\"*\"]\n[tools]\ndisable = [\"{selector}\"]\n");
        let compiled = compiled(&text, false, None);
        assert_eq!(compiled.problems.len(), problems, "{selector}");
        assert_eq!(compiled.unmatched.len(), unmatched, "{selector}");
        let is_elsewhere =
            |problem: &PolicyProblem| matches!(problem, PolicyProblem::DisablesElsewhere { .. });
        assert!(compiled.unmatched.iter().all(is_elsewhere));
    }
}
