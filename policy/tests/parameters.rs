//! The scope parameters that tools declare: which calls fit them, and the faults of rules that set
//! them.
#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolwright_model::{ProfileName, Role, ToolName, ToolSpec};
use toolwright_policy::{
    ArgumentRule, Call, Compiled, Decision, Forbid, ParameterCheck, Permit, Policy, PolicyProblem,
    PolicyTool, Profile, RefusalReason, Request, Scope, ScopeParameter, ScopeParameters, ScopeRule,
    Stated, Template, Tools, Variables, decide, stand_in,
};

const ROLE: &str = "writer";

fn tool(name: &str) -> ToolSpec {
    serde_json::from_value(json!({
        "name": name, "service": "repo", "title": "t", "short": "t", "description": "t",
        "section": "t", "category": "observe", "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": false},
        "enabled_by_default": true,
        "input_schema": {"type": "object", "properties": {"path": {}}},
        "binding": "native", "origin": {"document": "t", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

fn stated<T>(value: T) -> Stated<T> {
    Stated::new(value, "the test")
}

/// A rule that sets a parameter for the tools of a selector.
fn rule(selector: &str, parameter: &str, values: &[&str]) -> ScopeRule {
    let values = values.iter().map(|value| Template::new(*value)).collect();
    ScopeRule {
        tools: stated(selector.parse().unwrap()),
        scope: Scope {
            own: [(parameter.to_owned(), stated(values))].into(),
            ..Scope::default()
        },
    }
}

/// A policy that grants tools to the role with rules.
fn policy(tools: &[&str], scopes: Vec<ScopeRule>) -> Policy {
    let name = ProfileName::new("files").unwrap();
    let mut policy = Policy::default();
    let own = policy.roles.entry(Role::new(ROLE).unwrap()).or_default();
    own.profiles.push(stated(name.clone()));
    let tools = tools.iter().map(|tool| stated(tool.parse().unwrap()));
    let tools = tools.collect();
    policy.profiles.insert(name, Profile { tools, scopes });
    policy
}

fn compile(policy: &Policy, tools: &[(ToolSpec, ScopeParameters)]) -> Compiled {
    let here: Vec<_> = tools
        .iter()
        .map(|(spec, parameters)| PolicyTool { spec, parameters })
        .collect();
    policy.compile(Tools {
        here: &here,
        ..Tools::default()
    })
}

fn asked(compiled: &Compiled, tool: &str, arguments: &Value) -> Option<Permit> {
    let call = Call {
        arguments: arguments.as_object().unwrap(),
        target: None,
        workspace: None,
    };
    let request = Request {
        role: &Role::new(ROLE).unwrap(),
        tool,
        node: None,
        allow_list: None,
        variables: &Variables::new(),
        exhausted: &BTreeSet::new(),
        call: Some(call),
    };
    match decide(&compiled.snapshot, &request) {
        Decision::Allow(permit) => Some(permit),
        Decision::Deny(_) => None,
    }
}

fn parameters(name: &str, parameter: ScopeParameter) -> ScopeParameters {
    [(name.to_owned(), parameter)].into()
}

#[test]
fn a_call_fits_the_parameter_of_its_tool() {
    use ParameterCheck::{AllowedPaths, DeniedPaths, Pattern};
    for (check, value, text, passes) in [
        (AllowedPaths, "src/**", "src/a", true),
        (AllowedPaths, "src/**", "docs/a", false),
        (AllowedPaths, "src/**", "src/../a", false),
        (DeniedPaths, "src/keys/**", "src/a", true),
        (DeniedPaths, "src/keys/**", "src/keys/a", false),
        (DeniedPaths, "src/keys/**", "SRC/Keys/a", false),
        (DeniedPaths, "src/keys/**", "src/x/../keys/a", false),
        (DeniedPaths, "src/keys/**", "src/./a", false),
        (Pattern, "swi-.*", "swi-1", true),
        (Pattern, "swi-.*", "main", false),
        (Pattern, "swi-.*", "swi-1\nmain", false),
    ] {
        let tools = [(
            tool("get-repo-file"),
            parameters("own", ScopeParameter::optional(check, "path")),
        )];
        let policy = policy(&["*"], vec![rule("*", "own", &[value])]);
        let compiled = compile(&policy, &tools);
        assert_eq!(compiled.problems, []);
        let permit = asked(&compiled, "get-repo-file", &json!({"path": text}));
        assert_eq!(permit.is_some(), passes, "{check:?} {value} {text}");
    }
}

#[test]
fn a_tool_checks_what_a_call_leads_to_by_the_same_values() {
    let allowed = ScopeParameter::optional(ParameterCheck::AllowedPaths, "path");
    let tools = [(tool("get-repo-file"), parameters("own", allowed))];
    let scopes = vec![rule("*", "own", &["src/**"]), rule("*", "own", &["src/a*"])];
    let compiled = compile(&policy(&["*"], scopes), &tools);
    let permit = asked(&compiled, "get-repo-file", &json!({"path": "src/a"})).unwrap();
    let texts: Vec<_> = permit.values.texts("own").collect();
    assert_eq!(texts, [["src/**"], ["src/a*"]]);
    assert!(permit.values.allows("own", "src/ab"));
    assert!(!permit.values.allows("own", "src/b"));
    // A parameter that the tool does not declare allows nothing.
    assert!(!permit.values.allows("other", "src/ab"));
    let refusal = permit.values.check("own", "src/b").unwrap_err();
    assert_eq!(refusal.to_string(), "it does not fit `own` (the test)");
    assert!(permit.values.leads_to("own", "src") && !permit.values.leads_to("own", "lib"));
    let none = compile(&policy(&["*"], Vec::new()), &tools);
    let unlimited = asked(&none, "get-repo-file", &json!({"path": "src/a"})).unwrap();
    assert_eq!(unlimited.values.texts("own").count(), 0);
    assert_ne!(permit.values, unlimited.values);
}

#[test]
fn a_tool_that_finds_paths_checks_them_itself() {
    let found = ScopeParameter::found(ParameterCheck::AllowedPaths, true);
    let mut writer = tool("write-repo-file");
    writer.hints.read_only = false;
    let tools = [
        (tool("find-repo-file"), parameters("own", found.clone())),
        (writer, parameters("own", found)),
    ];
    let compiled = compile(&policy(&["*"], vec![rule("*", "own", &["**"])]), &tools);
    let arguments = json!({"path": "../x"});
    let permit = asked(&compiled, "find-repo-file", &arguments).unwrap();
    assert!(permit.values.allows("own", "src/a") && permit.values.allows("own", ".git/config"));
    for outside in ["..", "../x", "/etc/passwd", "a//b", "a\\b", ""] {
        assert!(!permit.values.allows("own", outside), "{outside}");
    }
    let permit = asked(&compiled, "write-repo-file", &arguments).unwrap();
    let refusal = permit.values.check("own", "a/.git/config").unwrap_err();
    assert_eq!(refusal.reason, RefusalReason::ProtectedPath);
    // Without the second layer, a tool has no values and allows nothing.
    assert!(!Permit::default().values.allows("own", "src/a"));
}

#[test]
fn a_tool_that_requests_a_url_must_have_urls() {
    let parameter = ScopeParameter::required(ParameterCheck::Url, "path");
    let tools = [(tool("get-repo-file"), parameters("allowed_urls", parameter))];
    let arguments = json!({"path": "https://h/a"});
    let without = compile(&policy(&["*"], Vec::new()), &tools);
    assert!(asked(&without, "get-repo-file", &arguments).is_none());
    let mut urls = rule("*", "own", &[]);
    urls.scope.own.clear();
    urls.scope.allowed_urls = Some(vec![Template::new("https://h/")]);
    let with = compile(&policy(&["*"], vec![urls]), &tools);
    assert_eq!(with.problems, []);
    // The test states no target, as a tool without a request.
    assert!(asked(&with, "get-repo-file", &arguments).is_none());
}

#[test]
fn a_required_parameter_must_be_set() {
    let required = ScopeParameter::required(ParameterCheck::AllowedPaths, "path");
    let optional = ScopeParameter::optional(ParameterCheck::AllowedPaths, "path");
    let both = [("own", required), ("other", optional)];
    let both = both.map(|(name, parameter)| (name.to_owned(), parameter));
    let tools = [(tool("get-repo-file"), both.into())];
    let arguments = json!({"path": "src/a"});
    for scopes in [Vec::new(), vec![rule("*", "other", &["src/**"])]] {
        let without = compile(&policy(&["*"], scopes), &tools);
        assert!(asked(&without, "get-repo-file", &arguments).is_none());
    }
    let with = compile(&policy(&["*"], vec![rule("*", "own", &["src/**"])]), &tools);
    assert!(asked(&with, "get-repo-file", &arguments).is_some());
}

#[test]
fn tools_with_the_same_arguments_keep_their_own_parameters() {
    let of = |check| parameters("own", ScopeParameter::optional(check, "path"));
    let tools = [
        (tool("get-repo-file"), of(ParameterCheck::AllowedPaths)),
        (tool("list-repo-files"), of(ParameterCheck::DeniedPaths)),
        (tool("read-repo-file"), of(ParameterCheck::AllowedPaths)),
    ];
    let compiled = compile(&policy(&["*"], vec![rule("*", "own", &["src/**"])]), &tools);
    for (tool, passes) in [
        ("get-repo-file", true),
        ("list-repo-files", false),
        ("read-repo-file", true),
    ] {
        let permit = asked(&compiled, tool, &json!({"path": "src/a"}));
        assert_eq!(permit.is_some(), passes, "{tool}");
    }
}

#[test]
fn rules_are_checked_against_the_tools_that_they_are_for() {
    let allowed = || ScopeParameter::optional(ParameterCheck::AllowedPaths, "path");
    let tools = [(tool("get-repo-file"), parameters("own", allowed()))];
    let problems = |scopes| compile(&policy(&["*"], scopes), &tools).problems;
    assert!(matches!(
        problems(vec![rule("*", "owm", &["src/**"])]).as_slice(),
        [PolicyProblem::UnknownParameter { parameter, similar, .. }]
            if parameter == "owm" && similar.as_deref() == Some("own")
    ));
    let argument = |name: &str| ScopeRule {
        tools: stated("*".parse().unwrap()),
        scope: Scope {
            arguments: [(name.to_owned(), ArgumentRule::default())].into(),
            ..Scope::default()
        },
    };
    assert_eq!(problems(vec![argument("path")]), []);
    assert!(matches!(
        problems(vec![argument("paht")]).as_slice(),
        [PolicyProblem::NoSuchArgument { argument, .. }] if argument == "paht"
    ));
    let word = ScopeParameter::optional(ParameterCheck::Pattern, "path");
    let words = [(tool("get-repo-file"), parameters("own", word))];
    let invalid = compile(&policy(&["*"], vec![rule("*", "own", &["("])]), &words);
    assert!(matches!(
        invalid.problems.as_slice(),
        [PolicyProblem::ParameterValue { parameter, .. }] if parameter == "own"
    ));
    // A rule for tools that the profile does not have is a fault once, wherever it is.
    let nothing = problems(vec![rule("delete-*", "own", &["src/**"])]);
    assert!(
        matches!(nothing.as_slice(), [PolicyProblem::SelectsNothing { .. }]),
        "{nothing:?}"
    );
}

#[test]
fn a_forbid_is_for_declared_roles() {
    let tools = [(tool("get-repo-file"), BTreeMap::new())];
    let mut policy = policy(&["*"], Vec::new());
    for role in [ROLE, "writre"] {
        policy.forbids.push(Forbid {
            tools: stated("*".parse().unwrap()),
            roles: vec![stated(Role::new(role).unwrap())],
            when: BTreeMap::new(),
            reason: None,
        });
    }
    assert!(matches!(
        compile(&policy, &tools).problems.as_slice(),
        [PolicyProblem::UnknownRole { role, similar, .. }]
            if role.as_str() == "writre" && similar.as_deref() == Some(ROLE)
    ));
}

#[test]
fn a_tool_that_needs_a_person_says_so() {
    let mut waits = tool("get-repo-file");
    waits.approval_required = true;
    let tools = [
        (waits, BTreeMap::new()),
        (tool("list-repo-files"), BTreeMap::new()),
    ];
    let compiled = compile(&policy(&["*"], Vec::new()), &tools);
    for (tool, needs_approval) in [("get-repo-file", true), ("list-repo-files", false)] {
        let permit = asked(&compiled, tool, &json!({})).unwrap();
        assert_eq!(permit.needs_approval, needs_approval);
    }
    assert!(asked(&compiled, "read-repo-file", &json!({})).is_none());
}

#[test]
fn the_offered_tools_are_granted_on_and_not_withheld() {
    let tools = [
        "get-repo-file",
        "list-repo-files",
        "read-repo-file",
        "find-repo-file",
    ]
    .map(|name| (tool(name), BTreeMap::new()));
    let mut policy = policy(&["get-*", "list-*", "read-*"], Vec::new());
    policy.forbids.push(Forbid {
        tools: stated("list-*".parse().unwrap()),
        roles: Vec::new(),
        when: BTreeMap::new(),
        reason: None,
    });
    policy.disable.push(stated("read-*".parse().unwrap()));
    let snapshot = compile(&policy, &tools).snapshot;
    for (name, is_on) in [
        ("get-repo-file", true),
        ("read-repo-file", false),
        ("nope-x", false),
    ] {
        let name: ToolName = name.parse().unwrap();
        assert_eq!(snapshot.is_configured_on(&name), is_on, "{name}");
        assert_eq!(snapshot.is_enabled(&name), is_on, "{name}");
        let is_disabled = name.as_str() == "read-repo-file";
        assert_eq!(snapshot.is_disabled(&name), is_disabled, "{name}");
    }
    let names = |tools: BTreeSet<&ToolName>| -> Vec<String> {
        tools.into_iter().map(ToString::to_string).collect()
    };
    let role = Role::new(ROLE).unwrap();
    assert_eq!(names(snapshot.offered(&role)), ["get-repo-file"]);
    let callable = names(snapshot.callable());
    assert_eq!(callable, ["get-repo-file", "list-repo-files"]);
    assert_eq!(
        names(snapshot.offered(&Role::new("other").unwrap())),
        [""; 0]
    );
}

#[test]
fn a_stand_in_depends_on_the_name_alone_and_is_one_of_the_tools() {
    for (name, places) in [
        ("get-shop-item", [0, 2, 8120]),
        ("nope", [0, 1, 3646]),
        ("create-depot-item", [0, 1, 4550]),
    ] {
        for (tools, place) in [1, 3, 10_000].into_iter().zip(places) {
            assert_eq!(stand_in(name, tools), Some(place), "{name} {tools}");
        }
        assert_eq!(stand_in(name, 0), None);
    }
}
