//! One call of a statement, in a transaction of its own.

use serde_json::{Map, Value, json};
use tokio::time::timeout;
use tokio_postgres::{Client, Error, Row, types::ToSql};
use toolwright::ToolError;
use toolwright_state::PostgresConnector;

use super::{
    check::{has_declared_columns, parameter_types},
    convert::{Cell, Given},
};
use crate::file::{Statement, StatementEffect};

/// The most bytes of the rows of a result, as JSON.
const MOST_BYTES: usize = 1 << 20;

/// Carries out a call.
pub(super) async fn run(
    statement: &Statement,
    connector: &PostgresConnector,
    arguments: &Value,
) -> Result<Value, ToolError> {
    let failed = |message: String, retryable| ToolError::Failed {
        code: "database_failed".to_owned(),
        message,
        retryable,
    };
    let running = async {
        // The error may name the host and the user, which belong to the operator.
        let connected = connector.connect().await;
        let client =
            connected.map_err(|_| failed("the database does not answer".to_owned(), true))?;
        match in_transaction(statement, client, arguments).await {
            Ok(Some(result)) => Ok(result),
            Ok(None) => {
                let message = "the columns of the statement are not those that its file declares";
                Err(failed(message.to_owned(), false))
            }
            Err(error) => Err(failed(message(&error), false)),
        }
    };
    let limit = statement.timeout * 2;
    match timeout(limit, running).await {
        Ok(ran) => ran,
        Err(_) => Err(failed(
            "the database did not answer in time".to_owned(),
            false,
        )),
    }
}

/// Executes a statement. None, and without effect, if it does not have the declared columns.
async fn in_transaction(
    statement: &Statement,
    mut client: Client,
    arguments: &Value,
) -> Result<Option<Value>, Error> {
    let read_only = statement.effect == StatementEffect::Read;
    let transaction = client
        .build_transaction()
        .read_only(read_only)
        .start()
        .await?;
    let limit = statement.timeout.as_millis();
    let limit = format!("SET LOCAL statement_timeout TO {limit}");
    transaction.batch_execute(&limit).await?;
    let types = parameter_types(statement);
    let prepared = transaction
        .prepare_typed(&statement.numbered.text, &types)
        .await?;
    if !has_declared_columns(statement, prepared.columns()) {
        return Ok(None);
    }
    let names = statement.numbered.names.iter();
    let given: Vec<Given<'_>> = names
        .map(|name| Given(arguments.get(name).unwrap_or(&Value::Null)))
        .collect();
    let given: Vec<&(dyn ToSql + Sync)> = given.iter().map(|given| given as _).collect();
    if prepared.columns().is_empty() {
        let changed = transaction.execute(&prepared, &given).await?;
        transaction.commit().await?;
        return Ok(Some(json!({ "changed": changed })));
    }
    let portal = transaction.bind(&prepared, &given).await?;
    // A statement that changes rows is carried out as a whole; one that reads ends after the last row shown.
    let most = if read_only { statement.max_rows + 1 } else { 0 };
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    let found = transaction.query_portal(&portal, most).await?;
    let rows = rows(&found, statement.max_rows)?;
    transaction.commit().await?;
    Ok(Some(rows))
}

/// Returns the first rows of a result, up to the limits of rows and bytes.
fn rows(found: &[Row], most: usize) -> Result<Value, Error> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    for row in found.iter().take(most) {
        let mut object = Map::new();
        for (index, column) in row.columns().iter().enumerate() {
            object.insert(column.name().to_owned(), row.try_get::<_, Cell>(index)?.0);
        }
        let object = Value::Object(object);
        bytes += object.to_string().len();
        if bytes > MOST_BYTES {
            break;
        }
        rows.push(object);
    }
    let more = rows.len() < found.len();
    Ok(json!({"rows": rows, "more": more}))
}

/// Returns what the database reports: its message and code, and none of the rows that a detail may show.
fn message(error: &Error) -> String {
    match error.as_db_error() {
        Some(error) => format!("{} ({})", error.message(), error.code().code()),
        None => "a value does not fit its parameter, or the connection broke".to_owned(),
    }
}
