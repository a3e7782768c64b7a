//! Creations with an idempotency key, and their responses.

use rusqlite::{OptionalExtension, Transaction};

use super::row;
use crate::{
    error::{ApiError, Code},
    item::Item,
};

/// Returns the response of an earlier creation with this key.
///
/// `digest` identifies the body of the request. A key that was used with another body is rejected.
pub(crate) fn find(
    tx: &Transaction<'_>,
    key: &str,
    digest: &str,
) -> Result<Option<Item>, ApiError> {
    let sql = "SELECT digest, answer FROM creations WHERE key = ?1";
    let earlier = tx
        .query_row(sql, [key], |row| {
            Ok((row.get::<_, String>("digest")?, row::json(row, "answer")?))
        })
        .optional()?;
    match earlier {
        Some((same, answer)) if same == digest => Ok(Some(answer)),
        Some(_) => {
            let message = "the idempotency key was used for another item";
            Err(ApiError::new(Code::IdempotencyKeyReused, message).with_field("Idempotency-Key"))
        }
        None => Ok(None),
    }
}

/// Stores the response of a creation.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    key: &str,
    digest: &str,
    answer: &Item,
) -> Result<(), ApiError> {
    tx.execute(
        "INSERT INTO creations (key, digest, answer) VALUES (?1, ?2, ?3)",
        [key, digest, &serde_json::to_string(answer)?],
    )?;
    Ok(())
}
