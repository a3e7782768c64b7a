//! Arguments as plain parameters: the schema that they make, and how they reach the function.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use serde_json::{Value, json};
use toolwright::{RoleEnum, ToolContext, ToolError, testing::TestView, tool};

#[derive(RoleEnum)]
enum AgentRole {
    Quality,
}

/// The comparison of rows.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Comparison {
    Exact,
    IgnoreCase,
}

/// A column, and maybe the one that it is made of.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Column {
    name: String,
    source: Option<Box<Column>>,
}

/// A string with rules that its schema lacks.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
struct Even(String);

impl TryFrom<String> for Even {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.len().is_multiple_of(2) {
            Ok(Self(text))
        } else {
            Err("it is odd")
        }
    }
}

/// Compares a table with another.
#[tool(name = "compare-warehouse-tables", category = observe, roles(AgentRole::Quality))]
async fn compare_tables(
    ctx: &ToolContext,
    /// The table, with its schema.
    /// As in `sales.orders`.
    table: String,
    /// Only look, and keep nothing.
    dry_run: Option<bool>,
    mut comparisons: Vec<Comparison>,
    r#type: Option<Value>,
) -> Result<Value, ToolError> {
    let comparison = comparisons.pop().map(|comparison| match comparison {
        Comparison::Exact => "exact",
        Comparison::IgnoreCase => "ignore-case",
    });
    Ok(json!([ctx.role, table, dry_run, comparison, r#type]))
}

/// Counts the rows of a table.
#[tool(name = "count-warehouse-rows", category = observe, roles(AgentRole::Quality))]
async fn count_rows(
    _: &ToolContext,
    /// The table, with its schema.
    table: String,
) -> Result<usize, ToolError> {
    Ok(table.len())
}

/// Lists the newest rows.
#[tool(name = "list-warehouse-rows", category = observe, roles(AgentRole::Quality))]
async fn list_rows(_: &ToolContext, limit: Option<u8>) -> Result<Option<u8>, ToolError> {
    Ok(limit)
}

/// Finds the column that another one is made of.
#[tool(name = "find-warehouse-column", category = observe, roles(AgentRole::Quality))]
async fn find_column(
    _: &ToolContext,
    Column { name, source }: Column,
) -> Result<String, ToolError> {
    Ok(source.map_or(name, |source| source.name))
}

/// Compares two columns.
#[tool(name = "compare-warehouse-columns", category = observe, roles(AgentRole::Quality))]
async fn compare_columns(
    _: &ToolContext,
    old: Column,
    /// The column of tomorrow.
    new: Column,
) -> Result<bool, ToolError> {
    Ok(old.name == new.name && old.source.is_some() == new.source.is_some())
}

/// Reads two strings.
#[tool(name = "read-warehouse-texts", category = observe, roles(AgentRole::Quality))]
async fn read_texts(_: &ToolContext, a: Even, b: Even) -> Result<String, ToolError> {
    Ok(a.0 + &b.0)
}

fn view() -> TestView {
    TestView::for_role(AgentRole::Quality)
}

fn input_schema(name: &str) -> Value {
    view().view().spec(name).unwrap().input_schema.to_value()
}

#[test]
fn parameters_and_their_documentation_make_the_schema() {
    assert_eq!(
        input_schema("compare-warehouse-tables"),
        json!({
            "type": "object",
            "properties": {
                "table": {
                    "type": "string",
                    "description": "The table, with its schema.\nAs in `sales.orders`.",
                },
                "dry_run": {
                    "type": ["boolean", "null"],
                    "description": "Only look, and keep nothing.",
                },
                "comparisons": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/Comparison"},
                },
                "type": {},
            },
            "required": ["table", "comparisons"],
            "additionalProperties": false,
            "$defs": {
                "Comparison": {
                    "type": "string",
                    "enum": ["exact", "ignore-case"],
                    "description": "The comparison of rows.",
                },
            },
        })
    );
}

#[tokio::test]
async fn arguments_reach_the_parameters_of_their_names() {
    let view = view();
    let call = |arguments| view.call("compare-warehouse-tables", arguments);
    let all = json!({"comparisons": ["exact", "ignore-case"], "type": [1], "dry_run": true, "table": "orders"});
    assert_eq!(
        call(all).await.unwrap(),
        json!(["quality", "orders", true, "ignore-case", [1]])
    );
    let least = json!({"comparisons": [], "table": "orders"});
    assert_eq!(
        call(least).await.unwrap(),
        json!(["quality", "orders", null, null, null])
    );
    for wrong in [
        json!({"comparisons": []}),
        json!({"comparisons": [], "table": 1}),
        json!({"comparisons": [], "table": "orders", "dryrun": true}),
    ] {
        let refused = call(wrong.clone()).await;
        assert!(
            matches!(refused, Err(ToolError::InvalidArguments { .. })),
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn a_single_parameter_that_is_not_an_object_is_an_argument() {
    assert_eq!(
        input_schema("count-warehouse-rows"),
        json!({
            "type": "object",
            "properties": {
                "table": {"type": "string", "description": "The table, with its schema."},
            },
            "required": ["table"],
            "additionalProperties": false,
        })
    );
    let view = view();
    let rows = view.call("count-warehouse-rows", json!({"table": "orders"}));
    assert_eq!(rows.await.unwrap(), 6);
    for (arguments, limit) in [(json!({"limit": 3}), json!(3)), (json!({}), Value::Null)] {
        let rows = view.call("list-warehouse-rows", arguments).await;
        assert_eq!(rows.unwrap(), limit);
    }
}

#[tokio::test]
async fn a_single_object_parameter_has_the_arguments_as_fields() {
    let view = view();
    let column = json!({"name": "total", "source": {"name": "price"}});
    let found = view.call("find-warehouse-column", column.clone()).await;
    assert_eq!(found.unwrap(), "price");

    let both = json!({"old": column, "new": {"name": "total", "source": {"name": "sum"}}});
    let same = view.call("compare-warehouse-columns", both).await;
    assert_eq!(same.unwrap(), true);
    let wrong = json!({"old": column, "new": {"name": "total", "source": {"name": 1}}});
    let refused = view.call("compare-warehouse-columns", wrong).await;
    assert!(matches!(refused, Err(ToolError::InvalidArguments { .. })));
}

#[tokio::test]
async fn every_argument_that_does_not_fit_is_reported() {
    let texts = json!({"a": "odd", "b": "odder"});
    let refused = view().call("read-warehouse-texts", texts).await;
    let Err(ToolError::InvalidArguments { violations, .. }) = refused else {
        panic!("{refused:?}");
    };
    let message = &violations.first().unwrap().message;
    assert!(
        message.contains("at `/a`") && message.contains("at `/b`"),
        "{message}"
    );
    assert!(!message.contains("odd"), "{message}");
}
