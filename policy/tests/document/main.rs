//! A policy as TOML: everything that is read, every fault at once, and the lock.
#![cfg(test)]

mod acceptance;
mod pins;
mod snapshots;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};
use toolwright_model::{
    Role, ToolName, ToolSpec,
    settings::{Fault, Node, Reader},
};
use toolwright_policy::{
    Call, Compiled, Decision, Policy, PolicyLock, PolicyTool, Rate, RefusalReason, Request,
    ScopeParameters, Snapshot, Step, Tools, Variables, decide, explain,
};

/// A value of a document. Its place is the byte at which it begins.
#[derive(Clone, Copy)]
struct TomlNode<'n>(&'n Spanned<DeValue<'n>>);

/// Collects the messages of faults.
#[derive(Default)]
struct Faults(Vec<(usize, String)>);

fn start(span: Range<usize>) -> usize {
    span.start
}

impl<'n> Node<'n> for TomlNode<'n> {
    type Place = usize;

    fn place(self) -> usize {
        start(self.0.span())
    }

    fn kind(self) -> &'static str {
        "a value"
    }

    fn as_str(self) -> Option<&'n str> {
        self.0.get_ref().as_str()
    }

    fn as_bool(self) -> Option<bool> {
        self.0.get_ref().as_bool()
    }

    fn as_u64(self) -> Option<u64> {
        let integer = self.0.get_ref().as_integer()?;
        u64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    fn elements(self) -> Option<Vec<Self>> {
        Some(self.0.get_ref().as_array()?.iter().map(Self).collect())
    }

    fn entries(self) -> Option<Vec<(&'n str, usize, Self)>> {
        let entries = self.0.get_ref().as_table()?.iter();
        let entries =
            entries.map(|(key, value)| (key.get_ref().as_ref(), start(key.span()), Self(value)));
        Some(entries.collect())
    }

    fn value_of(self, key: &str) -> Option<Self> {
        self.0.get_ref().as_table()?.get(key).map(Self)
    }
}

impl<'n> Reader<'n, TomlNode<'n>> for Faults {
    fn report_fault(&mut self, fault: Fault<usize>) {
        self.0.push((fault.place, fault.message));
    }
}

