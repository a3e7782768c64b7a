//! Every syntax of a tool, and the resulting record.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Category, Effect, Registry, RoleEnum, ToolContext, ToolError, ToolSpec,
    audit::MemoryAudit,
    binding::ToolSchema,
    codec::DecodeError,
    linked::{ToolInput, ToolValue},
    tool,
};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
    Transform,
}

/// Which schema change to check.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct SchemaChange {
    /// The table that is to be changed.
    table: String,
    /// The new columns.
    #[serde(default)]
    columns: Vec<String>,
}

/// The result of the check.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct SchemaReport {
    /// True if the change can be applied.
    safe: bool,
}

/// A result without a schema.
#[derive(serde::Serialize)]
struct Done(String);

/// Check that a schema change
/// is safe to apply.
///
/// Looks at the columns alone.
///
/// # When to use
/// Before `apply-warehouse-schema`; it reads and never writes.
///
/// # Errors
/// This section is for the readers of the code.
#[tool(
    name = "validate-warehouse-schema",
    title = "Validate a schema change",
    section = "schemas",
    category = observe,
    roles(AgentRole::Quality, AgentRole::Transform)
)]
async fn validate_schema(_: &ToolContext, input: SchemaChange) -> Result<SchemaReport, ToolError> {
    Ok(SchemaReport {
        safe: !input.table.is_empty() && input.columns.len() < 100,
    })
}

/// Counts the rows.
#[tool(name = "count-warehouse-rows", category = report, open_world = false, roles(AgentRole::Quality))]
async fn count_rows(ctx: &ToolContext) -> Result<Done, ToolError> {
    Ok(Done(ctx.role.to_string()))
}

/// Creates a table.
#[tool(name = "create-warehouse-table", category = execute, roles(AgentRole::Transform),)]
async fn create_table(_: &ToolContext, input: SchemaChange) -> Result<Done, ToolError> {
    Ok(Done(input.table))
}

/// Renames a table.
#[tool(name = "rename-warehouse-table", category = execute, destructive = false, idempotent, roles(AgentRole::Transform))]
async fn rename_table(_: &ToolContext, input: SchemaChange) -> Result<Done, ToolError> {
    Ok(Done(input.table))
}

/// Adds a note to a table.
#[tool(name = "add-warehouse-note", category = execute, effect = annotate, roles(AgentRole::Transform))]
async fn add_note(_: &ToolContext, input: SchemaChange) -> Result<Done, ToolError> {
    Ok(Done(input.table))
}

/// Deletes a table.
#[tool(name = "delete-warehouse-table", category = execute, roles(AgentRole::Transform))]
async fn delete_table(_: &ToolContext, input: SchemaChange) -> Result<Done, ToolError> {
    Ok(Done(input.table))
}

/// Restarts the nightly job.
#[tool(
    name = "restart-warehouse-job",
    category = execute,
    approval = none,
    destructive = false,
    reason = "the job begins where it stopped",
    roles(AgentRole::Transform)
)]
async fn restart_job(_: &ToolContext) -> Result<Done, ToolError> {
    Ok(Done("restarted".to_owned()))
}

/// Lists what waits for approval.
#[tool(name = "list-warehouse-approvals", category = approve, roles(AgentRole::Quality))]
async fn list_approvals(_: &ToolContext) -> Result<Vec<Done>, ToolError> {
    Ok(Vec::new())
}

/// Vacuums the tables.
#[tool(name = "vacuum-warehouse-tables", category = execute, roles(none, reason = "not before the backup works"))]
async fn vacuum_tables(_: &ToolContext) -> Result<Done, ToolError> {
    Ok(Done("vacuumed".to_owned()))
}

/// A type that is neither decoded nor encoded by serde, as those that the generator writes.
struct Rows(u64);

impl ToolInput for Rows {
    fn schema() -> Value {
        json!({"type": "object", "properties": {"rows": {"type": "integer"}}, "required": ["rows"]})
    }

    fn decode(arguments: Value) -> Result<Self, DecodeError> {
        let rows = arguments.get("rows").and_then(Value::as_u64);
        rows.map(Self)
            .ok_or_else(|| DecodeError::new("a count", &arguments))
    }
}

impl ToolValue for Rows {
    fn encode(self) -> Result<Value, ToolError> {
        Ok(json!({"rows": self.0}))
    }

    fn schema() -> Option<Value> {
        Some(<Self as ToolInput>::schema())
    }
}

/// Estimates the rows of tomorrow.
#[tool(name = "estimate-warehouse-rows", category = report, roles(AgentRole::Quality))]
async fn estimate_rows(_: &ToolContext, today: Rows) -> Result<Rows, ToolError> {
    Ok(Rows(today.0 * 2))
}

/// Is left out.
#[tool(name = "list-warehouse-secrets", category = observe, roles(AgentRole::Quality))]
#[cfg(any())]
async fn list_secrets(_: &ToolContext) -> Result<Done, ToolError> {
    Ok(Done(String::new()))
}

fn registry() -> Registry {
    Registry::builder()
        .linked_tools()
        .audit(Arc::new(MemoryAudit::new()))
        .build()
        .unwrap()
}

fn spec(name: &str) -> ToolSpec {
    let registry = registry();
    let (spec, _) = registry
        .tools()
        .find(|(spec, _)| spec.name.as_str() == name)
        .unwrap();
    ToolSpec::clone(&spec)
}

