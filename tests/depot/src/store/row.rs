//! Deserializes the columns of a row.

use rusqlite::{Error, Row, types::ValueRef};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Deserializes a column of a string, a number or null.
pub(crate) fn plain<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let value = match row.get_ref(column)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(_) => return Err(Error::InvalidColumnName(column.to_owned())),
    };
    serde_json::from_value(value).map_err(|cause| unreadable(row, column, cause))
}

/// Deserializes a column that holds JSON.
pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: &str) -> rusqlite::Result<T> {
    let text = match row.get_ref(column)? {
        ValueRef::Text(text) => text,
        _ => b"null",
    };
    serde_json::from_slice(text).map_err(|cause| unreadable(row, column, cause))
}

fn unreadable(row: &Row<'_>, column: &str, cause: serde_json::Error) -> Error {
    match (row.as_ref().column_index(column), row.get_ref(column)) {
        (Ok(index), Ok(value)) => {
            Error::FromSqlConversionFailure(index, value.data_type(), Box::new(cause))
        }
        _ => Error::InvalidColumnName(column.to_owned()),
    }
}
