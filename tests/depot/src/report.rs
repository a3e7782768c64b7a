//! The stock report: figures derived from all items.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use uuid::Uuid;

use crate::{
    item::{Item, Status},
    location::{Place, PlaceKind},
    order::to_cents,
    values::{Quantity, Sku, Text},
};

/// The report.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct StockReport {
    generated_at: Timestamp,
    total: Stock,
    value: f64,
    by_status: BTreeMap<Status, Stock>,
    places: Vec<PlaceStock>,
    low: Vec<LowStock>,
}

/// A number of items and their units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
struct Stock {
    items: u64,
    units: u64,
}

/// The stock at a place and all places inside it.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct PlaceStock {
    kind: PlaceKind,
    name: String,
    #[serde(flatten)]
    stock: Stock,
    holds: Vec<Self>,
}

/// An item in stock with a low quantity.
#[derive(Clone, Debug, Serialize)]
struct LowStock {
    id: Uuid,
    sku: Sku,
    name: Text<120>,
    quantity: Quantity,
}

impl StockReport {
    /// Derives the report. A quantity below `low_below` is low.
    pub(crate) fn derive(items: &[Item], low_below: u32, now: Timestamp) -> Self {
        let mut by_status = BTreeMap::<_, Stock>::new();
        let mut total = Stock::default();
        let mut value = 0.0;
        let mut places = Vec::new();
        for item in items {
            let units = *item.quantity.get();
            by_status.entry(item.status).or_default().add(units);
            if item.status == Status::Shipped {
                continue;
            }
            total.add(units);
            value += item.unit_price.as_ref().map_or(0.0, |price| *price.get()) * f64::from(units);
            if let Some(location) = &item.location {
                count_at(&mut places, &location.path(), units);
            }
        }
        Self {
            generated_at: now,
            total,
            value: to_cents(value),
            by_status,
            places,
            low: low_stock(items, low_below),
        }
    }
}

impl Stock {
    fn add(&mut self, units: u32) {
        self.items += 1;
        self.units += u64::from(units);
    }
}

impl PlaceStock {
    fn empty(place: &Place) -> Self {
        Self {
            kind: place.kind,
            name: place.name.as_str().to_owned(),
            stock: Stock::default(),
            holds: Vec::new(),
        }
    }
}

/// Counts an item at each place of its path, from the largest to the smallest.
fn count_at(places: &mut Vec<PlaceStock>, path: &[&Place], units: u32) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    let sought = (first.kind, first.name.as_str());
    let found = places.binary_search_by(|place| (place.kind, place.name.as_str()).cmp(&sought));
    let index = found.unwrap_or_else(|index| {
        places.insert(index, PlaceStock::empty(first));
        index
    });
    if let Some(place) = places.get_mut(index) {
        place.stock.add(units);
        count_at(&mut place.holds, rest, units);
    }
}

/// Returns the items in stock with a low quantity, the lowest first.
fn low_stock(items: &[Item], low_below: u32) -> Vec<LowStock> {
    let mut low: Vec<_> = items
        .iter()
        .filter(|item| item.status == Status::InStock && *item.quantity.get() < low_below)
        .map(|item| LowStock {
            id: item.id,
            sku: item.sku.clone(),
            name: item.name.clone(),
            quantity: item.quantity.clone(),
        })
        .collect();
    low.sort_by_key(|item| (*item.quantity.get(), item.sku.get().clone()));
    low
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json, to_value};

    use super::*;

    fn item(sku: &str, quantity: u32, status: Status, location: Value) -> Item {
        let new = json!({
            "sku": sku, "name": sku, "quantity": quantity, "unit_price": 0.1, "location": location
        });
        let mut item = Item::new(Uuid::nil(), from_value(new).unwrap(), Timestamp::UNIX_EPOCH);
        item.status = status;
        item
    }

    #[test]
    fn the_figures_add_up() {
        let shelf = |name: &str| json!({"kind": "shelf", "name": name, "within": {"kind": "site", "name": "A"}});
        let items = [
            item("LAMP-001", 3, Status::InStock, shelf("S2")),
            item("LAMP-002", 1, Status::InStock, shelf("S1")),
            item("LAMP-003", 2, Status::Reserved, shelf("S1")),
            item("LAMP-004", 9, Status::Shipped, shelf("S1")),
            item("LAMP-005", 9, Status::InStock, json!(null)),
        ];
        let report = StockReport::derive(&items, 4, Timestamp::UNIX_EPOCH);
        let mut report = to_value(report).unwrap();
        let low: Vec<_> = report["low"]
            .as_array()
            .unwrap()
            .iter()
            .map(|l| l["sku"].clone())
            .collect();
        assert_eq!(low, ["LAMP-002", "LAMP-001"]);
        report["low"].take();
        assert_eq!(
            report,
            json!({
                "generated_at": "1970-01-01T00:00:00Z",
                "total": {"items": 4, "units": 15},
                "value": 1.5,
                "by_status": {
                    "in_stock": {"items": 3, "units": 13},
                    "reserved": {"items": 1, "units": 2},
                    "shipped": {"items": 1, "units": 9},
                },
                "places": [{"kind": "site", "name": "A", "items": 3, "units": 6, "holds": [
                    {"kind": "shelf", "name": "S1", "items": 2, "units": 3, "holds": []},
                    {"kind": "shelf", "name": "S2", "items": 1, "units": 3, "holds": []},
                ]}],
                "low": null,
            })
        );
    }
}