/// Reads a document as a policy or a lock, with its faults.
fn read<T>(text: &str, read: impl FnOnce(TomlNode<'_>, &mut Faults) -> T) -> (T, Faults) {
    let table = DeTable::parse(text).unwrap();
    let document = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
    let mut faults = Faults::default();
    let value = read(TomlNode(&document), &mut faults);
    (value, faults)
}

fn policy(text: &str) -> Policy {
    let (policy, faults) = read(text, |document, faults| Policy::read(document, faults));
    assert_eq!(faults.0, []);
    policy
}

fn spec(name: &str, category: &str) -> ToolSpec {
    serde_json::from_value(serde_json::json!({
        "name": name, "service": "shop", "title": "t", "short": "t", "description": "t",
        "section": "t", "category": category, "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": false},
        "enabled_by_default": true,
        "input_schema": {"type": "object", "properties": {"id": {}, "colour": {}}},
        "binding": "native", "origin": {"document": "t", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

fn snapshot(text: &str) -> Snapshot {
    let compiled = compiled(text);
    assert_eq!(compiled.problems, []);
    compiled.snapshot
}

/// Compiles a policy for two tools with the arguments `id` and `colour`.
fn compiled(text: &str) -> Compiled {
    let parameters = ScopeParameters::new();
    let specs = [
        spec("get-shop-item", "observe"),
        spec("list-shop-items", "observe"),
    ];
    let here = specs.each_ref().map(|spec| PolicyTool {
        spec,
        parameters: &parameters,
    });
    policy(text).compile(Tools {
        here: &here,
        ..Tools::default()
    })
}

#[test]
fn every_fault_is_reported_at_once() {
    let text = "\
[roles.Bad]
grant = [\"category:x\"]
profiles = \"a\"
[profiles.p]
tool = []
[[profiles.p.scopes]]
allowed_urls = [\"nowhere\"]
allowed_methods = [\"get\"]
pinned = { a = [] }
arguments.x = { pattern = \"(\", value = 1 }
rate = \"3\"
max_response_bytes = 0
[nodes]
review = 1
[[forbid]]
whn = {}
[tools]
enabled = []
";
    let ((), faults) = read(text, |document, faults| {
        drop(Policy::read(document, faults))
    });
    let mut lines: Vec<usize> = (faults.0.iter())
        .map(|(place, _)| text.split_at(*place).0.matches('\n').count() + 1)
        .collect();
    lines.sort_unstable();
    let expected = [1, 2, 3, 5, 7, 8, 9, 10, 10, 11, 12, 14, 16, 18];
    assert_eq!(lines, expected, "{:#?}", faults.0);
}

#[test]
fn variables_are_checked_for_a_role_and_a_node() {
    let snapshot = snapshot(
        "[roles.a]\nprofiles = [\"p\"]\n[roles.b]\ngrant = [\"*\"]\n\
         [profiles.p]\ntools = [\"*\"]\n[[profiles.p.scopes]]\n\
         arguments.id = { values = [\"{{one}}\"] }\narguments.colour = { pattern = \"{{two}}\" }\n\
         [[nodes.review.scopes]]\nallowed_urls = [\"https://{{three}}\"]",
    );
    let missing = |role: &str, node: Option<&str>, variables: &Variables| -> Vec<String> {
        let role = Role::new(role).unwrap();
        let checked = snapshot.check_variables(&role, node, variables);
        let faults = checked.err().unwrap_or_default();
        faults.into_iter().map(|fault| fault.variable).collect()
    };
    let none = Variables::new();
    assert_eq!(missing("a", None, &none), ["one", "two"]);
    assert_eq!(missing("b", None, &none), [""; 0]);
    assert_eq!(missing("b", Some("review"), &none), ["three"]);
    let both = Variables::new().with("one", "1").with("two", "2");
    assert_eq!(missing("a", None, &both), [""; 0]);
    assert_eq!(missing("a", Some("review"), &both), ["three"]);
    assert_eq!(missing("a", Some("planning"), &both), [""; 0]);
}

/// Explains a call of the role `a`, with these rates used up.
fn explained(
    snapshot: &Snapshot,
    arguments: &serde_json::Value,
    exhausted: &BTreeSet<String>,
) -> (Decision, Vec<Step>) {
    let request = Request {
        role: &Role::new("a").unwrap(),
        tool: "get-shop-item",
        node: None,
        allow_list: None,
        variables: &Variables::new(),
        exhausted,
        call: Some(Call {
            arguments: arguments.as_object().unwrap(),
            target: None,
            workspace: None,
        }),
    };
    assert_eq!(decide(snapshot, &request), explain(snapshot, &request).0);
    explain(snapshot, &request)
}

#[test]
fn a_call_must_fit_every_limit_and_each_rate() {
    let snapshot = snapshot(
        "[roles.a]\nprofiles = [\"p\"]\n[profiles.p]\ntools = [\"*\"]\n\
         [[profiles.p.scopes]]\nrate = \"2/minute\"\nmax_response_bytes = 10\n\
         [[profiles.p.scopes]]\nrate = \"1/second\"\nmax_response_bytes = 20",
    );
    let (decision, steps) = explained(&snapshot, &serde_json::json!({}), &BTreeSet::new());
    let Decision::Allow(permit) = decision else {
        panic!("the call is refused");
    };
    let rates = permit.rates.iter().map(|(_, rate)| rate.to_string());
    assert_eq!(rates.collect::<Vec<_>>(), ["2/minute", "1/second"]);
    assert_eq!(permit.max_response_bytes, Some(10));
    assert!(steps.iter().all(|step| step.passed));
    let (key, _) = permit.rates[1].clone();
    let (decision, steps) = explained(&snapshot, &serde_json::json!({}), &[key].into());
    let Decision::Deny(refusal) = decision else {
        panic!("the call passes");
    };
    assert_eq!(refusal.reason, RefusalReason::RateExceeded);
    let rates = steps.iter().filter(|step| step.rule.contains("rate"));
    let rates = rates.map(|step| (step.rule.as_str(), step.passed));
    let expected = [
        ("scope: rate 2/minute", true),
        ("scope: rate 1/second", false),
    ];
    assert_eq!(rates.collect::<Vec<_>>(), expected);
}

#[test]
fn a_snapshot_knows_the_grants_and_the_switches() {
    let snapshot = snapshot(
        "[tools]\ndisable = [\"list-*\"]\n[roles.a]\ngrant = [\"get-*\"]\n[roles.b]\ngrant = [\"*\"]",
    );
    let [get, list] =
        ["get-shop-item", "list-shop-items"].map(|name| name.parse::<ToolName>().unwrap());
    let [a, b] = ["a", "b"].map(|name| Role::new(name).unwrap());
    assert!(snapshot.is_granted(&a, &get) && !snapshot.is_granted(&a, &list));
    assert!(snapshot.is_granted(&b, &list));
    assert!(snapshot.is_enabled(&get) && !snapshot.is_enabled(&list));
    assert!(snapshot.is_disabled(&list) && !snapshot.is_disabled(&get));
}

#[test]
fn a_rate_that_cannot_be_read_has_a_message() {
    let error = "60/fortnight".parse::<Rate>().unwrap_err().to_string();
    assert!(error.contains("`60/fortnight` is not a rate"), "{error}");
}

#[test]
fn an_explanation_shows_each_forbidden_kind_of_call() {
    let snapshot = snapshot(
        "[roles.a]\ngrant = [\"*\"]\n\
         [[forbid]]\ntools = \"get-*\"\nwhen.id = { values = [1] }\nreason = \"one\"\n\
         [[forbid]]\ntools = \"get-*\"\nwhen.id = { values = [2] }\n\
         [[forbid]]\ntools = \"list-*\"\nwhen.id = { values = [3] }",
    );
    let steps = |id: u64| -> Vec<(String, bool)> {
        let arguments = serde_json::json!({"id": id});
        let steps = explained(&snapshot, &arguments, &BTreeSet::new())
            .1
            .into_iter();
        let forbids = steps.filter(|step| step.rule.starts_with("forbid"));
        forbids.map(|step| (step.rule, step.passed)).collect()
    };
    let step = |rule: &str, passed| (rule.to_owned(), passed);
    assert_eq!(steps(4), [step("forbid: one", true), step("forbid", true)]);
    assert_eq!(steps(2), [step("forbid: one", true), step("forbid", false)]);
    assert_eq!(steps(1), [step("forbid: one", false)]);
}

#[test]
fn a_lock_is_read_as_it_was_written() {
    let mut lock = PolicyLock::default();
    let tools = ["get-shop-item", "list-shop-items"].map(|name| name.parse().unwrap());
    lock.accept("roles.a", "category:observe", tools.clone());
    lock.accept("profiles.p", "section:a\"b\\c", tools);
    lock.accept("profiles.p", "*", []);
    let (again, faults) = read(&lock.to_toml(), |document, faults| {
        PolicyLock::read(document, faults)
    });
    assert_eq!(faults.0, []);
    assert_eq!(again, lock);
}

#[test]
fn a_changed_policy_is_what_each_role_gains_and_loses() {
    let old = snapshot(
        "[roles.a]\ngrant = [\"get-*\"]\n[roles.b]\ngrant = [\"*\"]\n[roles.gone]\ngrant = [\"*\"]",
    );
    let new = snapshot(
        "[roles.a]\ngrant = [\"*\"]\n[roles.b]\nprofiles = [\"p\"]\n[profiles.p]\ntools = [\"get-*\"]\n\
         [[profiles.p.scopes]]\narguments.id = { values = [1] }\n\
         [[forbid]]\ntools = \"get-*\"\nroles = [\"a\"]\nwhen.id = { values = [2] }",
    );
    assert_eq!(old.changes_to(&old), []);
    let changes = old.changes_to(&new);
    let by_role: BTreeMap<_, _> = changes
        .iter()
        .map(|change| (change.role.as_str(), change))
        .collect();
    let names = |tools: &BTreeSet<ToolName>| -> Vec<String> {
        tools.iter().map(ToString::to_string).collect()
    };
    assert_eq!(names(&by_role["a"].gains), ["list-shop-items"]);
    let limits = &by_role["a"].limits["get-shop-item"];
    assert_eq!(limits.after, ["forbidden: id = [2]".to_owned()].into());
    assert_eq!(names(&by_role["b"].loses), ["list-shop-items"]);
    let limits = &by_role["b"].limits["get-shop-item"];
    assert_eq!(limits.before, ["any call".to_owned()].into());
    assert_eq!(limits.after, ["arguments.id = [1]".to_owned()].into());
    assert_eq!(by_role["gone"].loses.len(), 2);
}

#[test]
fn the_codes_of_reasons_are_their_json_forms() {
    for reason in [
        RefusalReason::UnknownTool,
        RefusalReason::NotGranted,
        RefusalReason::Disabled,
        RefusalReason::DefinitionChanged,
        RefusalReason::NotInAllowList,
        RefusalReason::Forbidden,
        RefusalReason::ScopeViolation,
        RefusalReason::ScopeMissing,
        RefusalReason::ProtectedPath,
        RefusalReason::VariableMissing,
        RefusalReason::RateExceeded,
        RefusalReason::SandboxUnavailable,
    ] {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason.code());
    }
}
