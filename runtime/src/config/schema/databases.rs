//! The schema of `[databases.*]`.

use serde_json::{Value, json};

use super::keys::{required, string, table};
use crate::config::databases::DATABASE_KEYS;

pub(super) fn databases() -> Value {
    let about = "A PostgreSQL database. The statements of `statements/NAME.toml` are its tools.";
    let database = table(about, &DATABASE_KEYS, &|_| {
        string("The address of the database. The user and the password are credentials.")
            .example("postgres://db.example/stock")
    });
    json!({
        "type": "object",
        "propertyNames": {"examples": ["stock"]},
        "additionalProperties": required(database, &["url"]),
        "description": "The databases, by the names of their services. See docs/statements.md.",
    })
}
