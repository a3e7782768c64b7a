//! Comments in the database.

use rusqlite::{Row, Transaction, named_params};
use uuid::Uuid;

use super::row;
use crate::{comment::Comment, cursor::Page, error::ApiError};

/// Adds a comment to an existing item.
pub(crate) fn insert(tx: &Transaction<'_>, item: Uuid, new: &Comment) -> Result<(), ApiError> {
    tx.execute(
        "INSERT INTO comments (id, item_id, author, text, created_at)
         VALUES (:id, :item, :author, :text, :created_at)",
        named_params! {
            ":id": new.id.to_string(),
            ":item": item.to_string(),
            ":author": new.author.as_str(),
            ":text": new.text.as_str(),
            ":created_at": new.created_at.to_string(),
        },
    )?;
    Ok(())
}

/// Returns the comments of a page with their positions, plus the next one if there is one.
pub(crate) fn page(
    tx: &Transaction<'_>,
    item: Uuid,
    page: Page,
) -> Result<Vec<(i64, Comment)>, ApiError> {
    let mut statement = tx.prepare(
        "SELECT * FROM comments WHERE item_id = :item AND seq > :after
         ORDER BY seq LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":item": item.to_string(),
            ":after": page.after,
            ":limit": page.limit + 1,
        },
        |row| Ok((row.get("seq")?, read(row)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Comment> {
    Ok(Comment {
        id: row::plain(row, "id")?,
        author: row::plain(row, "author")?,
        text: row::plain(row, "text")?,
        created_at: row::plain(row, "created_at")?,
    })
}
