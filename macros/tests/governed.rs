//! A hand-written tool from end to end: it is in the views of its roles and in no other, it is
//! refused to others, it goes through every gate, and all of that is in the audit.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Registry, RoleEnum, ScopedToolView, ToolContext, ToolError,
    audit::{AuditEvent, Ending, MemoryAudit, Permission, Reason, RefusalReason, What},
    registry::RegistryProblem,
    tool,
};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
    Transform,
    Intake,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct SchemaChange {
    table: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct SchemaReport {
    table: String,
    asked_by: String,
}

/// Check that a schema change is safe to apply.
#[tool(name = "validate-warehouse-schema", category = observe, roles(AgentRole::Quality))]
async fn validate_schema(
    ctx: &ToolContext,
    input: SchemaChange,
) -> Result<SchemaReport, ToolError> {
    if input.table == "missing" {
        return Err(ToolError::failed("there is no such table"));
    }
    Ok(SchemaReport {
        table: input.table,
        asked_by: ctx.role.to_string(),
    })
}

/// Drops a table.
#[tool(name = "drop-warehouse-table", category = execute, roles(AgentRole::Transform))]
async fn drop_table(_: &ToolContext, input: SchemaChange) -> Result<String, ToolError> {
    Ok(input.table)
}

/// Exports a table.
#[tool(name = "export-warehouse-table", category = report, roles(none, reason = "nobody needs it yet"))]
async fn export_table(_: &ToolContext, input: SchemaChange) -> Result<String, ToolError> {
    Ok(input.table)
}

struct Fixture {
    registry: Registry,
    audit: Arc<MemoryAudit>,
}

impl Fixture {
    fn new() -> Self {
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .linked_tools()
            .enable("drop-warehouse-table")
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        Self { registry, audit }
    }

    fn view(&self, role: AgentRole) -> ScopedToolView {
        self.registry.for_agent(&role.role())
    }

    fn decision(&self) -> (Permission, Reason) {
        let event = self.audit.events().into_iter().rev().find_map(decision_of);
        event.unwrap()
    }
}

fn decision_of(event: AuditEvent) -> Option<(Permission, Reason)> {
    match event.what {
        What::Decision(decision) => Some((decision.decision, decision.reason)),
        _ => None,
    }
}

fn names(view: &ScopedToolView) -> Vec<String> {
    view.specs()
        .iter()
        .map(|spec| spec.name.to_string())
        .collect()
}

#[test]
fn a_tool_is_in_the_view_of_its_roles_and_in_no_other() {
    let fixture = Fixture::new();
    assert_eq!(
        names(&fixture.view(AgentRole::Quality)),
        ["validate-warehouse-schema"]
    );
    assert_eq!(
        names(&fixture.view(AgentRole::Transform)),
        ["drop-warehouse-table"]
    );
    assert_eq!(names(&fixture.view(AgentRole::Intake)), [""; 0]);
}

#[tokio::test]
async fn a_call_has_the_context_and_is_audited() {
    let fixture = Fixture::new();
    let arguments = json!({"table": "orders"});
    let view = fixture.view(AgentRole::Quality);
    let output = view
        .call_json("validate-warehouse-schema", arguments)
        .await
        .unwrap();
    assert_eq!(
        output.value,
        json!({"table": "orders", "asked_by": "quality"})
    );

    let events = fixture.audit.events();
    let [decision, outcome] = events.as_slice() else {
        panic!("a decision and an outcome, not {events:?}");
    };
    let (asked, ended) = (
        decision.call.as_ref().unwrap(),
        outcome.call.as_ref().unwrap(),
    );
    assert_eq!(asked.role.as_str(), "quality");
    assert_eq!(asked.tool, "validate-warehouse-schema");
    assert_eq!(asked.correlation_id, ended.correlation_id);
    assert_eq!(fixture.decision().0, Permission::Allow);
    assert!(matches!(&outcome.what, What::Outcome(outcome) if outcome.outcome == Ending::Ok));
}

#[tokio::test]
async fn a_call_of_another_role_is_refused_and_audited() {
    let fixture = Fixture::new();
    for (role, tool) in [
        (AgentRole::Transform, "validate-warehouse-schema"),
        (AgentRole::Intake, "validate-warehouse-schema"),
        (AgentRole::Quality, "export-warehouse-table"),
    ] {
        let view = fixture.view(role);
        let refused = view.call_json(tool, json!({"table": "orders"})).await;
        assert!(
            matches!(refused, Err(ToolError::ToolNotPermitted { .. })),
            "{refused:?}"
        );
        assert_eq!(
            fixture.decision(),
            (Permission::Deny, Reason::Policy(RefusalReason::NotGranted))
        );
    }
    assert_eq!(fixture.audit.events().len(), 3);
}

#[tokio::test]
async fn arguments_are_checked_before_the_tool_is_called() {
    let fixture = Fixture::new();
    for wrong in [Value::Null, json!({"table": 1}), json!({})] {
        let view = fixture.view(AgentRole::Quality);
        let refused = view.call_json("validate-warehouse-schema", wrong).await;
        assert!(
            matches!(refused, Err(ToolError::InvalidArguments { .. })),
            "{refused:?}"
        );
        assert_eq!(
            fixture.decision(),
            (Permission::Deny, Reason::InvalidArguments)
        );
    }
}

#[tokio::test]
async fn a_dropping_tool_waits_for_a_person() {
    let fixture = Fixture::new();
    let view = fixture.view(AgentRole::Transform);
    let waiting = view
        .call_json("drop-warehouse-table", json!({"table": "orders"}))
        .await;
    assert!(
        matches!(waiting, Err(ToolError::ApprovalRequired { .. })),
        "{waiting:?}"
    );
}

#[tokio::test]
async fn the_error_of_a_tool_is_the_error_of_the_call() {
    let fixture = Fixture::new();
    let view = fixture.view(AgentRole::Quality);
    let failed = view
        .call_json("validate-warehouse-schema", json!({"table": "missing"}))
        .await;
    assert_eq!(
        failed.unwrap_err(),
        ToolError::failed("there is no such table")
    );
}

#[test]
fn a_tool_that_is_added_twice_is_reported_with_both_places() {
    let built = Registry::builder()
        .linked_tools()
        .linked_tools()
        .audit(Arc::new(MemoryAudit::new()))
        .build();
    let problems = built.unwrap_err().problems;
    let duplicates = problems
        .iter()
        .filter(|problem| matches!(problem, RegistryProblem::DuplicateTool { .. }));
    assert_eq!(duplicates.count(), 3);
    let first = problems.first().unwrap().to_string();
    assert!(first.contains("`governed` at `drop_table`"), "{first}");
}
