//! A schema that the engine cannot compile, or that takes very much work, costs its own tool only.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright::{
    Kind, Registry, ScopedToolView, ToolError, ToolSpec,
    audit::{MemoryAudit, Reason},
    registry::RegistryProblem,
};

use crate::support::{Service, at, builder, get_item, last_reason, role, spec};

/// Schemas of one argument, and values that it takes. None of them may be refused.
fn patterns() -> Vec<(Value, Value)> {
    let bad = json!({"type": "string", "pattern": r"^[\w-\.]+$"});
    let looks_ahead = json!({"pattern": r"^(?!\s*system\$).*$"});
    vec![
        (bad.clone(), json!("a.b-c")),
        (json!({"pattern": r"\h+"}), json!("x")),
        (json!({"pattern": r"(?<a>x)\k<a>"}), json!("xx")),
        (
            json!({"pattern": "(((a{100}){100}){100}){100}"}),
            json!("b"),
        ),
        (json!({"pattern": "["}), json!("b")),
        (looks_ahead.clone(), json!("b")),
        (json!({"not": looks_ahead}), json!("b")),
        (json!({"oneOf": [bad, {"type": "string"}]}), json!("b c")),
        (json!({"if": bad, "then": {"maxLength": 1}}), json!("b c")),
        (
            json!({"contains": bad, "maxContains": 1}),
            json!(["b", "c"]),
        ),
        (
            json!({"patternProperties": {"[": {}}, "additionalProperties": false}),
            json!({"b": 1}),
        ),
        (json!({"propertyNames": bad}), json!({"b c": 1})),
        (
            json!({"allOf": [{"items": {"anyOf": [bad]}}]}),
            json!(["b c"]),
        ),
        (
            json!({"not": {"properties": {"x": bad}, "required": ["x"]}}),
            json!({"x": "b"}),
        ),
    ]
}

/// A tool that sends its one argument as a body.
fn tool(argument: Value) -> ToolSpec {
    let fields = json!({"fields": [{"name": "a", "value": {"argument": "a"}}]});
    let body = json!({"media_type": "application/json", "content": "json", "shape": fields});
    let answer = json!({"status": "200", "media_types": ["application/json"], "content": "json"});
    let binding = json!({"method": "POST", "path": "/odd", "body": body, "answers": [answer]});
    let mut tool = spec("get-depot-odd", Kind::Read, binding, json!({}));
    tool.input_schema = json!({"type": "object", "properties": {"a": argument}}).into();
    tool
}

