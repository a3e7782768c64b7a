//! Creations that named themselves with an idempotency key, and what they answered.

use rusqlite::{OptionalExtension, Transaction};

use super::row;
use crate::{
    error::{ApiError, Code},
    item::Item,
};

/// What an earlier creation with this key answered, if there was one.
///
/// `digest` stands for the body of the request. A key that was used with another body is refused.
pub(crate) fn repeated(
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
            Err(ApiError::new(Code::IdempotencyKeyReused, message).at("Idempotency-Key"))
        }
        None => Ok(None),
    }
}

/// Keeps what a creation answered.
pub(crate) fn keep(
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
