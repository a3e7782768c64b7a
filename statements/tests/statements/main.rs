//! Statements as tools over a real PostgreSQL, with hostile values.
#![cfg(test)]

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use toolwright::{Registry, Role, ScopedToolView, audit::MemoryAudit};
use toolwright_state::{Location, PostgresConnector, testing::TestPlace};
use toolwright_statements::{PrepareError, StatementFile, tools};

const SCHEMA: &str = "
    create table items (
        id bigint generated always as identity primary key,
        name text not null, quantity int not null, weight float8, added timestamptz not null default '2026-01-02T03:04:05Z',
        day date not null default '2026-01-02', attributes jsonb not null default '{}', token uuid not null default gen_random_uuid(),
        active bool not null default true);
    create table secrets (value text not null);
    insert into secrets values ('s3cret');
    insert into items (name, quantity, weight, attributes) values
        ('lamp', 3, 1.5, '{\"colour\": \"red\"}'), ('bolt', 70, null, '[]'), ('case', 9, 2.0, '{}')";

const FILE: &str = r#"
service = "stock"

[statements.list-stock-items]
short = "List the items of which there are at least some."
sql = """
select id, name, quantity, weight, added, day, attributes, token, active -- :no_parameter
from items where quantity >= :least and (:name::text is null or name = :name) order by id"""
effect = "read"
parameters.name = { description = "Only the item with this name.", optional = true }
max_rows = 2

[statements.create-stock-item]
short = "Add an item."
sql = "insert into items (name, quantity, day, token, attributes) values (:name, :quantity, :day, :token, :attributes) returning id, day, token, attributes"
effect = "create"

[statements.update-stock-item]
short = "Set the quantity of an item."
sql = "update items set quantity = :quantity where name = :name"
effect = "update"

[statements.get-stock-time]
short = "Wait."
sql = "select pg_sleep(30)::text as slept"
effect = "read"
timeout_ms = 200

[statements.list-stock-writes]
short = "Claims to read."
sql = "with gone as (delete from items returning id) select count(*) as gone from gone"
effect = "read"
"#;

struct Stage {
    place: TestPlace,
    view: ScopedToolView,
}

fn connector(place: &TestPlace) -> Arc<PostgresConnector> {
    let Location::Postgres { url, .. } = &place.location else {
        panic!("another kind of place");
    };
    Arc::new(PostgresConnector::new(url, None).unwrap())
}

fn file(text: &str) -> StatementFile {
    StatementFile::parse(Path::new("stock.toml"), text).unwrap()
}

impl Stage {
    /// Creates a database with tables; none, with a message, if there is no PostgreSQL.
    async fn new() -> Option<Self> {
        let place = TestPlace::postgres().await?;
        let connector = connector(&place);
        let client = connector.connect().await.unwrap();
        client.batch_execute(SCHEMA).await.unwrap();
        let mut all = tools(&file(FILE), connector).await.unwrap();
        // The tests have no person who approves.
        for tool in &mut all {
            assert_eq!(
                tool.spec().hints.read_only,
                tool.spec().effect == toolwright::Effect::Read
            );
        }
        let registry = Registry::builder()
            .tools(all)
            .grant("agent", "service:stock")
            .enable("*")
            .audit(MemoryAudit::new())
            .build()
            .unwrap();
        let view = registry.for_agent(&Role::new("agent").unwrap());
        Some(Self { place, view })
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let called = self.view.call_json(tool, arguments).await;
        called
            .map(|output| output.value)
            .map_err(|error| format!("{}: {error}", error.code()))
    }

    async fn count(&self, sql: &str) -> i64 {
        let client = connector(&self.place).connect().await.unwrap();
        client.query_one(sql, &[]).await.unwrap().get(0)
    }
}

#[tokio::test]
async fn rows_have_the_types_of_the_database() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let found = stage
        .call("list-stock-items", json!({"least": 0}))
        .await
        .unwrap();
    assert_eq!(found["more"], true, "two of three rows");
    let first = &found["rows"][0];
    assert_eq!(first["name"], "lamp");
    assert_eq!(first["weight"], 1.5);
    assert_eq!(first["added"], "2026-01-02T03:04:05Z");
    assert_eq!(first["day"], "2026-01-02");
    assert_eq!(first["attributes"], json!({"colour": "red"}));
    assert_eq!(found["rows"][1]["weight"], Value::Null);
    let spec = stage.view.spec("list-stock-items").unwrap();
    let schema = spec.output_schema.as_ref().unwrap().to_value();
    assert!(jsonschema::is_valid(&schema, &found), "{found}");
    let input = spec.input_schema.to_value();
    assert_eq!(input["required"], json!(["least"]));
    let one = stage
        .call("list-stock-items", json!({"least": 0, "name": "case"}))
        .await;
    assert_eq!(one.unwrap()["rows"][0]["quantity"], 9);
}

