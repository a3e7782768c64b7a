//! Statements as tools over a real PostgreSQL, with hostile values.
#![cfg(test)]

use std::path::Path;

use serde_json::{Value, json};
use toolwright::{
    CredentialRequest, Credentials, Effect, Login, Registry, Role, ScopedToolView, ServiceName,
    audit::MemoryAudit, config::ConfigProblem,
};
use toolwright_state::{Location, PostgresConnector, testing::TestPlace};
use toolwright_statements::{Database, StatementFile};

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
[statements.list-stock-items]
short = "List the items of which there are at least some."
sql = """
select id, name, quantity, weight, added, day, attributes, token, active -- :no_parameter
from items where quantity >= :least and (:name::text is null or name = :name) order by id"""
effect = "read"
parameters.least = { type = "integer" }
parameters.name = { type = "text", description = "Only the item with this name.", optional = true }
max_rows = 2

[statements.list-stock-items.columns]
id = "bigint"
name = "text"
quantity = "integer"
weight = "double precision"
added = "timestamptz"
day = "date"
attributes = "jsonb"
token = "uuid"
active = "boolean"

[statements.create-stock-item]
short = "Add an item."
sql = "insert into items (name, quantity, day, token, attributes) values (:name, :quantity, :day, :token, :attributes) returning id, day, token, attributes"
effect = "create"
parameters.name.type = "text"
parameters.quantity.type = "integer"
parameters.day.type = "date"
parameters.token.type = "uuid"
parameters.attributes.type = "jsonb"
columns = { id = "bigint", day = "date", token = "uuid", attributes = "jsonb" }

[statements.update-stock-item]
short = "Set the quantity of an item."
sql = "update items set quantity = :quantity where name = :name"
effect = "update"
parameters.quantity.type = "integer"
parameters.name.type = "text"

[statements.get-stock-time]
short = "Wait."
sql = "select pg_sleep(30)::text as slept"
effect = "read"
columns.slept = "text"
timeout_ms = 200

[statements.list-stock-writes]
short = "Claims to read."
sql = "with gone as (delete from items returning id) select count(*) as gone from gone"
effect = "read"
columns.gone = "bigint"
"#;

struct Stage {
    place: TestPlace,
    view: ScopedToolView,
}

/// Returns the URL of a test's database without its user, and the user.
fn address(place: &TestPlace) -> (String, String) {
    let Location::Postgres { url, .. } = &place.location else {
        panic!("another kind of place");
    };
    let (scheme, rest) = url.split_once("://").unwrap();
    let (user, server) = rest.split_once('@').unwrap();
    (format!("{scheme}://{server}"), user.to_owned())
}

fn connector(place: &TestPlace) -> PostgresConnector {
    let (url, user) = address(place);
    PostgresConnector::new(&url, None)
        .unwrap()
        .with_account(&user, None)
}

fn database(place: &TestPlace) -> Database {
    Database::new(&address(place).0).unwrap()
}

/// Returns credentials with an auth file in the environment.
fn credentials(auth_file: String) -> Credentials {
    let stock = ServiceName::new("stock").unwrap();
    let variable = move |name: &str| (name == "TOOLWRIGHT_STOCK_AUTH").then(|| auth_file.clone());
    let credentials = Credentials::new("/nowhere").with_variables(variable);
    credentials.with_environment(stock)
}

fn login(place: &TestPlace) -> Login {
    let user = address(place).1;
    let stock = ServiceName::new("stock").unwrap();
    let request = CredentialRequest::new(&stock, None);
    let credentials = credentials(json!({"username": user}).to_string());
    credentials.login(request).unwrap()
}

fn parse(text: &str) -> Result<StatementFile, Vec<ConfigProblem>> {
    let stock = ServiceName::new("stock").unwrap();
    StatementFile::parse(stock, Path::new("statements/stock.toml"), text)
}

impl Stage {
    /// Creates a database with tables; none, with a message, if there is no PostgreSQL.
    async fn new() -> Option<Self> {
        let place = TestPlace::postgres().await?;
        let auth_file = json!({"username": address(&place).1}).to_string();
        Self::with(place, credentials(auth_file)).await
    }

