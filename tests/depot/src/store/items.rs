//! Items in the database.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Params, Row, Transaction, named_params};
use serde::Serialize;
use uuid::Uuid;

use super::row;
use crate::{
    cursor::Page,
    error::{ApiError, Code},
    item::{Item, Status},
    values::{Price, Quantity, Sku, Tag, Text, Weight},
};

/// The conditions on listed items. An absent one matches all items.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemFilter {
    pub(crate) status: Option<Status>,
    pub(crate) tags: Vec<Tag>,
    pub(crate) min: Option<Quantity>,
    pub(crate) max: Option<Quantity>,
}

/// Adds an item. Its SKU must be unused.
pub(crate) fn insert(tx: &Transaction<'_>, item: &Item) -> Result<(), ApiError> {
    if find_by_sku(tx, &item.sku)?.is_some() {
        let message = format!("the SKU `{}` is in use", item.sku.get());
        return Err(ApiError::new(Code::DuplicateSku, message).with_field("sku"));
    }
    write(
        tx,
        "INSERT INTO items (id, sku, name, description, status, quantity, unit_price, weight_kg,
             received_on, tags, location, attributes, created_at, updated_at, search_text)
         VALUES (:id, :sku, :name, :description, :status, :quantity, :unit_price, :weight_kg,
             :received_on, :tags, :location, :attributes, :created_at, :updated_at, :search_text)",
        item,
    )
}

/// Replaces the mutable columns of an item.
pub(crate) fn replace(tx: &Transaction<'_>, item: &Item) -> Result<(), ApiError> {
    write(
        tx,
        "UPDATE items SET sku = :sku, name = :name, description = :description, status = :status,
             quantity = :quantity, unit_price = :unit_price, weight_kg = :weight_kg,
             received_on = :received_on, tags = :tags, location = :location,
             attributes = :attributes, created_at = :created_at, updated_at = :updated_at,
             search_text = :search_text
         WHERE id = :id",
        item,
    )
}

/// Deletes an item with its comments and files.
pub(crate) fn delete(tx: &Transaction<'_>, id: Uuid) -> Result<(), ApiError> {
    tx.execute("DELETE FROM items WHERE id = ?1", [id.to_string()])?;
    Ok(())
}

/// Returns the item with this id.
pub(crate) fn get(tx: &Transaction<'_>, id: Uuid) -> Result<Item, ApiError> {
    let sql = "SELECT * FROM items WHERE id = ?1";
    let found = tx.query_row(sql, [id.to_string()], read).optional()?;
    found.ok_or_else(|| ApiError::new(Code::NotFound, format!("there is no item `{id}`")))
}

/// Returns all items, in the order of their creation.
pub(crate) fn all(tx: &Transaction<'_>) -> Result<Vec<Item>, ApiError> {
    select(tx, "SELECT * FROM items ORDER BY seq", [])
}

/// Returns the items with these SKUs, keyed by SKU. Skips unknown SKUs.
pub(crate) fn by_sku(
    tx: &Transaction<'_>,
    skus: &[Sku],
) -> Result<BTreeMap<String, Item>, ApiError> {
    let mut found = BTreeMap::new();
    for sku in skus {
        if let Some(item) = find_by_sku(tx, sku)? {
            found.insert(sku.get().clone(), item);
        }
    }
    Ok(found)
}

/// Returns the items of a page with their positions, plus the next one if there is one.
pub(crate) fn page(
    tx: &Transaction<'_>,
    filter: &ItemFilter,
    page: Page,
) -> Result<Vec<(i64, Item)>, ApiError> {
    let mut statement = tx.prepare(
        "SELECT * FROM items
         WHERE seq > :after
           AND (:status IS NULL OR status = :status)
           AND (:min IS NULL OR quantity >= :min)
           AND (:max IS NULL OR quantity <= :max)
           AND NOT EXISTS (
               SELECT 1 FROM json_each(:tags) AS wanted
               WHERE wanted.value NOT IN (SELECT value FROM json_each(items.tags)))
         ORDER BY seq LIMIT :limit",
    )?;
    let rows = statement.query_map(
        named_params! {
            ":after": page.after,
            ":status": filter.status.map(Status::word),
            ":min": filter.min.as_ref().map(Quantity::get),
            ":max": filter.max.as_ref().map(Quantity::get),
            ":tags": to_json(&filter.tags)?,
            ":limit": page.limit + 1,
        },
        |row| Ok((row.get("seq")?, read(row)?)),
    )?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the newest items that contain every word.
pub(crate) fn search(
    tx: &Transaction<'_>,
    words: &[String],
    limit: usize,
) -> Result<Vec<Item>, ApiError> {
    select(
        tx,
        "SELECT * FROM items
         WHERE NOT EXISTS (
             SELECT 1 FROM json_each(:words) AS wanted
             WHERE instr(items.search_text, wanted.value) = 0)
         ORDER BY seq DESC LIMIT :limit",
        named_params! { ":words": to_json(words)?, ":limit": limit },
    )
}

fn find_by_sku(tx: &Transaction<'_>, sku: &Sku) -> Result<Option<Item>, ApiError> {
    let sql = "SELECT * FROM items WHERE sku = ?1";
    Ok(tx.query_row(sql, [sku.get()], read).optional()?)
}

fn select(tx: &Transaction<'_>, sql: &str, parameters: impl Params) -> Result<Vec<Item>, ApiError> {
    let mut statement = tx.prepare(sql)?;
    let rows = statement.query_map(parameters, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn write(tx: &Transaction<'_>, sql: &str, item: &Item) -> Result<(), ApiError> {
    tx.execute(
        sql,
        named_params! {
            ":id": item.id.to_string(),
            ":sku": item.sku.get(),
            ":name": item.name.as_str(),
            ":description": item.description.as_ref().map(Text::as_str),
            ":status": item.status.word(),
            ":quantity": item.quantity.get(),
            ":unit_price": item.unit_price.as_ref().map(Price::get),
            ":weight_kg": item.weight_kg.as_ref().map(Weight::get),
            ":received_on": item.received_on.map(|day| day.to_string()),
            ":tags": to_json(item.tags.get())?,
            ":location": item.location.as_ref().map(to_json).transpose()?,
            ":attributes": to_json(item.attributes.get())?,
            ":created_at": item.created_at.to_string(),
            ":updated_at": item.updated_at.to_string(),
            ":search_text": item.search_text(),
        },
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        id: row::plain(row, "id")?,
        sku: row::plain(row, "sku")?,
        name: row::plain(row, "name")?,
        description: row::plain(row, "description")?,
        status: row::plain(row, "status")?,
        quantity: row::plain(row, "quantity")?,
        unit_price: row::plain(row, "unit_price")?,
        weight_kg: row::plain(row, "weight_kg")?,
        received_on: row::plain(row, "received_on")?,
        tags: row::json(row, "tags")?,
        location: row::json(row, "location")?,
        attributes: row::json(row, "attributes")?,
        created_at: row::plain(row, "created_at")?,
        updated_at: row::plain(row, "updated_at")?,
    })
}

fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}
