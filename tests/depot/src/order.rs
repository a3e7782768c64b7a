//! Simulated orders: can they be filled, and at which price.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    item::{Item, Status},
    values::{Price, Quantity, Sku},
};

/// The maximum number of lines in an order.
const MAX_LINES: usize = 50;

/// An order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    pub(crate) lines: Lines,
}

/// The lines of an order, at least one.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Vec<OrderLine>")]
pub(crate) struct Lines(Vec<OrderLine>);

/// The quantity of one SKU.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrderLine {
    sku: Sku,
    quantity: Wanted,
}

/// An ordered quantity, at least one.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u32")]
struct Wanted(u32);

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct OrderSimulation {
    fillable: bool,
    total: Option<f64>,
    lines: Vec<LineOutcome>,
}

/// The result for one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
enum LineOutcome {
    Filled {
        sku: Sku,
        remaining: u32,
    },
    Short {
        sku: Sku,
        available: u32,
        missing: u32,
    },
    Unknown {
        sku: Sku,
    },
}

impl Order {
    /// The distinct SKUs of the order.
    pub(crate) fn skus(&self) -> Vec<Sku> {
        let lines = self.lines.0.iter();
        let by_text: BTreeMap<_, _> = lines.map(|line| (line.sku.get(), &line.sku)).collect();
        by_text.into_values().cloned().collect()
    }

    /// Fills the lines in order from the items by SKU. Takes only items that are in stock.
    pub(crate) fn simulate(self, items: &BTreeMap<String, Item>) -> OrderSimulation {
        let mut left: BTreeMap<&str, u32> = items
            .iter()
            .map(|(sku, item)| (sku.as_str(), available(item)))
            .collect();
        let mut cost = Some(0.0);
        let mut lines = Vec::new();
        for line in self.lines.0 {
            let outcome = line.fill(left.get_mut(line.sku.get().as_str()));
            if matches!(outcome, LineOutcome::Filled { .. }) {
                let price = items
                    .get(line.sku.get())
                    .and_then(|item| item.unit_price.as_ref());
                cost = cost
                    .zip(price.map(Price::get))
                    .map(|(sum, euro): (f64, _)| sum + euro * f64::from(line.quantity.0));
            }
            lines.push(outcome);
        }
        OrderSimulation {
            fillable: lines
                .iter()
                .all(|line| matches!(line, LineOutcome::Filled { .. })),
            total: cost.map(to_cents),
            lines,
        }
    }
}

impl OrderLine {
    /// Takes the line's quantity from the remaining stock, if there is enough.
    fn fill(&self, left: Option<&mut u32>) -> LineOutcome {
        let sku = self.sku.clone();
        let Some(left) = left else {
            return LineOutcome::Unknown { sku };
        };
        match left.checked_sub(self.quantity.0) {
            Some(remaining) => {
                *left = remaining;
                LineOutcome::Filled { sku, remaining }
            }
            None => LineOutcome::Short {
                sku,
                available: *left,
                missing: self.quantity.0 - *left,
            },
        }
    }
}

impl TryFrom<Vec<OrderLine>> for Lines {
    type Error = String;

    fn try_from(lines: Vec<OrderLine>) -> Result<Self, String> {
        if (1..=MAX_LINES).contains(&lines.len()) {
            Ok(Self(lines))
        } else {
            Err(format!("an order has 1 to {MAX_LINES} lines"))
        }
    }
}

impl TryFrom<u32> for Wanted {
    type Error = String;

    fn try_from(units: u32) -> Result<Self, String> {
        match Quantity::new(units) {
            Ok(_) if units > 0 => Ok(Self(units)),
            _ => Err("a line wants 1 to 100000 units".to_owned()),
        }
    }
}

/// Rounds an amount to cents.
pub(crate) fn to_cents(euro: f64) -> f64 {
    (euro * 100.0).round() / 100.0
}

fn available(item: &Item) -> u32 {
    match item.status {
        Status::InStock => *item.quantity.get(),
        Status::Reserved | Status::Shipped => 0,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, from_value, json, to_value};
    use uuid::Uuid;

    use super::*;

    fn items(rows: &[(&str, u32, Value)]) -> BTreeMap<String, Item> {
        let item = |(sku, quantity, price): &(&str, u32, Value)| {
            let new = json!({"sku": sku, "name": "x", "quantity": quantity, "unit_price": price});
            let new = from_value(new).unwrap();
            (
                (*sku).to_owned(),
                Item::new(Uuid::nil(), new, Timestamp::UNIX_EPOCH),
            )
        };
        rows.iter().map(item).collect()
    }

    fn simulate(lines: Value, items: &BTreeMap<String, Item>) -> Value {
        let order: Order = from_value(json!({"lines": lines})).unwrap();
        to_value(order.simulate(items)).unwrap()
    }

    #[test]
    fn lines_of_one_sku_share_its_stock() {
        let items = items(&[("LAMP-001", 5, json!(0.1))]);
        let wanted =
            json!([{"sku": "LAMP-001", "quantity": 3}, {"sku": "LAMP-001", "quantity": 3}]);
        assert_eq!(
            simulate(wanted, &items),
            json!({"fillable": false, "total": 0.3, "lines": [
                {"outcome": "filled", "sku": "LAMP-001", "remaining": 2},
                {"outcome": "short", "sku": "LAMP-001", "available": 2, "missing": 1},
            ]})
        );
    }

    #[test]
    fn an_unknown_price_makes_the_total_unknown() {
        let items = items(&[("LAMP-001", 5, json!(null)), ("LAMP-002", 5, json!(1))]);
        let wanted =
            json!([{"sku": "LAMP-001", "quantity": 1}, {"sku": "LAMP-002", "quantity": 1}]);
        let answer = simulate(wanted, &items);
        assert_eq!(
            (&answer["fillable"], &answer["total"]),
            (&json!(true), &json!(null))
        );
    }

    #[test]
    fn reserved_and_unknown_items_are_not_taken() {
        let mut items = items(&[("LAMP-001", 5, json!(1))]);
        items.get_mut("LAMP-001").unwrap().status = Status::Reserved;
        let wanted =
            json!([{"sku": "LAMP-001", "quantity": 1}, {"sku": "NONE-001", "quantity": 1}]);
        assert_eq!(
            simulate(wanted, &items)["lines"],
            json!([
                {"outcome": "short", "sku": "LAMP-001", "available": 0, "missing": 1},
                {"outcome": "unknown", "sku": "NONE-001"},
            ])
        );
    }
}
