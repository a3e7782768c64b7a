//! Values with rules, which are checked when a value is read.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// Defines a newtype whose values satisfy `$check`. `$raw` names the type it is read from.
macro_rules! checked {
    ($(#[$doc:meta])* $name:ident, $inner:ty, $raw:literal, $rule:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = $raw)]
        pub(crate) struct $name($inner);

        impl $name {
            pub(crate) fn new(value: $inner) -> Result<Self, String> {
                let obeys: fn(&$inner) -> bool = $check;
                if obeys(&value) { Ok(Self(value)) } else { Err($rule.to_owned()) }
            }

            pub(crate) const fn get(&self) -> &$inner {
                &self.0
            }
        }

        impl TryFrom<$inner> for $name {
            type Error = String;

            fn try_from(value: $inner) -> Result<Self, String> {
                Self::new(value)
            }
        }
    };
}

checked!(
    /// A stock keeping unit, such as `LAMP-0042`.
    Sku,
    String,
    "String",
    "a SKU has two to six capital letters, a hyphen and three to six digits",
    |text| {
        text.split_once('-').is_some_and(|(letters, digits)| {
            is_made_of(letters, 2..=6, |c| c.is_ascii_uppercase())
                && is_made_of(digits, 3..=6, |c| c.is_ascii_digit())
        })
    }
);

checked!(
    /// A word to find an item by.
    Tag,
    String,
    "String",
    "a tag has at most 30 lower-case letters, digits and hyphens and does not begin with a hyphen",
    |text| {
        !text.starts_with('-')
            && is_made_of(text, 1..=30, |c| {
                c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
            })
    }
);

checked!(
    /// The distinct tags of an item.
    #[derive(Default)]
    Tags,
    Vec<Tag>,
    "Vec<Tag>",
    "an item has at most 20 tags, each of them once",
    |tags| {
        let different: BTreeSet<_> = tags.iter().map(|tag| &tag.0).collect();
        tags.len() <= 20 && different.len() == tags.len()
    }
);

checked!(
    /// A number of units.
    Quantity,
    u32,
    "u32",
    "a quantity is between 0 and 100000",
    |&units| units <= 100_000
);

checked!(
    /// The value of one unit in euro.
    Price,
    f64,
    "f64",
    "a price is at least 0 and less than 1000000",
    |euro| (0.0..1_000_000.0).contains(euro)
);

checked!(
    /// The weight of one unit in kilograms.
    Weight,
    f64,
    "f64",
    "a weight is more than 0 and at most 5000",
    |&kilograms| kilograms > 0.0 && kilograms <= 5000.0
);

checked!(
    /// Further properties of an item, by name.
    #[derive(Default)]
    Attributes,
    BTreeMap<String, Text<200>>,
    "BTreeMap<String, Text<200>>",
    "an item has at most 20 attributes, whose names have at most 30 lower-case letters, digits and underscores and begin with a letter",
    |attributes| {
        attributes.len() <= 20
            && attributes.keys().all(|name| {
                name.starts_with(|c: char| c.is_ascii_lowercase())
                    && is_made_of(name, 1..=30, |c| {
                        c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'
                    })
            })
    }
);

/// A string of 1 to `MAX` characters that is not blank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Text<const MAX: usize>(String);

impl<const MAX: usize> Text<MAX> {
    pub(crate) fn new(text: String) -> Result<Self, String> {
        if !text.trim().is_empty() && text.chars().count() <= MAX {
            Ok(Self(text))
        } else {
            Err(format!(
                "a string must have 1 to {MAX} characters and not be blank"
            ))
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(text)
    }
}

impl Text<60> {
    /// The default author of a comment.
    pub(crate) fn anonymous() -> Self {
        Self("anonymous".to_owned())
    }
}

/// Returns true if the string has an allowed length and all its characters match.
fn is_made_of(
    text: &str,
    lengths: std::ops::RangeInclusive<usize>,
    kind: impl FnMut(char) -> bool,
) -> bool {
    lengths.contains(&text.len()) && text.chars().all(kind)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    fn is_valid<T: serde::de::DeserializeOwned>(value: Value) -> bool {
        from_value::<T>(value).is_ok()
    }

    #[test]
    fn strings_must_match_their_patterns() {
        for good in ["AB-123", "ABCDEF-123456"] {
            assert!(is_valid::<Sku>(json!(good)), "{good}");
        }
        for bad in [
            "",
            "A-123",
            "ab-123",
            "AB123",
            "AB-12",
            "AB-123-4",
            "ABCDEFG-123",
        ] {
            assert!(!is_valid::<Sku>(json!(bad)), "{bad}");
        }
        for good in ["a", "3d-print", "x-"] {
            assert!(is_valid::<Tag>(json!(good)), "{good}");
        }
        for bad in ["", "-a", "A", "a b", "é"] {
            assert!(!is_valid::<Tag>(json!(bad)), "{bad}");
        }
    }

    #[test]
    fn numbers_must_be_within_their_bounds() {
        assert!(is_valid::<Quantity>(json!(0)) && is_valid::<Quantity>(json!(100_000)));
        assert!(!is_valid::<Quantity>(json!(-1)) && !is_valid::<Quantity>(json!(100_001)));
        assert!(is_valid::<Price>(json!(0)) && !is_valid::<Price>(json!(1_000_000)));
        assert!(is_valid::<Weight>(json!(5000)) && !is_valid::<Weight>(json!(0)));
    }

    #[test]
    fn collections_are_bounded() {
        assert!(!is_valid::<Tags>(json!(["a", "a"])));
        let many: Vec<_> = (0..21).map(|n| format!("t{n}")).collect();
        assert!(!is_valid::<Tags>(json!(many)));
        assert!(is_valid::<Attributes>(json!({"colour": "red"})));
        assert!(!is_valid::<Attributes>(json!({"Colour": "red"})));
        assert!(!is_valid::<Attributes>(json!({"colour": ""})));
    }

    #[test]
    fn string_length_is_counted_in_characters() {
        assert!(is_valid::<Text<3>>(json!("äöü")));
        assert!(!is_valid::<Text<3>>(json!("abcd")));
        assert!(!is_valid::<Text<3>>(json!(" \t")));
    }
}
