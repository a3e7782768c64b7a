//! Requests land where the grant says, at servers and proxies that decode in different ways.
//!
//! Each stack has the same operations, and answers which of them was reached. Hostile values are
//! planned as a tool's request; what is planned reaches that tool's operation, or is refused by the
//! stack, and never reaches another one. The same values, encoded once and sent without the check,
//! do reach others: that is the control.
//!
//! The Rust router always runs. `TOOLWRIGHT_REAL=1` asks for the others, which scripts in
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
    HttpBinding,
    request::{Values, plan},
};

/// A tool: its operation as the stacks call it, and its path.
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

/// The target of the planned request; none when it is refused.
fn planned(path: &str, arguments: &Value) -> Option<String> {
    let constants = Map::from_iter([("project_id".to_owned(), json!("acme"))]);
    let values = Values {
        arguments: arguments.as_object().unwrap(),
        constants: &constants,
    };
    let planned = plan(&binding(path), "http://stack", values).ok()?;
    let target = planned.url.strip_prefix("http://stack").unwrap();
    Some(target.to_owned())
}

/// Whether a stack has carried out another operation than that of the tool.
fn is_elsewhere(reached: &Reached, operation: &str) -> bool {
    reached.op.as_deref().is_some_and(|op| op != operation)
}

#[test]
fn no_value_of_a_path_reaches_another_operation() {
    let (stacks, _running) = stacks();
    let values = values::of_paths();
    let mut planned_values = 0;
    for (operation, path) in TOOLS {
        for value in &values {
            let Some(target) = planned(path, &json!({"id": value})) else {
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
fn ordinary_values_reach_the_operation_of_the_tool() {
    let (stacks, _running) = stacks();
    for (operation, path) in TOOLS {
        for value in values::ORDINARY {
            let target = planned(path, &json!({"id": value})).expect(value);
            for stack in &stacks {
                let reached = send(stack.port, &target, &[]);
                let Stack { name, .. } = stack;
                if stack.forwards_decoded && reached.op.is_none() {
                    // What such a proxy forwards is often no request any more.
                    continue;
                }
                assert_eq!(reached.op.as_deref(), Some(*operation), "{name}: {target}");
                assert_eq!(reached.project, ["acme"], "{name}: {target}");
            }
        }
    }
}

/// Without the check, values that are only encoded lead elsewhere: so the test above can fail.
#[test]
fn without_the_check_values_reach_other_operations() {
    let (stacks, _running) = stacks();
    let values = values::of_paths();
    let mut misled = BTreeSet::new();
    for stack in &stacks {
        let mut count = 0;
        for value in &values {
            let target = format!("/items/{}", values::encoded(value));
            let reached = send(stack.port, &target, &[]);
            count += usize::from(is_elsewhere(&reached, "item"));
        }
        println!(
            "{}: {count} of {} values lead elsewhere",
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
fn no_key_of_an_object_sets_what_is_pinned() {
    let (stacks, _running) = stacks();
    let mut misled = BTreeSet::new();
    for key in values::KEYS {
        let target = planned(
            "/items/{id}",
            &json!({"id": "7", "options": {*key: "DELETE"}}),
        );
        let unchecked = format!("/items/7?project_id=acme&{}=DELETE", values::encoded(key));
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
fn no_header_of_an_argument_changes_the_method() {
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
