//! Methods as tools: they are called on the value that the registry is given.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::json;
use toolwright::{
    Registry, RegistryBuilder, RoleEnum, ToolContext, ToolError,
    audit::{MemoryAudit, Reason, RefusalReason},
    registry::RegistryProblem,
    testing::TestView,
    tools,
};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
    Transform,
}

/// A warehouse in memory, as a program would have a pool of connections to one.
struct Warehouse {
    rows: Mutex<BTreeMap<String, usize>>,
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Table {
    table: String,
}

/// A trait with an associated type for the methods.
trait Rows {
    type Count;
}

impl Rows for Warehouse {
    type Count = usize;
}

#[tools]
impl Warehouse {
    const EMPTY: usize = 0;

    /// Counts the rows of a table.
    #[tool(name = "count-warehouse-rows", category = observe, roles(AgentRole::Quality))]
    async fn count_rows(
        &self,
        ctx: &ToolContext,
        /// The table.
        table: String,
    ) -> Result<<Self as Rows>::Count, ToolError> {
        let _ = ctx;
        self.count(&table)
    }

    /// Adds rows to a table.
    #[toolwright::tool(
        name = "add-warehouse-rows",
        category = execute,
        effect = update,
        destructive = false,
        roles(AgentRole::Transform)
    )]
    pub(crate) async fn add_rows(
        &self,
        _: &ToolContext,
        table: String,
        rows: usize,
    ) -> Result<usize, ToolError> {
        let mut tables = self.rows.lock().unwrap();
        let count = tables.entry(table).or_insert(Self::EMPTY);
        *count += rows;
        Ok(*count)
    }

    /// Drops a table.
    #[tool(name = "drop-warehouse-table", category = execute, roles(AgentRole::Transform))]
    async fn drop_table(&self, _: &ToolContext, input: Table) -> Result<Table, ToolError> {
        self.rows.lock().unwrap().remove(&input.table);
        Ok(input)
    }

    /// Describes warehouses; it needs none.
    #[tool(name = "describe-warehouse-kinds", category = observe, roles(AgentRole::Quality))]
    async fn describe_kinds(_: &ToolContext) -> Result<&'static str, ToolError> {
        Ok("in memory")
    }

    /// Is left out.
    #[tool(name = "list-warehouse-secrets", category = observe, roles(AgentRole::Quality))]
    #[cfg(any())]
    async fn list_secrets(&self, _: &ToolContext) -> Result<String, ToolError> {
        Ok(String::new())
    }

    /// No tool.
    fn count(&self, table: &str) -> Result<usize, ToolError> {
        let rows = self.rows.lock().unwrap();
        let count = rows.get(table).copied();
        count.ok_or_else(|| ToolError::failed("there is no such table"))
    }
}

fn warehouse() -> Arc<Warehouse> {
    let rows = BTreeMap::from([("orders".to_owned(), 7)]);
    Arc::new(Warehouse { rows: rows.into() })
}

fn builder() -> RegistryBuilder {
    Registry::builder().linked_tools()
}

fn problems(builder: RegistryBuilder) -> Vec<RegistryProblem> {
    let built = builder.audit(MemoryAudit::new()).build();
    built.unwrap_err().problems
}

#[tokio::test]
async fn methods_are_called_on_the_value_that_was_given() {
    let warehouse = warehouse();
    // The state may be given before the tools, and after them.
    let before = Registry::builder().state(Arc::clone(&warehouse));
    let transform = TestView::new(before.linked_tools(), AgentRole::Transform);
    let quality = TestView::new(builder().state(Arc::clone(&warehouse)), AgentRole::Quality);

    let more = json!({"table": "orders", "rows": 3});
    assert_eq!(
        transform.call("add-warehouse-rows", more).await.unwrap(),
        10
    );
    let orders = json!({"table": "orders"});
    let count = quality.call("count-warehouse-rows", orders.clone()).await;
    assert_eq!(count.unwrap(), 10);
    assert_eq!(warehouse.count("orders"), Ok(10));

    let kinds = quality.call("describe-warehouse-kinds", json!({})).await;
    assert_eq!(kinds.unwrap(), "in memory");
    let nothing = quality
        .call("count-warehouse-rows", json!({"table": "x"}))
        .await;
    assert_eq!(nothing, Err(ToolError::failed("there is no such table")));
}

#[tokio::test]
async fn every_gate_precedes_a_method() {
    let warehouse = warehouse();
    let registry = || builder().state(Arc::clone(&warehouse));
    let orders = json!({"table": "orders"});

    let quality = TestView::new(registry(), AgentRole::Quality);
    assert_eq!(
        quality.names(),
        ["count-warehouse-rows", "describe-warehouse-kinds"]
    );
    let refused = quality.call("drop-warehouse-table", orders.clone()).await;
    assert!(matches!(refused, Err(ToolError::ToolNotPermitted { .. })));
    assert_eq!(
        quality.reason(),
        Some(Reason::Policy(RefusalReason::NotGranted))
    );

    let transform = TestView::new(registry(), AgentRole::Transform);
    let drop = || transform.call("drop-warehouse-table", orders.clone());
    let waiting = drop().await;
    assert!(matches!(waiting, Err(ToolError::ApprovalRequired { .. })));
    assert_eq!(warehouse.count("orders"), Ok(7));
    assert_eq!(transform.approve().await, Ok(1));
    assert_eq!(drop().await.unwrap(), orders);
    assert!(warehouse.count("orders").is_err());
    // An approval is good for one call.
    assert!(drop().await.is_err());
}

#[test]
fn a_missing_state_is_reported_with_every_method_that_needs_it() {
    let problems = problems(builder());
    let missing: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(missing.len(), 3, "{missing:?}");
    assert_eq!(
        missing.first().unwrap(),
        "`Warehouse::add_rows` in `methods` is called on a `methods::Warehouse`, but none was given; \
         add `.state(Arc::new(…))`, or `.without_state::<methods::Warehouse>()` to leave its tools out"
    );
}

#[test]
fn two_states_of_one_type_are_a_problem() {
    let problems = problems(builder().state(warehouse()).state(warehouse()));
    assert_eq!(
        problems,
        [RegistryProblem::StateTwice {
            state: "methods::Warehouse"
        }]
    );
}

#[test]
fn a_program_that_declares_no_state_has_the_other_tools() {
    let registry = builder().without_state::<Warehouse>();
    let quality = TestView::new(registry, AgentRole::Quality);
    assert_eq!(quality.names(), ["describe-warehouse-kinds"]);
}

#[test]
fn a_method_is_named_after_its_type_in_the_record() {
    let view = TestView::new(builder().state(warehouse()), AgentRole::Quality);
    let spec = view.view().spec("count-warehouse-rows").unwrap();
    assert_eq!(spec.origin.document, "methods");
    assert_eq!(spec.origin.pointer, "Warehouse::count_rows");
    let table = &spec.input_schema.whole()["properties"]["table"];
    assert_eq!(
        *table,
        json!({"type": "string", "description": "The table."})
    );
}