#[test]
fn every_function_is_a_tool_and_they_are_sorted_by_name() {
    let registry = registry();
    let names: Vec<_> = registry
        .tools()
        .map(|(spec, _)| spec.name.to_string())
        .collect();
    assert_eq!(
        names,
        [
            "add-warehouse-note",
            "count-warehouse-rows",
            "create-warehouse-table",
            "delete-warehouse-table",
            "estimate-warehouse-rows",
            "list-warehouse-approvals",
            "rename-warehouse-table",
            "restart-warehouse-job",
            "vacuum-warehouse-tables",
            "validate-warehouse-schema",
        ]
    );
}

#[test]
fn the_documentation_and_the_types_become_the_record() {
    let spec = spec("validate-warehouse-schema");
    assert_eq!(spec.service.as_str(), "warehouse");
    assert_eq!(spec.title, "Validate a schema change");
    assert_eq!(spec.section, "schemas");
    assert_eq!(spec.short, "Check that a schema change is safe to apply.");
    assert_eq!(
        spec.description,
        "Check that a schema change\nis safe to apply.\n\nLooks at the columns alone."
    );
    assert_eq!(
        spec.when_to_use.as_deref(),
        Some("Before `apply-warehouse-schema`; it reads and never writes.")
    );
    assert_eq!(
        *spec.input_schema.whole(),
        json!({
            "type": "object",
            "description": "Which schema change to check.",
            "properties": {
                "table": {"type": "string", "description": "The table that is to be changed."},
                "columns": {"type": "array", "items": {"type": "string"}, "default": [],
                            "description": "The new columns."},
            },
            "required": ["table"],
        })
    );
    assert_eq!(
        spec.output_schema.as_ref().map(ToolSchema::to_value),
        Some(json!({
            "type": "object",
            "description": "The result of the check.",
            "properties": {
                "safe": {"type": "boolean", "description": "True if the change can be applied."},
            },
            "required": ["safe"],
        }))
    );
    assert_eq!(spec.origin.document, "forms");
    assert_eq!(spec.origin.pointer, "validate_schema");
}

#[tokio::test]
async fn a_type_may_have_a_codec_of_its_own() {
    let spec = spec("estimate-warehouse-rows");
    assert_eq!(spec.output_schema.as_ref(), Some(&spec.input_schema));
    let view = registry().for_agent(&AgentRole::Quality.role());
    let call = |rows: Value| view.call_json("estimate-warehouse-rows", json!({"rows": rows}));
    assert_eq!(call(json!(21)).await.unwrap().value, json!({"rows": 42}));
    let error = call(json!(-1)).await.unwrap_err();
    assert!(
        matches!(error, ToolError::InvalidArguments { .. }),
        "{error}"
    );
}

#[test]
fn omitted_fields_are_derived_from_the_name() {
    let spec = spec("count-warehouse-rows");
    assert_eq!(spec.title, "Count rows");
    assert_eq!(spec.section, "warehouse");
    assert_eq!(spec.when_to_use, None);
    assert_eq!(spec.output_schema, None);
    assert_eq!(
        *spec.input_schema.whole(),
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
}

#[test]
fn governance_follows_the_table_unless_the_author_overrides_it() {
    // Name, category, effect, approval, destructive, idempotent, on by default.
    let rows = [
        (
            "validate-warehouse-schema",
            Category::Observe,
            Effect::Read,
            false,
            false,
            true,
            true,
        ),
        (
            "count-warehouse-rows",
            Category::Report,
            Effect::Read,
            false,
            false,
            false,
            true,
        ),
        (
            "list-warehouse-approvals",
            Category::Approve,
            Effect::Read,
            false,
            false,
            true,
            true,
        ),
        (
            "create-warehouse-table",
            Category::Execute,
            Effect::Create,
            true,
            false,
            false,
            false,
        ),
        (
            "rename-warehouse-table",
            Category::Execute,
            Effect::Update,
            false,
            false,
            true,
            false,
        ),
        (
            "add-warehouse-note",
            Category::Execute,
            Effect::Annotate,
            false,
            false,
            false,
            false,
        ),
        (
            "delete-warehouse-table",
            Category::Execute,
            Effect::Delete,
            true,
            true,
            false,
            false,
        ),
        (
            "restart-warehouse-job",
            Category::Execute,
            Effect::Action,
            false,
            false,
            false,
            false,
        ),
        (
            "vacuum-warehouse-tables",
            Category::Execute,
            Effect::Action,
            true,
            true,
            false,
            false,
        ),
    ];
    for (name, category, effect, approval, destructive, idempotent, enabled) in rows {
        let spec = spec(name);
        assert_eq!((spec.category, spec.effect), (category, effect), "{name}");
        assert_eq!(spec.approval_required, approval, "{name}");
        assert_eq!(spec.hints.read_only, effect == Effect::Read, "{name}");
        assert_eq!(spec.hints.destructive, destructive, "{name}");
        assert_eq!(spec.hints.idempotent, idempotent, "{name}");
        assert_eq!(
            spec.hints.open_world,
            name != "count-warehouse-rows",
            "{name}"
        );
        assert_eq!(spec.enabled_by_default, enabled, "{name}");
    }
    let reason = spec("restart-warehouse-job").reason;
    assert_eq!(reason.as_deref(), Some("the job begins where it stopped"));
}
