//! The sample items of a new inventory.

use jiff::Timestamp;
use rusqlite::Transaction;
use serde::Deserialize;
use uuid::Uuid;

use crate::{
    error::ApiError,
    item::{Item, NewItem, Status},
    store::items,
};

/// The samples, with fixed ids.
const SAMPLES: &str = include_str!("../samples/items.json");

/// One sample.
#[derive(Deserialize)]
struct Sample {
    id: Uuid,
    status: Status,
    item: NewItem,
}

/// Adds the samples to an inventory without items.
pub(crate) fn add(tx: &Transaction<'_>, now: Timestamp) -> Result<(), ApiError> {
    if !items::all(tx)?.is_empty() {
        return Ok(());
    }
    for sample in serde_json::from_str::<Vec<Sample>>(SAMPLES)? {
        let mut item = Item::new(sample.id, sample.item, now);
        item.status = sample.status;
        items::insert(tx, &item)?;
    }
    Ok(())
}
