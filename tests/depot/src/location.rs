//! Places, each inside a larger one.

use serde::{Deserialize, Serialize};

use crate::values::Text;

/// The maximum nesting depth of places.
const MAX_DEPTH: usize = 6;

/// The kind of a place, ordered from largest to smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlaceKind {
    Site,
    Room,
    Rack,
    Shelf,
    Bin,
}

/// A place with the larger places that contain it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Place")]
pub(crate) struct Location(Place);

/// A place of unchecked depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) kind: PlaceKind,
    pub(crate) name: Text<60>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) within: Option<Box<Place>>,
}

impl Location {
    /// Returns the places from largest to smallest.
    pub(crate) fn path(&self) -> Vec<&Place> {
        let mut path = chain(&self.0);
        path.reverse();
        path
    }
}

impl TryFrom<Place> for Location {
    type Error = String;

    fn try_from(place: Place) -> Result<Self, String> {
        if chain(&place).len() <= MAX_DEPTH {
            Ok(Self(place))
        } else {
            Err(format!("places are nested at most {MAX_DEPTH} deep"))
        }
    }
}

/// Returns the place and the places that contain it, the smallest first.
fn chain(place: &Place) -> Vec<&Place> {
    std::iter::successors(Some(place), |place| place.within.as_deref()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    fn nested(depth: usize) -> Value {
        (1..depth).fold(
            json!({"kind": "site", "name": "A"}),
            |outer, n| json!({"kind": "bin", "name": n.to_string(), "within": outer}),
        )
    }

    #[test]
    fn places_are_nested_at_most_six_deep() {
        let location: Location = from_value(nested(6)).unwrap();
        let names: Vec<_> = location
            .path()
            .iter()
            .map(|place| place.name.as_str())
            .collect();
        assert_eq!(names, ["A", "1", "2", "3", "4", "5"]);
        assert!(from_value::<Location>(nested(7)).is_err());
    }
}