    async fn with(place: TestPlace, credentials: Credentials) -> Option<Self> {
        let client = connector(&place).connect().await.unwrap();
        client.batch_execute(SCHEMA).await.unwrap();
        let all = database(&place).tools(&parse(FILE).unwrap()).unwrap();
        for tool in &all {
            let spec = tool.spec();
            assert_eq!(spec.hints.read_only, spec.effect == Effect::Read);
        }
        let registry = Registry::builder()
            .tools(all)
            .grant("agent", "service:stock")
            .enable("*")
            .audit(MemoryAudit::new())
            .credentials(credentials)
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
async fn a_call_without_an_account_is_refused_before_a_person_is_asked() {
    let Some(place) = TestPlace::postgres().await else {
        return;
    };
    let password = r#"{"password": "hunter2"}"#.to_owned();
    let stage = Stage::with(place, credentials(password)).await.unwrap();
    let arguments = json!({
        "name": "new", "quantity": 1, "day": "1999-12-31",
        "token": "0f3c9a5e-1d7b-4c2f-8e6a-0b9d3c5e7f12", "attributes": {},
    });
    let refused = stage.call("create-stock-item", arguments).await;
    let refused = refused.unwrap_err();
    assert!(refused.starts_with("credentials_missing"), "{refused}");
    let refused = stage.call("list-stock-items", json!({"least": 0})).await;
    assert!(refused.unwrap_err().starts_with("credentials_missing"));
}

#[tokio::test]
async fn the_secrets_of_an_account_reach_neither_results_nor_errors() {
    let Some(place) = TestPlace::postgres().await else {
        return;
    };
    let user = address(&place).1;
    let auth_file = json!({"username": user, "password": "hunter2-lamp"}).to_string();
    let stage = Stage::with(place, credentials(auth_file)).await.unwrap();
    let sql = "update items set name = 'hunter2-lamp' where name = 'lamp'";
    let client = connector(&stage.place).connect().await.unwrap();
    client.batch_execute(sql).await.unwrap();
    let found = stage.call("list-stock-items", json!({"least": 0})).await;
    let found = found.unwrap().to_string();
    assert!(
        found.contains("[redacted]") && !found.contains("hunter2"),
        "{found}"
    );
    let refused = stage.call(
        "list-stock-items",
        json!({"least": 0, "name": "hunter2-lamp\u{0}"}),
    );
    let refused = refused.await.unwrap_err();
    assert!(!refused.contains("hunter2"), "{refused}");
}

#[tokio::test]
async fn a_call_whose_columns_are_not_the_declared_ones_is_refused() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let client = connector(&stage.place).connect().await.unwrap();
    let change = "alter table items alter quantity type bigint";
    client.batch_execute(change).await.unwrap();
    let refused = stage.call("list-stock-items", json!({"least": 0})).await;
    let refused = refused.unwrap_err();
    assert!(
        refused.contains("those that its file declares"),
        "{refused}"
    );
    let file = parse(FILE).unwrap();
    let problems = database(&stage.place)
        .check(&file, &login(&stage.place))
        .await;
    let problems: Vec<_> = problems.unwrap().iter().map(ToString::to_string).collect();
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert!(problem.contains("stock.toml:4:"), "{problem}");
    assert!(
        problem.contains("`columns.quantity = \"bigint\"`"),
        "{problem}"
    );
}

#[tokio::test]
async fn what_the_database_refuses_is_reported_with_its_place() {
    let Some(place) = TestPlace::postgres().await else {
        return;
    };
    let text = r#"
[statements.list-stock-absent]
short = "s"
sql = "select * from absent"
effect = "read"
columns.id = "bigint"
[statements.list-stock-prices]
short = "s"
sql = "select 1.5::numeric as price, 1 as price"
effect = "read"
columns = { price = "real", gone = "text" }
[statements.list-stock-both]
short = "s"
sql = "select 1; select 2"
effect = "read"
columns.id = "bigint"
"#;
    let file = parse(text).unwrap();
    let problems = database(&place).check(&file, &login(&place)).await.unwrap();
    let lines: Vec<_> = problems.iter().map(|problem| problem.place.line).collect();
    assert_eq!(lines, [4, 9, 9, 9, 14], "{problems:?}");
    let shown: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert!(shown[1].contains("cast it to another type"), "{shown:?}");
}

#[test]
fn what_is_wrong_with_a_file_is_reported_at_once() {
    let text = r#"
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
columns.a = "money"
[statements.list-stock-notes]
sql = "select :a"
effect = "update"
short = "s"
parameters.a = { optional = true }
[statements.list_stock]
sql = "select 1"
"#;
    let problems = parse(text).unwrap_err();
    let lines: Vec<_> = problems.iter().map(|problem| problem.place.line).collect();
    for line in [2, 3, 5, 7, 8, 11, 12, 17, 18] {
        assert!(lines.contains(&line), "{line}: {problems:?}");
    }
}
