//! Discovery at the boundary: what an agent sees, and that a call through a tool of discovery is the
//! direct call.

#![cfg(test)]

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use toolwright::{
    Category, Kind, Registry, RegistryBuilder, Role, ScopedToolView, Tool, ToolError, ToolSpec,
    audit::{AuditEvent, MemoryAudit, ToolKind},
    binding::Governance,
    config::Config,
};
use toolwright_discovery::Finder;

/// A tool that returns its arguments.
fn tool(name: &str, short: &str, kind: Kind) -> Tool {
    let governance = Governance::from_kind(kind, false);
    let spec: ToolSpec = serde_json::from_value(json!({
        "name": name, "service": name.split('-').nth(1).unwrap(), "title": short, "short": short,
        "description": short, "section": "Items",
        "category": governance.category(), "effect": governance.effect(),
        "approval_required": governance.approval_required, "hints": governance.hints,
        "enabled_by_default": true,
        "input_schema": {
            "type": "object", "properties": {"shelf": {"type": "string"}, "colour": {"type": "string"}},
            "required": ["shelf"], "additionalProperties": false,
        },
        "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
    }))
    .unwrap();
    Tool::native(spec, |_, arguments| async move {
        if arguments["shelf"] == "broken" {
            return Err(ToolError::failed("the shelf is broken"));
        }
        Ok(arguments)
    })
}

/// The tools of the depot: `bins` that are all alike, and four others.
fn depot(bins: usize) -> Vec<Tool> {
    let mut tools: Vec<Tool> = (0..bins)
        .map(|n| tool(&format!("count-depot-bin{n}"), "Count a bin.", Kind::Read))
        .collect();
    tools.push(tool(
        "list-depot-items",
        "List the items of a shelf.",
        Kind::Read,
    ));
    tools.push(tool(
        "simulate-depot-demand",
        "Simulate the demand.",
        Kind::Derive,
    ));
    tools.push(tool(
        "rename-depot-shelf",
        "Rename a shelf.",
        Kind::Transition,
    ));
    tools.push(tool("delete-depot-shelf", "Delete a shelf.", Kind::Delete));
    tools
}

struct Desk {
    registry: Registry,
    audit: Arc<MemoryAudit>,
}

impl Desk {
    fn new(tools: Vec<Tool>, policy: &str) -> Self {
        Self::of(Registry::builder().tools(tools), policy)
    }

    fn of(builder: RegistryBuilder, policy: &str) -> Self {
        let audit = Arc::new(MemoryAudit::new());
        let config = Config::parse("/nowhere/toolwright.toml".as_ref(), policy).unwrap();
        let builder = builder.config(config).audit(Arc::clone(&audit));
        let registry = builder.discovery(Finder::new()).build().unwrap();
        Self { registry, audit }
    }

    fn view(&self, role: &str) -> ScopedToolView {
        self.registry.for_agent(&Role::new(role).unwrap())
    }

    /// Returns the events of a call, without what differs between two equal calls.
    async fn events_of(
        &self,
        name: &str,
        arguments: Value,
    ) -> (Result<Value, ToolError>, Vec<AuditEvent>) {
        let before = self.audit.events().len();
        let result = self.view("clerk").call_json(name, arguments).await;
        let mut events = self.audit.events().split_off(before);
        for event in &mut events {
            event.time = jiff_epoch();
            if let Some(call) = &mut event.call {
                call.correlation_id = uuid_nil();
            }
            forget_duration(event);
        }
        (result.map(|output| output.value), events)
    }
}

fn jiff_epoch() -> toolwright::jiff::Timestamp {
    toolwright::jiff::Timestamp::UNIX_EPOCH
}

fn uuid_nil() -> uuid::Uuid {
    uuid::Uuid::nil()
}

fn forget_duration(event: &mut AuditEvent) {
    use toolwright::audit::What;
    match &mut event.what {
        What::Decision(decision) => decision.duration_ms = None,
        What::Outcome(outcome) => outcome.duration_ms = 0,
        _ => {}
    }
}

const CLERK: &str = "[roles.clerk]\ngrant = [\"*\"]\n";

fn names(view: &ScopedToolView) -> Vec<String> {
    view.shown()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect()
}

#[test]
fn d1_fifteen_tools_are_an_index_and_fourteen_a_list() {
    let many = Desk::new(depot(11), CLERK);
    let expected = [
        "search-toolwright-tools",
        "describe-toolwright-tool",
        "call-toolwright-observe-tool",
        "call-toolwright-report-tool",
        "call-toolwright-execute-tool",
    ];
    assert_eq!(names(&many.view("clerk")), expected);
    let few = Desk::new(depot(10), CLERK);
    let shown = names(&few.view("clerk"));
    assert_eq!(shown.len(), 14);
    assert!(shown.iter().all(|name| !name.contains("toolwright")));
}

