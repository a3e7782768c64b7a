//! Pinned arguments, and scopes as an operator reads them.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwright_model::{Role, ToolName};
use toolwright_policy::{Decision, PolicyProblem, RefusalReason, Snapshot, Variables};

use crate::{compiled, explained, snapshot};

/// Returns the arguments that a policy pins for the role `a`, or the variable that is missing.
fn pins(snapshot: &Snapshot, node: Option<&str>, variables: &Variables) -> Result<Value, String> {
    let tool: ToolName = "get-shop-item".parse().unwrap();
    let role = Role::new("a").unwrap();
    let pins = snapshot.pins(&role, &tool, node, variables);
    pins.map(|pins| json!(pins)).map_err(|fault| fault.variable)
}

/// Returns the reason for which a call is refused, and the rule.
fn refusal(snapshot: &Snapshot, arguments: Value) -> Option<(RefusalReason, String)> {
    match explained(snapshot, &arguments, &BTreeSet::new()).0 {
        Decision::Allow(_) => None,
        Decision::Deny(refusal) => Some((refusal.reason, refusal.rule.unwrap_or_default())),
    }
}

const PROFILE: &str = "[roles.a]\nprofiles = [\"p\"]\n[profiles.p]\ntools = [\"*\"]\n";

#[test]
fn the_pinned_arguments_are_those_of_the_tool_with_the_variables() {
    let snapshot = snapshot(&format!(
        "{PROFILE}[[profiles.p.scopes]]\npinned.colour = \"red\"\npinned.id = \"{{{{item}}}}\"\n\
         [[nodes.review.scopes]]\npinned.colour = \"blue\"\n"
    ));
    let none = Variables::new();
    assert_eq!(pins(&snapshot, None, &none), Err("item".to_owned()));
    let one = Variables::new().with("item", "7");
    let expected = json!({"colour": "red", "id": "7"});
    assert_eq!(pins(&snapshot, None, &one), Ok(expected.clone()));
    assert_eq!(pins(&snapshot, Some("review"), &one), Ok(expected));
    let many = Variables::new().with_list("item", ["7", "8"]);
    assert!(pins(&snapshot, None, &many).is_err());
}

#[test]
fn a_call_with_another_value_of_a_pinned_argument_is_refused() {
    let snapshot = snapshot(&format!(
        "{PROFILE}[[profiles.p.scopes]]\npinned.colour = \"red\"\n"
    ));
    assert_eq!(refusal(&snapshot, json!({"colour": "red"})), None);
    let expected = (RefusalReason::ScopeViolation, "pinned.colour".to_owned());
    for arguments in [json!({"colour": "blue"}), json!({})] {
        assert_eq!(refusal(&snapshot, arguments), Some(expected.clone()));
    }
}

#[test]
fn two_grants_of_a_tool_pin_the_same_arguments() {
    let profiles = "[roles.a]\nprofiles = [\"p\", \"q\"]\n\
                    [profiles.p]\ntools = [\"*\"]\n[profiles.q]\ntools = [\"*\"]\n\
                    [[profiles.p.scopes]]\npinned.colour = \"red\"\n";
    let conflicts = |other: &str| -> BTreeSet<(String, String)> {
        let problems = compiled(&format!("{profiles}{other}")).problems;
        let conflicts = problems.into_iter().map(|problem| match problem {
            PolicyProblem::PinConflict { tool, argument, .. } => (tool.to_string(), argument),
            other => panic!("{other}"),
        });
        conflicts.collect()
    };
    let same = "[[profiles.q.scopes]]\npinned.colour = \"red\"\n";
    assert_eq!(conflicts(same), BTreeSet::new());
    let expected: BTreeSet<_> = ["get-shop-item", "list-shop-items"]
        .map(|tool| (tool.to_owned(), "colour".to_owned()))
        .into();
    let another = "[[profiles.q.scopes]]\npinned.colour = \"blue\"\n";
    assert_eq!(conflicts(another), expected);
    assert_eq!(conflicts(""), expected);
    let within = "[[profiles.q.scopes]]\npinned.colour = \"red\"\n\
                  [[profiles.q.scopes]]\npinned.colour = \"blue\"\n";
    assert_eq!(conflicts(within), expected);
}

#[test]
fn the_rules_of_one_grant_pin_the_same_arguments() {
    let conflicts = |pins: &[&str]| {
        let rules = pins
            .iter()
            .map(|pin| format!("[[profiles.p.scopes]]\npinned.{pin}\n"));
        let rules: String = rules.collect();
        compiled(&format!("{PROFILE}{rules}")).problems.len()
    };
    let (red, blue, id) = ("colour = \"red\"", "colour = \"blue\"", "id = \"7\"");
    assert_eq!(conflicts(&[red, red]), 0);
    assert_eq!(conflicts(&[red, id]), 0);
    // One for each of the two tools.
    assert_eq!(conflicts(&[red, blue]), 2);
    assert_eq!(conflicts(&[red, id, blue]), 2);
}

#[test]
fn a_conflict_has_the_place_of_a_rule_that_pins_the_argument() {
    let rule = |pin: &str| format!("[[profiles.p.scopes]]\npinned.{pin}\n");
    let (red, blue, id) = (
        rule("colour = \"red\""),
        rule("colour = \"blue\""),
        rule("id = 7"),
    );
    let place = |rules: &[&str]| -> usize {
        let problems = compiled(&format!("{PROFILE}{}", rules.concat())).problems;
        problems.first().unwrap().place().parse().unwrap()
    };
    assert_eq!(place(&[&id, &red, &blue]), place(&[&red, &blue]) + id.len());
}

#[test]
fn a_rule_for_an_argument_concerns_the_tools_that_have_it() {
    let snapshot = snapshot(&format!(
        "{PROFILE}[[profiles.p.scopes]]\narguments.colour = {{ values = [\"red\"] }}\n"
    ));
    assert_eq!(refusal(&snapshot, json!({"colour": "red"})), None);
    let expected = (RefusalReason::ScopeViolation, "arguments.colour".to_owned());
    assert_eq!(refusal(&snapshot, json!({})), Some(expected));
}

#[test]
fn a_scope_is_shown_with_its_variables_and_without_pinned_values() {
    let snapshot = snapshot(&format!(
        "{PROFILE}[[profiles.p.scopes]]\nallowed_urls = [\"https://{{{{host}}}}/\"]\n\
         pinned.colour = \"red\"\narguments.id = {{ values = [\"7\"] }}\n\
         rate = \"2/minute\"\nmax_response_bytes = 10\n"
    ));
    let role = Role::new("a").unwrap();
    let variables = Variables::new().with("host", "shop.example");
    let shown = snapshot.resolved_scopes(&role, None, &variables).unwrap();
    let shown: Vec<_> = shown
        .iter()
        .map(|scope| format!("{} = {:?}", scope.parameter, scope.values))
        .collect();
    assert_eq!(
        shown,
        [
            "allowed_urls = [\"https://shop.example/\"]",
            "arguments.id = [\"7\"]",
            "max_response_bytes = [\"10\"]",
            "pinned.colour = []",
            "rate = [\"2/minute\"]",
        ]
    );
}