#[tokio::test]
async fn a_value_is_never_sql() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    for evil in [
        "x'; drop table items; --",
        "' or '1'='1",
        "$1",
        ":least",
        "lamp' union select value from secrets --",
        "\\'; select 1",
        "x\u{0}y",
    ] {
        let arguments = json!({"least": 0, "name": evil});
        match stage.call("list-stock-items", arguments).await {
            Ok(found) => assert_eq!(found, json!({"rows": [], "more": false}), "{evil}"),
            Err(error) => assert!(error.starts_with("database_failed"), "{error}"),
        }
        let arguments = json!({"name": evil, "quantity": 1});
        if let Ok(changed) = stage.call("update-stock-item", arguments).await {
            assert_eq!(changed, json!({"changed": 0}), "{evil}");
        }
    }
    assert_eq!(
        stage
            .count("select count(*) from items where quantity = 3")
            .await,
        1
    );
    for arguments in [
        json!({"least": "0"}),
        json!({"least": 1.5}),
        json!({"least": 3_000_000_000_u64}),
        json!({"least": null}),
        json!({"least": 0, "extra": 1}),
        json!({}),
    ] {
        let refused = stage
            .call("list-stock-items", arguments.clone())
            .await
            .unwrap_err();
        assert!(
            refused.starts_with("invalid_arguments"),
            "{arguments}: {refused}"
        );
    }
}

#[tokio::test]
async fn a_statement_that_reads_cannot_write() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let refused = stage
        .call("list-stock-writes", json!({}))
        .await
        .unwrap_err();
    assert!(refused.contains("25006"), "{refused}");
    assert_eq!(stage.count("select count(*) from items").await, 3);
}

#[tokio::test]
async fn a_statement_that_writes_is_governed_and_tells_what_it_did() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let changed = stage
        .call("update-stock-item", json!({"name": "lamp", "quantity": 4}))
        .await;
    assert_eq!(changed.unwrap(), json!({"changed": 1}));
    let arguments = json!({
        "name": "new", "quantity": 1, "day": "1999-12-31",
        "token": "0f3c9a5e-1d7b-4c2f-8e6a-0b9d3c5e7f12", "attributes": {"a": [1]},
    });
    let waits = stage
        .call("create-stock-item", arguments)
        .await
        .unwrap_err();
    assert!(waits.starts_with("approval_required"), "{waits}");
    assert_eq!(stage.count("select count(*) from items").await, 3);
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_ended() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let ended = stage.call("get-stock-time", json!({})).await.unwrap_err();
    assert!(
        ended.contains("57014") || ended.contains("in time"),
        "{ended}"
    );
}

#[tokio::test]
async fn what_the_database_refuses_is_reported_with_its_place() {
    let Some(place) = TestPlace::postgres().await else {
        return;
    };
    let text = r#"
service = "stock"
[statements.list-stock-absent]
short = "s"
sql = "select * from absent"
effect = "read"
[statements.list-stock-prices]
short = "s"
sql = "select 1.5::numeric as price, 1 as price where :a::numeric > 0"
effect = "read"
[statements.list-stock-both]
short = "s"
sql = "select 1; select 2"
effect = "read"
"#;
    let error = tools(&file(text), connector(&place)).await.unwrap_err();
    let PrepareError::Statements(problems) = &error else {
        panic!("{error}");
    };
    let lines: Vec<_> = problems.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [5, 9, 9, 13], "{error}");
    assert!(error.to_string().contains("cast the column"), "{error}");
}

#[test]
fn what_is_wrong_with_a_file_is_reported_at_once() {
    let text = r#"
service = "stock"
colour = "red"
[statements.list-shop-items]
sql = "select 1"
effect = "look"
short = "s"
max_rows = 0
[statements.list-stock-items]
sql = "select :a"
effect = "read"
parameters.b = {}
[statements.list_stock]
sql = "select 1"
"#;
    let problems = StatementFile::parse(Path::new("stock.toml"), text).unwrap_err();
    let lines: Vec<_> = problems.iter().map(|problem| problem.place.line).collect();
    for line in [3, 6, 8, 9, 12, 13] {
        assert!(lines.contains(&line), "{line}: {problems:?}");
    }
}