#[test]
fn the_operator_sets_the_number_of_tools() {
    let three = format!("{CLERK}[discovery]\nthreshold = 3\n");
    assert!(names(&Desk::new(depot(0), &three).view("clerk"))[0].starts_with("search-"));
    let never = format!("{CLERK}[discovery]\nthreshold = 0\n");
    assert_eq!(names(&Desk::new(depot(30), &never).view("clerk")).len(), 34);
}

#[test]
fn a_view_counts_its_own_tools() {
    let desk = Desk::new(depot(11), CLERK);
    let narrowed = desk.view("clerk").narrowed_to(["list-depot-items"]);
    assert_eq!(names(&narrowed), ["list-depot-items"]);
    assert!(names(&desk.view("stranger")).is_empty());
}

#[test]
fn hints_of_a_call_tool_are_those_of_its_most_dangerous_tool() {
    let desk = Desk::new(depot(20), CLERK);
    for spec in desk.view("clerk").shown() {
        let reads = spec.category != Category::Execute;
        assert_eq!(spec.hints.read_only, reads, "{}", spec.name);
        assert_eq!(spec.hints.destructive, !reads, "{}", spec.name);
    }
    let index = desk.view("clerk").spec("search-toolwright-tools").unwrap();
    assert!(index.when_to_use.as_ref().unwrap().contains("24 tools"));
}

#[tokio::test]
async fn d3_a_call_through_discovery_is_the_direct_call() {
    let policy = format!(
        "{CLERK}profiles = [\"shelves\"]\n[profiles.shelves]\ntools = [\"rename-depot-shelf\"]\n\
         [[forbid]]\ntools = \"rename-depot-shelf\"\nwhen.shelf = {{ values = [\"A\"] }}\n"
    );
    let desk = Desk::new(depot(20), &policy);
    for (tool, through, arguments) in [
        ("list-depot-items", "observe", json!({"shelf": "A"})),
        ("list-depot-items", "observe", json!({"shelf": 7})),
        ("list-depot-items", "observe", json!({"shelf": "broken"})),
        ("list-depot-items", "observe", Value::Null),
        ("simulate-depot-demand", "report", json!({"shelf": "A"})),
        ("rename-depot-shelf", "execute", json!({"shelf": "A"})),
        ("rename-depot-shelf", "execute", json!({"shelf": "B"})),
        ("get-depot-nothing", "observe", json!({"shelf": "A"})),
        ("get-depot-nothing", "execute", json!({})),
        ("search-toolwright-tools ", "observe", json!({})),
    ] {
        let direct = desk.events_of(tool, arguments.clone()).await;
        let name = format!("call-toolwright-{through}-tool");
        let mut through = json!({ "tool": tool });
        if !arguments.is_null() {
            through["arguments"] = arguments;
        }
        let (result, mut events) = desk.events_of(&name, through).await;
        assert!(!events.is_empty());
        for event in &mut events {
            let call = event.call.as_mut().unwrap();
            assert_eq!(call.kind, Some(ToolKind::Discovery), "{tool}");
            assert_eq!(call.via.take(), Some(name.as_str()), "{tool}");
        }
        for (event, of_direct) in events.iter_mut().zip(&direct.1) {
            event.call.as_mut().unwrap().kind = of_direct.call.as_ref().unwrap().kind;
        }
        assert_eq!((result, events), direct, "{tool}");
    }
}

#[tokio::test]
async fn an_approval_of_a_call_is_one_of_the_call_through_discovery() {
    let desk = Desk::new(depot(20), CLERK);
    let view = desk.view("clerk");
    let arguments = json!({"shelf": "A"});
    let direct = view
        .call_json("delete-depot-shelf", arguments.clone())
        .await;
    let through = json!({"tool": "delete-depot-shelf", "arguments": arguments});
    let through = view
        .call_json("call-toolwright-execute-tool", through)
        .await;
    let id = |result: Result<_, ToolError>| match result.map(|_: toolwright::ToolOutput| ()) {
        Err(ToolError::ApprovalRequired { id, .. }) => id,
        other => panic!("{other:?}"),
    };
    assert_eq!(id(direct), id(through));
}

