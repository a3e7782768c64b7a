//! Values and rows of both kinds of database.
//!
//! The statements of this crate are constants, and every value is a parameter. They use only what
//! SQLite and PostgreSQL have in common: `TEXT`, `BIGINT` and `$1`.

use jiff::Timestamp;
use serde::Serialize;

use crate::StateError;

/// A parameter, or a column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Number(i64),
    Text(String),
}

/// A row of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    /// Returns a column that is text.
    pub(crate) fn text(&self, column: usize) -> Result<&str, StateError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(text),
            other => Err(unexpected(column, other)),
        }
    }

    /// Returns a column that is text or null.
    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<&str>, StateError> {
        match self.0.get(column) {
            Some(Value::Null) => Ok(None),
            _ => self.text(column).map(Some),
        }
    }

    /// Returns a column that is a number.
    pub(crate) fn number(&self, column: usize) -> Result<i64, StateError> {
        match self.0.get(column) {
            Some(Value::Number(number)) => Ok(*number),
            other => Err(unexpected(column, other)),
        }
    }

    /// Returns a column that is a time or null.
    pub(crate) fn optional_time(&self, column: usize) -> Result<Option<Timestamp>, StateError> {
        match self.0.get(column) {
            Some(Value::Null) => Ok(None),
            _ => self.time(column).map(Some),
        }
    }

    /// Returns a column that is a time.
    pub(crate) fn time(&self, column: usize) -> Result<Timestamp, StateError> {
        let time = Timestamp::from_microsecond(self.number(column)?);
        time.map_err(|error| StateError::Foreign(error.to_string()))
    }
}

/// Encodes a record.
pub(crate) fn encoded(record: &impl Serialize) -> Result<String, StateError> {
    serde_json::to_string(record).map_err(StateError::unreachable)
}

fn unexpected(column: usize, value: Option<&Value>) -> StateError {
    StateError::Foreign(format!("the column {column} of a row holds {value:?}"))
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Number(i64::from(value))
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Self {
        Self::Number(time.as_microsecond())
    }
}
