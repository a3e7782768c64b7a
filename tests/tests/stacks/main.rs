//! Checks that requests reach only the granted operation on servers and proxies with different
//! decoding rules.
//!
//! Each stack has the same operations and reports the one that was reached. Hostile values are
//! planned as a tool's request. The request reaches the tool's operation or is rejected, and never
//! reaches another operation. As a control, the same values do reach other operations if they are
//! only encoded.
//!
//! The Rust router always runs. `TOOLWRIGHT_REAL=1` enables the other stacks, which scripts in
//! `tests/real/stacks` install and start.
#![cfg(test)]

mod exchange;
mod router;
mod running;
mod values;

use std::collections::BTreeSet;

use exchange::{Reached, send};
use running::{Stack, stacks};
use serde_json::{Map, Value, json};
use toolwright::{
    binding::HttpBinding,
    request::{Values, plan},
};

/// The tools: the name of each operation and its path.
const TOOLS: &[(&str, &str)] = &[("item", "/items/{id}"), ("notes", "/items/{id}/notes")];

fn binding(path: &str) -> HttpBinding {
    let others = match path {
        "/items/{id}" => json!(["/items/search", "/items/{id}:cancel"]),
        _ => json!([]),
    };
    let binding = json!({
        "method": "GET", "path": path, "other_paths": others,
        "parameters": [
            {"name": "id", "location": "path", "value": {"argument": "id"}, "required": true,
             "style": "simple", "explode": false},
            {"name": "project_id", "location": "query", "value": {"constant": "project_id"},
             "required": true, "style": "form", "explode": true},
            {"name": "options", "location": "query", "value": {"argument": "options"},
             "style": "form", "explode": true},
        ],
    });
    serde_json::from_value(binding).unwrap()
}

/// Plans a request and returns its target, or `None` if it is rejected.
fn plan_target(path: &str, arguments: &Value) -> Option<String> {
    let constants = Map::from_iter([("project_id".to_owned(), json!("acme"))]);
    let values = Values {
        arguments: arguments.as_object().unwrap(),
        constants: &constants,
    };
    let planned = plan(&binding(path), "http://stack", values).ok()?;
    let target = planned.url.as_str().strip_prefix("http://stack").unwrap();
    Some(target.to_owned())
}

/// Returns true if a stack executed another operation.
fn is_elsewhere(reached: &Reached, operation: &str) -> bool {
    reached.op.as_deref().is_some_and(|op| op != operation)
}

#[test]
fn path_values_never_reach_another_operation() {
    let (stacks, _running) = stacks();
    let values = values::path_values();
    let mut planned_values = 0;
    for (operation, path) in TOOLS {
        for value in &values {
            let Some(target) = plan_target(path, &json!({"id": value})) else {
                continue;
            };
            planned_values += 1;
            for stack in &stacks {
                let reached = send(stack.port, &target, &[]);
                let Stack { name, .. } = stack;
                assert!(
                    !is_elsewhere(&reached, operation),
                    "{name}: {value:?} as {target} reaches {reached:?}"
                );
            }
        }
    }
    println!(
        "{} values, {planned_values} requests for each of {} stacks",
        values.len(),
        stacks.len()
    );
    assert!(values.len() > 500, "{}", values.len());
}

#[test]
fn ordinary_values_reach_the_tools_operation() {
    let (stacks, _running) = stacks();
    for (operation, path) in TOOLS {
        for value in values::ORDINARY {
            let target = plan_target(path, &json!({"id": value})).expect(value);
            for stack in &stacks {
                let reached = send(stack.port, &target, &[]);
                let Stack { name, .. } = stack;
                if stack.forwards_decoded && reached.op.is_none() {
                    // Such a proxy often forwards an invalid request.
                    continue;
                }
                assert_eq!(reached.op.as_deref(), Some(*operation), "{name}: {target}");
                assert_eq!(reached.project, ["acme"], "{name}: {target}");
            }
        }
    }
}

/// The control of the test above: values that are only encoded reach other operations.
#[test]
fn without_the_check_values_reach_other_operations() {
    let (stacks, _running) = stacks();
    let values = values::path_values();
    let mut misled = BTreeSet::new();
    for stack in &stacks {
        let mut count = 0;
        for value in &values {
            let target = format!("/items/{}", values::encode(value));
            let reached = send(stack.port, &target, &[]);
            count += usize::from(is_elsewhere(&reached, "item"));
        }
        println!(
            "{}: {count} of {} values reach another operation",
            stack.name,
            values.len()
        );
        if count > 0 {
            misled.insert(stack.name);
        }
    }
    let all = stacks.iter().map(|stack| stack.name);
    assert_eq!(misled, all.collect(), "each stack can be misled");
}

#[test]
fn object_keys_never_set_pinned_values() {
    let (stacks, _running) = stacks();
    let mut misled = BTreeSet::new();
    for key in values::KEYS {
        let target = plan_target(
            "/items/{id}",
            &json!({"id": "7", "options": {*key: "DELETE"}}),
        );
        let unchecked = format!("/items/7?project_id=acme&{}=DELETE", values::encode(key));
        for stack in &stacks {
            let Stack { name, .. } = stack;
            let is_right =
                |reached: &Reached| reached.project == ["acme"] && reached.method == "GET";
            if let Some(target) = &target {
                let reached = send(stack.port, target, &[]);
                assert!(is_right(&reached), "{name}: {target} is {reached:?}");
            }
            if !is_right(&send(stack.port, &unchecked, &[])) {
                misled.insert(*name);
            }
        }
    }
    let all = stacks.iter().map(|stack| stack.name);
    assert_eq!(
        misled,
        all.collect(),
        "without the check each stack is misled"
    );
}

#[test]
fn header_arguments_never_change_the_method() {
    let (stacks, _running) = stacks();
    let header = ("X-HTTP-Method-Override", "DELETE");
    let mut http = binding("/items/{id}");
    let parameter = json!({"name": header.0, "location": "header", "value": {"argument": "header"},
                           "style": "simple", "explode": false});
    http.parameters
        .push(serde_json::from_value(parameter).unwrap());
    let arguments = json!({"id": "7", "header": header.1});
    let values = Values {
        arguments: arguments.as_object().unwrap(),
        constants: &Map::from_iter([("project_id".to_owned(), json!("acme"))]),
    };
    assert!(plan(&http, "http://stack", values).is_err());
    let overriding = stacks.iter().filter(|stack| stack.overrides_methods);
    for stack in overriding {
        let reached = send(stack.port, "/items/7?project_id=acme", &[header]);
        assert_eq!(reached.method, "DELETE", "{}", stack.name);
    }
}
