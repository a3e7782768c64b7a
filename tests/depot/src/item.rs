//! Items and their transitions.

use jiff::{Timestamp, civil::Date};
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use crate::{
    error::{ApiError, Code},
    location::Location,
    values::{Attributes, Price, Quantity, Sku, Tags, Text, Weight},
};

/// The state of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    InStock,
    Reserved,
    Shipped,
}

/// An item in the warehouse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) id: Uuid,
    pub(crate) sku: Sku,
    pub(crate) name: Text<120>,
    pub(crate) description: Option<Text<2000>>,
    pub(crate) status: Status,
    pub(crate) quantity: Quantity,
    pub(crate) unit_price: Option<Price>,
    pub(crate) weight_kg: Option<Weight>,
    pub(crate) received_on: Option<Date>,
    pub(crate) tags: Tags,
    pub(crate) location: Option<Location>,
    pub(crate) attributes: Attributes,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// The fields of a new item.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewItem {
    sku: Sku,
    name: Text<120>,
    description: Option<Text<2000>>,
    quantity: Quantity,
    unit_price: Option<Price>,
    weight_kg: Option<Weight>,
    received_on: Option<Date>,
    #[serde(default)]
    tags: Tags,
    location: Option<Location>,
    #[serde(default)]
    attributes: Attributes,
}

/// The fields of an item to replace.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ItemChanges {
    #[serde(deserialize_with = "deserialize_present")]
    name: Option<Text<120>>,
    description: Change<Text<2000>>,
    #[serde(deserialize_with = "deserialize_present")]
    quantity: Option<Quantity>,
    unit_price: Change<Price>,
    weight_kg: Change<Weight>,
    received_on: Change<Date>,
    #[serde(deserialize_with = "deserialize_present")]
    tags: Option<Tags>,
    location: Change<Location>,
    #[serde(deserialize_with = "deserialize_present")]
    attributes: Option<Attributes>,
}

/// A state to move an item to.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transition {
    pub(crate) to: Status,
}

/// A change to a nullable field: absent keeps it and null clears it.
#[derive(Clone, Debug, Default)]
enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl Status {
    /// The name of the status in documents and messages.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::InStock => "in_stock",
            Self::Reserved => "reserved",
            Self::Shipped => "shipped",
        }
    }

    const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::InStock, Self::Reserved) | (Self::Reserved, Self::InStock | Self::Shipped)
        )
    }
}

impl Item {
    /// Returns a new item in stock.
    pub(crate) fn new(id: Uuid, from: NewItem, now: Timestamp) -> Self {
        Self {
            id,
            sku: from.sku,
            name: from.name,
            description: from.description,
            status: Status::InStock,
            quantity: from.quantity,
            unit_price: from.unit_price,
            weight_kg: from.weight_kg,
            received_on: from.received_on,
            tags: from.tags,
            location: from.location,
            attributes: from.attributes,
            created_at: now,
            updated_at: now,
        }
    }

    /// Replaces the given fields. Rejects changes to a shipped item.
    pub(crate) fn change(&mut self, changes: ItemChanges, now: Timestamp) -> Result<(), ApiError> {
        if self.status == Status::Shipped {
            let message = "a shipped item cannot be updated";
            return Err(ApiError::new(Code::ItemShipped, message));
        }
        replace(&mut self.name, changes.name);
        changes.description.apply(&mut self.description);
        replace(&mut self.quantity, changes.quantity);
        changes.unit_price.apply(&mut self.unit_price);
        changes.weight_kg.apply(&mut self.weight_kg);
        changes.received_on.apply(&mut self.received_on);
        replace(&mut self.tags, changes.tags);
        changes.location.apply(&mut self.location);
        replace(&mut self.attributes, changes.attributes);
        self.updated_at = now;
        Ok(())
    }