#[tokio::test]
async fn a_call_tool_refuses_tools_of_another_category_like_unknown_ones() {
    let desk = Desk::new(depot(20), CLERK);
    let through = |name: &str| json!({"tool": name, "arguments": {"shelf": "A"}});
    for (call, name) in [
        ("call-toolwright-observe-tool", "rename-depot-shelf"),
        ("call-toolwright-report-tool", "rename-depot-shelf"),
        ("call-toolwright-execute-tool", "list-depot-items"),
    ] {
        let (result, events) = desk.events_of(call, through(name)).await;
        let error = result.unwrap_err();
        let unknown = name.replace("depot", "other");
        let (other, _) = desk.events_of(call, through(&unknown)).await;
        let same = |error: ToolError| error.to_json().to_string().replace("other", "depot");
        assert_eq!(same(error), same(other.unwrap_err()));
        let event = serde_json::to_value(&events[0]).unwrap();
        assert_eq!(event["reason"], "other_category");
        assert_eq!(events.len(), 1, "nothing was carried out");
    }
    let view = desk.view("clerk");
    let none = view.call_json("call-toolwright-approve-tool", through("list-depot-items"));
    assert_eq!(none.await.unwrap_err().code(), "tool_not_permitted");
}

#[tokio::test]
async fn a_call_tool_calls_no_tool_of_discovery() {
    let desk = Desk::new(depot(20), CLERK);
    for name in ["search-toolwright-tools", "call-toolwright-observe-tool"] {
        let nested = json!({"tool": name, "arguments": {"query": "x", "tool": "list-depot-items"}});
        let (result, _) = desk.events_of("call-toolwright-observe-tool", nested).await;
        assert_eq!(result.unwrap_err().code(), "tool_not_permitted");
    }
}

#[tokio::test]
async fn search_and_description_are_audited_as_discovery() {
    let desk = Desk::new(depot(20), CLERK);
    let search = json!({"query": "delete a shelf", "limit": 2});
    let (found, events) = desk.events_of("search-toolwright-tools", search).await;
    let found = found.unwrap();
    assert_eq!(found["tools"][0]["name"], "delete-depot-shelf", "{found}");
    assert_eq!(
        found["tools"][0]["call_with"],
        "call-toolwright-execute-tool"
    );
    assert_eq!(found["tools"][0]["required"], json!(["shelf"]));
    assert_eq!(found["tools"][0]["approval_required"], true);
    assert_eq!(found["tools"].as_array().unwrap().len(), 2);
    assert_eq!(events.len(), 2);
    for event in events {
        let call = event.call.unwrap();
        assert_eq!(call.kind, Some(ToolKind::Discovery));
        assert_eq!(call.tool, "search-toolwright-tools");
        assert_eq!(call.arguments.unwrap().names, ["query", "limit"]);
    }
    let asked = json!({"tool": "delete-depot-shelf"});
    let (described, events) = desk.events_of("describe-toolwright-tool", asked).await;
    let described = described.unwrap();
    let properties = &described["tool"]["inputSchema"]["properties"];
    assert_eq!(properties["shelf"]["type"], "string", "{described}");
    assert_eq!(described["call_with"], "call-toolwright-execute-tool");
    assert_eq!(events.len(), 2);
}

