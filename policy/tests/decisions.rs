//! Single decisions that the random policies of `reference.rs` do not make.
#![cfg(test)]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolwright_model::{Method, ProfileName, Role, ToolSpec};
use toolwright_policy::{
    Call, Decision, ParameterCheck, Policy, PolicyTool, Profile, Refusal, RefusalReason, Request,
    Scope, ScopeParameter, ScopeParameters, ScopeRule, Stated, Target, Template, Tools, Variables,
    decide,
};

/// Returns a tool that writes or reads a file.
fn tool(name: &str, reads: bool) -> ToolSpec {
    serde_json::from_value(json!({
        "name": name, "service": "repo", "title": "t", "short": "t", "description": "t",
        "section": "t", "category": if reads { "observe" } else { "execute" },
        "effect": if reads { "read" } else { "update" }, "approval_required": false,
        "hints": {"readOnlyHint": reads, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": false},
        "enabled_by_default": true,
        "input_schema": {"type": "object", "properties": {"path": {}}},
        "binding": "native", "origin": {"document": "t", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

/// Decides about a call of a tool that declares that an argument is a path, and is granted with these
/// scopes.
fn decided_in(scopes: Vec<Scope>, reads: bool, arguments: &Value, url: Option<&str>) -> Decision {
    let spec = tool("write-repo-file", reads);
    let parameter = ScopeParameter::optional(ParameterCheck::AllowedPaths, "path");
    let parameters: ScopeParameters = [("allowed_write_paths".to_owned(), parameter)].into();
    let role = Role::new("writer").unwrap();
    let all = || Stated::new("*".parse().unwrap(), "the test");
    let profile = Profile {
        tools: vec![all()],
        scopes: scopes
            .into_iter()
            .map(|scope| ScopeRule {
                tools: all(),
                scope,
            })
            .collect(),
    };
    let name = ProfileName::new("files").unwrap();
    let mut policy = Policy::default();
    let own = policy.roles.entry(role.clone()).or_default();
    own.profiles.push(Stated::new(name.clone(), "the test"));
    policy.profiles.insert(name, profile);
    let here = [PolicyTool {
        spec: &spec,
        parameters: &parameters,
    }];
    let compiled = policy.compile(Tools {
        here: &here,
        ..Tools::default()
    });
    assert_eq!(compiled.problems, []);
    let call = Call {
        arguments: arguments.as_object().unwrap(),
        target: url.map(target),
        workspace: None,
    };
    decide(
        &compiled.snapshot,
        &Request {
            role: &role,
            tool: spec.name.as_str(),
            node: None,
            allow_list: None,
            variables: &Variables::new(),
            exhausted: &BTreeSet::new(),
            call: Some(call),
        },
    )
}

/// Decides about a call of the tool without scopes.
fn decided(reads: bool, arguments: &Value) -> Decision {
    decided_in(Vec::new(), reads, arguments, None)
}

fn target(url: &str) -> Target<'_> {
    Target {
        method: Method::Get,
        url,
    }
}

#[test]
fn a_protected_path_is_refused_to_a_tool_that_writes() {
    let protected = json!({"path": "sub/.git/config"});
    let Decision::Deny(Refusal { reason, rule, .. }) = decided(false, &protected) else {
        panic!("the call passes");
    };
    assert_eq!(reason, RefusalReason::ProtectedPath);
    assert_eq!(rule.unwrap(), "arguments.path");
    assert!(matches!(decided(true, &protected), Decision::Allow(_)));
    let several = json!({"path": ["src/lib.rs", ".git/config"]});
    assert!(matches!(decided(false, &several), Decision::Deny(_)));
    let other = json!({"path": ["src/lib.rs", "src/main.rs"]});
    assert!(matches!(decided(false, &other), Decision::Allow(_)));
    let other = json!({"path": "src/lib.rs"});
    assert!(matches!(decided(false, &other), Decision::Allow(_)));
}

#[test]
fn each_path_of_a_list_must_be_allowed() {
    let scope = |patterns: &[&str]| {
        let patterns = patterns.iter().map(|pattern| Template::new(*pattern));
        let patterns = Stated::new(patterns.collect(), "the test");
        Scope {
            own: [("allowed_write_paths".to_owned(), patterns)].into(),
            ..Scope::default()
        }
    };
    for (arguments, passes) in [
        (json!({"path": "src/a"}), true),
        (json!({"path": "docs/a"}), false),
        (json!({"path": ["src/a", "src/b"]}), true),
        (json!({"path": ["src/a", "docs/a"]}), false),
        (json!({"path": []}), false),
        (json!({"path": 1}), false),
        (json!({}), false),
    ] {
        let decision = decided_in(vec![scope(&["src/**"])], false, &arguments, None);
        assert_eq!(
            matches!(decision, Decision::Allow(_)),
            passes,
            "{arguments}"
        );
    }
}

#[test]
fn a_redirect_must_fit_every_rule() {
    let scope = |url: &str| Scope {
        allowed_urls: Some(vec![Template::new(url)]),
        ..Scope::default()
    };
    let scopes = vec![
        scope("https://shop.example/"),
        scope("https://shop.example/a/"),
    ];
    let asked = |url| decided_in(scopes.clone(), true, &json!({}), Some(url));
    assert!(matches!(asked("https://shop.example/b"), Decision::Deny(_)));
    let Decision::Allow(permit) = asked("https://shop.example/a/1") else {
        panic!("the call is refused");
    };
    for (url, passes) in [
        ("https://shop.example/a/2", true),
        ("https://shop.example/b", false),
        ("https://other.example/a/2", false),
    ] {
        assert_eq!(permit.targets.allows(target(url)), passes, "{url}");
    }
}