    /// Moves the item to another state.
    pub(crate) fn transition(&mut self, to: Status, now: Timestamp) -> Result<(), ApiError> {
        if !self.status.may_become(to) {
            let (from, to) = (self.status.word(), to.word());
            let message = format!("an item cannot go from `{from}` to `{to}`");
            return Err(ApiError::new(Code::TransitionNotAllowed, message).with_field("to"));
        }
        self.status = to;
        self.updated_at = now;
        Ok(())
    }

    /// Rejects the deletion of a reserved item.
    pub(crate) fn check_deletable(&self) -> Result<(), ApiError> {
        if self.status == Status::Reserved {
            let message = "a reserved item cannot be deleted before it is back in stock";
            return Err(ApiError::new(Code::ItemReserved, message));
        }
        Ok(())
    }

    /// The lower-case string that a search looks in.
    pub(crate) fn search_text(&self) -> String {
        let description = self.description.as_ref().map_or("", Text::as_str);
        let tags = self.tags.get().iter().map(|tag| tag.get().as_str());
        let mut parts = vec![self.sku.get().as_str(), self.name.as_str(), description];
        parts.extend(tags);
        parts.join("\n").to_lowercase()
    }
}

impl ItemChanges {
    /// Rejects an update without fields.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let given = self.name.is_some()
            || self.quantity.is_some()
            || self.tags.is_some()
            || self.attributes.is_some()
            || self.description.is_given()
            || self.unit_price.is_given()
            || self.weight_kg.is_given()
            || self.received_on.is_given()
            || self.location.is_given();
        if given {
            return Ok(());
        }
        let message = "an update must contain at least one field";
        Err(ApiError::new(Code::InvalidValue, message))
    }
}

impl<T> Change<T> {
    const fn is_given(&self) -> bool {
        !matches!(self, Self::Keep)
    }

    fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Option::deserialize(deserializer)? {
            None => Self::Clear,
            Some(value) => Self::Set(value),
        })
    }
}

/// Deserializes a field that may be absent but not null.
fn deserialize_present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn replace<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    fn item() -> Item {
        let new = json!({"sku": "LAMP-0042", "name": "Lamp", "quantity": 1, "unit_price": 2.5});
        Item::new(Uuid::nil(), from_value(new).unwrap(), Timestamp::UNIX_EPOCH)
    }

    fn changes(value: Value) -> ItemChanges {
        from_value(value).unwrap()
    }

    #[test]
    fn transitions_follow_the_state_machine() {
        use Status::{InStock, Reserved, Shipped};
        let all = [InStock, Reserved, Shipped];
        let allowed: Vec<_> = all
            .iter()
            .flat_map(|from| all.iter().map(move |to| (*from, *to)))
            .filter(|(from, to)| from.may_become(*to))
            .collect();
        assert_eq!(
            allowed,
            [
                (InStock, Reserved),
                (Reserved, InStock),
                (Reserved, Shipped)
            ]
        );
    }

    #[test]
    fn null_clears_a_field_and_absence_keeps_it() {
        let mut item = item();
        let now = Timestamp::UNIX_EPOCH;
        item.change(changes(json!({"name": "Lantern"})), now)
            .unwrap();
        assert_eq!(item.unit_price.as_ref().map(Price::get), Some(&2.5));
        item.change(changes(json!({"unit_price": null})), now)
            .unwrap();
        assert_eq!((item.unit_price, item.name.as_str()), (None, "Lantern"));
        assert!(from_value::<ItemChanges>(json!({"name": null})).is_err());
        assert!(from_value::<ItemChanges>(json!({"sku": "AB-123"})).is_err());
    }

    #[test]
    fn empty_updates_are_rejected() {
        assert!(changes(json!({})).check().is_err());
        assert!(changes(json!({"location": null})).check().is_ok());
    }

    #[test]
    fn shipped_items_cannot_change() {
        let mut item = item();
        item.status = Status::Shipped;
        let result = item.change(changes(json!({"quantity": 2})), Timestamp::UNIX_EPOCH);
        assert!(result.is_err());
        assert_eq!(item.quantity.get(), &1);
    }
}
