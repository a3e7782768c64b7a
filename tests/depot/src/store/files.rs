//! Files in the database.

use rusqlite::{OptionalExtension, Row, Transaction, named_params};
use uuid::Uuid;

use super::row;
use crate::{
    error::{ApiError, Code},
    file::ItemFile,
};

/// The metadata columns of a file, in order.
const COLUMNS: &str = "id, label, filename, media_type, size, sha256, uploaded_at";

/// Adds a file to an existing item.
pub(crate) fn insert(
    tx: &Transaction<'_>,
    item: Uuid,
    file: &ItemFile,
    content: &[u8],
) -> Result<(), ApiError> {
    tx.execute(
        &format!(
            "INSERT INTO files ({COLUMNS}, item_id, content)
             VALUES (:id, :label, :filename, :media_type, :size, :sha256, :uploaded_at,
                 :item, :content)"
        ),
        named_params! {
            ":id": file.id.to_string(),
            ":label": file.label.as_str(),
            ":filename": file.filename,
            ":media_type": file.media_type,
            ":size": file.size,
            ":sha256": file.sha256,
            ":uploaded_at": file.uploaded_at.to_string(),
            ":item": item.to_string(),
            ":content": content,
        },
    )?;
    Ok(())
}

/// Returns the files of an item, the oldest first.
pub(crate) fn list(tx: &Transaction<'_>, item: Uuid) -> Result<Vec<ItemFile>, ApiError> {
    let sql = format!("SELECT {COLUMNS} FROM files WHERE item_id = ?1 ORDER BY seq");
    let mut statement = tx.prepare(&sql)?;
    let rows = statement.query_map([item.to_string()], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns a file of an item with its content.
pub(crate) fn get(
    tx: &Transaction<'_>,
    item: Uuid,
    file: Uuid,
) -> Result<(ItemFile, Vec<u8>), ApiError> {
    let sql = format!("SELECT {COLUMNS}, content FROM files WHERE item_id = ?1 AND id = ?2");
    let ids = [item.to_string(), file.to_string()];
    let found = tx
        .query_row(&sql, ids, |row| Ok((read(row)?, row.get("content")?)))
        .optional()?;
    found.ok_or_else(|| {
        let message = format!("the item `{item}` has no file `{file}`");
        ApiError::new(Code::NotFound, message)
    })
}

fn read(row: &Row<'_>) -> rusqlite::Result<ItemFile> {
    Ok(ItemFile {
        id: row::plain(row, "id")?,
        label: row::plain(row, "label")?,
        filename: row::plain(row, "filename")?,
        media_type: row::plain(row, "media_type")?,
        size: row::plain(row, "size")?,
        sha256: row::plain(row, "sha256")?,
        uploaded_at: row::plain(row, "uploaded_at")?,
    })
}