/// A tool that the role may not have is answered like one that does not exist, byte for byte.
#[tokio::test]
async fn d4_a_search_without_a_match_and_one_for_others_have_the_same_answer() {
    let secret = || {
        tool(
            "read-vault-password",
            "Read a password of the vault.",
            Kind::Read,
        )
    };
    let policy = "[roles.clerk]\ngrant = [\"service:depot\"]\n[tools]\ndisable = [\"purge-*\"]\n";
    let purge = || {
        tool(
            "purge-depot-archive",
            "Purge the archive for ever.",
            Kind::Delete,
        )
    };
    let with = Desk::new([depot(20), vec![secret(), purge()]].concat(), policy);
    let without = Desk::of(
        Registry::builder().tools(depot(20)).partial(),
        &policy.replace("disable = [\"purge-*\"]", ""),
    );
    for query in [
        "password vault",
        "purge archive forever",
        "xyzzy",
        "count the bins",
        "a",
        "delete shelf archive",
    ] {
        let mut answers = BTreeSet::new();
        for desk in [&with, &without] {
            let search = json!({"query": query, "limit": 25});
            let found = desk
                .view("clerk")
                .call_json("search-toolwright-tools", search)
                .await;
            answers.insert(found.unwrap().value.to_string());
        }
        assert_eq!(answers.len(), 1, "{query}: {answers:?}");
        if query.contains("password") || query == "xyzzy" || query == "a" {
            assert_eq!(answers.first().unwrap(), r#"{"tools":[]}"#, "{query}");
        }
    }
    let mut reasons = BTreeSet::new();
    for name in [
        "read-vault-password",
        "purge-depot-archive",
        "read-vault-nothing",
    ] {
        for (call, arguments) in [
            ("describe-toolwright-tool", json!({"tool": name})),
            ("call-toolwright-observe-tool", json!({"tool": name})),
            (
                "call-toolwright-execute-tool",
                json!({"tool": name, "arguments": {}}),
            ),
        ] {
            let error = with
                .view("clerk")
                .call_json(call, arguments.clone())
                .await
                .unwrap_err();
            let other = without
                .view("clerk")
                .call_json(call, arguments)
                .await
                .unwrap_err();
            assert_eq!(error.to_json().to_string(), other.to_json().to_string());
            let event = serde_json::to_value(with.audit.events().last().unwrap()).unwrap();
            reasons.insert(event["reason"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(
        reasons.into_iter().collect::<Vec<_>>(),
        ["disabled", "not_granted", "unknown_tool"]
    );
}

#[tokio::test]
async fn wrong_arguments_are_refused_and_audited() {
    let desk = Desk::new(depot(20), CLERK);
    let mut deep = Value::Null;
    for _ in 0..10_000 {
        deep = Value::Object([("arguments".to_owned(), deep)].into_iter().collect());
    }
    for (name, arguments) in [
        ("search-toolwright-tools", json!({})),
        ("search-toolwright-tools", json!({"query": ""})),
        ("search-toolwright-tools", json!({"query": "x".repeat(501)})),
        (
            "search-toolwright-tools",
            json!({"query": "x", "limit": 26}),
        ),
        (
            "search-toolwright-tools",
            json!({"query": "x", "limit": -1}),
        ),
        ("describe-toolwright-tool", json!({"tool": 7})),
        ("call-toolwright-observe-tool", json!({"arguments": {}})),
        (
            "call-toolwright-observe-tool",
            json!({"tool": "list-depot-items", "arguments": "shelf"}),
        ),
        ("call-toolwright-observe-tool", json!([1])),
        (
            "call-toolwright-observe-tool",
            json!({"tool": "list-depot-items", "shelf": "A"}),
        ),
        ("call-toolwright-observe-tool", deep),
    ] {
        let (result, events) = desk.events_of(name, arguments).await;
        assert_eq!(result.unwrap_err().code(), "invalid_arguments", "{name}");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].call.as_ref().unwrap().tool, name);
    }
}

#[tokio::test]
async fn a_switch_and_a_new_policy_change_the_search() {
    let desk = Desk::new(depot(20), CLERK);
    let view = desk.view("clerk");
    let search = || async {
        let query = json!({"query": "delete a shelf"});
        let found = view
            .call_json("search-toolwright-tools", query)
            .await
            .unwrap();
        found.value.to_string().contains("delete-depot-shelf")
    };
    assert!(search().await);
    let narrower = format!("{CLERK}[tools]\ndisable = [\"delete-*\"]\n");
    let config = Config::parse("/nowhere/toolwright.toml".as_ref(), &narrower).unwrap();
    desk.registry.reload(&config).unwrap();
    assert!(!search().await);
    desk.registry.revoke(&Role::new("clerk").unwrap());
    let refused = view
        .call_json("search-toolwright-tools", json!({"query": "shelf"}))
        .await;
    assert_eq!(refused.unwrap_err().code(), "tool_not_permitted");
    assert!(view.shown().is_empty());
}

#[tokio::test]
async fn a_plan_of_a_call_through_discovery_is_that_of_the_tool() {
    let desk = Desk::new(depot(20), CLERK);
    let view = desk.view("clerk");
    let arguments = json!({"shelf": "A"});
    let direct = view
        .plan("delete-depot-shelf", arguments.clone())
        .await
        .unwrap();
    let through = json!({"tool": "delete-depot-shelf", "arguments": arguments});
    assert_eq!(
        view.plan("call-toolwright-execute-tool", through)
            .await
            .unwrap(),
        direct
    );
    let refused = view
        .plan("search-toolwright-tools", json!({"query": "x"}))
        .await;
    assert_eq!(refused.unwrap_err().code(), "tool_not_permitted");
}

#[test]
fn a_tool_with_a_name_of_discovery_is_refused() {
    let taken = tool("search-toolwright-tools", "Search.", Kind::Read);
    let builder = Registry::builder().tool(taken).audit(MemoryAudit::new());
    let error = builder.discovery(Finder::new()).build().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has the name of a tool that finds or calls others")
    );
}