/// A registry of the tool next to a good one, and the view of a role that may call both.
fn with_good(odd: ToolSpec, url: &str) -> (Registry, ScopedToolView, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .specs([at(odd, url), at(get_item(), url)])
        .grant("reader", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    (registry, view, audit)
}

#[tokio::test]
async fn a_pattern_that_does_not_compile_refuses_nothing() {
    let service = Service::json(200, json!({})).await;
    for (schema, value) in patterns() {
        let (registry, view, _) = with_good(tool(schema.clone()), &service.url);
        let faults = registry.schema_faults();
        assert!(
            matches!(faults.as_slice(), [RegistryProblem::Pattern { .. }]),
            "{schema}: {faults:?}"
        );
        let called = view.call_json("get-depot-odd", json!({"a": value})).await;
        assert!(called.is_ok(), "{schema}: {called:?}");
        assert!(
            view.call_json("get-depot-item", json!({"id": "1"}))
                .await
                .is_ok()
        );
    }
}

#[tokio::test]
async fn a_schema_that_does_not_compile_costs_its_own_tool_only() {
    let mut deep = json!({});
    for _ in 0..500 {
        deep = json!({"not": deep});
    }
    let service = Service::json(200, json!({})).await;
    for schema in [
        json!({"type": 7}),
        json!({"$ref": "#/$defs/none"}),
        json!({"$ref": "http://127.0.0.1:1/x.json"}),
        json!({"required": "all"}),
        json!({"multipleOf": 0}),
        json!({"dependentRequired": {"a": 1}}),
        deep,
    ] {
        let sent = service.seen().len();
        let (registry, view, audit) = with_good(tool(schema), &service.url);
        let faults = registry.schema_faults();
        assert!(
            matches!(faults.as_slice(), [RegistryProblem::Schema { .. }]),
            "{faults:?}"
        );
        let error = view
            .call_json("get-depot-odd", json!({}))
            .await
            .unwrap_err();
        assert!(matches!(error, ToolError::Undecided { .. }), "{error:?}");
        assert_eq!(last_reason(&audit), Reason::Undecided);
        assert_eq!(service.seen().len(), sent);
        assert!(
            view.call_json("get-depot-item", json!({"id": "1"}))
                .await
                .is_ok()
        );
    }
}

/// A schema whose definitions lead to the next of them more than once, and a value.
fn nested(levels: usize, level: impl Fn(&Value) -> Value) -> Value {
    let reference = |level: usize| json!({"$ref": format!("#/$defs/L{level}")});
    let mut definitions: Map<String, Value> = (0..levels)
        .map(|at| (format!("L{at}"), level(&reference(at + 1))))
        .collect();
    definitions.insert(
        format!("L{levels}"),
        json!({"type": "object", "required": ["id"]}),
    );
    json!({"type": "object", "properties": {"a": reference(0)}, "$defs": definitions})
}

#[tokio::test]
async fn arguments_that_take_too_much_work_to_check_are_refused() {
    let service = Service::json(200, json!({})).await;
    let levels: [fn(&Value) -> Value; 6] = [
        |next| json!({"oneOf": [{"allOf": [next, {}]}, next]}),
        |next| json!({"anyOf": [next, {"allOf": [next]}, {"not": {}}]}),
        |next| json!({"allOf": [next, {"allOf": [next]}]}),
        |next| json!({"not": {"anyOf": [{"not": next}, {"not": {"allOf": [next]}}]}}),
        |next| json!({"if": next, "then": {"allOf": [next]}, "else": {"anyOf": [next]}}),
        |next| json!({"oneOf": [{"properties": {"n": next}}, {"properties": {"n": {"allOf": [next]}}}]}),
    ];
    for level in levels {
        let mut odd = tool(json!({}));
        odd.input_schema = nested(60, level).into();
        let (registry, view, audit) = with_good(odd, &service.url);
        assert_eq!(registry.schema_faults(), []);
        let mut deep = json!({});
        for _ in 0..60 {
            deep = json!({"n": deep});
        }
        for value in [json!(5), json!({}), json!({"id": 1}), deep] {
            // It is decided either way, and soon.
            if view
                .call_json("get-depot-odd", json!({"a": value}))
                .await
                .is_err()
            {
                assert_eq!(last_reason(&audit), Reason::InvalidArguments);
            }
        }
    }
}

#[tokio::test]
async fn circular_references_terminate() {
    let service = Service::json(200, json!({})).await;
    let mut chain = tool(json!({}));
    // A reference that decides alone takes no stack.
    let level = |next: &Value| json!({"not": {"anyOf": [{"not": next}, {"const": 5}]}});
    chain.input_schema = nested(12_000, level).into();
    let mut circle = tool(json!({}));
    circle.input_schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": {"type": "object", "properties": {"n": {"$ref": "#/$defs/tree"}}, "required": ["id"]}},
    }).into();
    let mut deep = json!({"id": 1});
    for _ in 0..100 {
        deep = json!({"id": 1, "n": deep});
    }
    let (_, view, _) = with_good(circle, &service.url);
    let called = view.call_json("get-depot-odd", json!({"a": deep})).await;
    assert!(called.is_ok(), "{called:?}");
    // A worker of a runtime has 2 MiB of stack.
    let called = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let (_, view, _) = with_good(chain, &service.url);
            view.call_json("get-depot-odd", json!({"a": {"id": 1}}))
                .await
        })
    });
    let error = called.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("takes too much work"), "{error}");
}

#[tokio::test]
async fn a_list_of_very_many_values_compiles() {
    let service = Service::json(200, json!({})).await;
    let values: Vec<String> = (0..100_000).map(|number| format!("v{number}")).collect();
    let (_, view, _) = with_good(tool(json!({"enum": values})), &service.url);
    assert!(
        view.call_json("get-depot-odd", json!({"a": "v99999"}))
            .await
            .is_ok()
    );
    assert!(
        view.call_json("get-depot-odd", json!({"a": "w"}))
            .await
            .is_err()
    );
}
