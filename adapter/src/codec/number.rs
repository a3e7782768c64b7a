//! Numbers in their JSON form.

use std::{cmp::Ordering, fmt};

use serde_json::Value;

use super::{Codec, Reader};

/// A number in its JSON form: `5` stays `5`, and `5.0` stays `5.0`.
///
/// It is made with `into()` from Rust's numbers, and compares with them.
///
/// ```
/// use toolwright_adapter::codec::Number;
///
/// let price = Number::from(2.5);
/// assert_eq!(price, 2.5);
/// assert!(price < Number::from(3));
/// assert_eq!(f64::from(price), 2.5);
/// ```
#[derive(Clone, Copy)]
pub struct Number(Repr);

#[derive(Clone, Copy)]
enum Repr {
    Signed(i64),
    /// Above [`i64::MAX`].
    Unsigned(u64),
    Float(f64),
}

impl Number {
    /// The nearest floating-point number.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest is what is promised"
    )]
    pub const fn as_f64(self) -> f64 {
        match self.0 {
            Repr::Signed(number) => number as f64,
            Repr::Unsigned(number) => number as f64,
            Repr::Float(number) => number,
        }
    }

    /// The number, if it is written without a fraction and fits.
    #[must_use]
    pub const fn as_i64(self) -> Option<i64> {
        match self.0 {
            Repr::Signed(number) => Some(number),
            Repr::Unsigned(_) | Repr::Float(_) => None,
        }
    }

    /// The number, if it is written without a fraction and fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Repr::Signed(number) => u64::try_from(number).ok(),
            Repr::Unsigned(number) => Some(number),
            Repr::Float(_) => None,
        }
    }
}

impl Codec for Number {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let repr = value
            .as_i64()
            .map(Repr::Signed)
            .or_else(|| value.as_u64().map(Repr::Unsigned))
            .or_else(|| value.as_f64().map(Repr::Float));
        Self(repr.unwrap_or_else(|| {
            reader.mismatch("a number", &value);
            Repr::Signed(0)
        }))
    }

    /// JSON has no infinite or undefined numbers: write them as null.
    fn encode(&self) -> Value {
        match self.0 {
            Repr::Signed(number) => Value::from(number),
            Repr::Unsigned(number) => Value::from(number),
            Repr::Float(number) => Value::from(number),
        }
    }
}

impl Default for Number {
    fn default() -> Self {
        Self(Repr::Signed(0))
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Repr::Signed(number) => fmt::Display::fmt(&number, f),
            Repr::Unsigned(number) => fmt::Display::fmt(&number, f),
            Repr::Float(number) => fmt::Display::fmt(&number, f),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.0, other.0) {
            (Repr::Signed(a), Repr::Signed(b)) => Some(a.cmp(&b)),
            (Repr::Unsigned(a), Repr::Unsigned(b)) => Some(a.cmp(&b)),
            (Repr::Signed(_), Repr::Unsigned(_)) => Some(Ordering::Less),
            (Repr::Unsigned(_), Repr::Signed(_)) => Some(Ordering::Greater),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

impl PartialEq<f64> for Number {
    fn eq(&self, other: &f64) -> bool {
        self.as_f64() == *other
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> Self {
        number.as_f64()
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(i64::try_from(number).map_or(Repr::Unsigned(number), Repr::Signed))
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self(Repr::Float(number))
    }
}

impl From<f32> for Number {
    fn from(number: f32) -> Self {
        Self(Repr::Float(number.into()))
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(Repr::Signed(number))
    }
}

impl From<i32> for Number {
    fn from(number: i32) -> Self {
        Self(Repr::Signed(number.into()))
    }
}

impl From<u32> for Number {
    fn from(number: u32) -> Self {
        Self(Repr::Signed(number.into()))
    }
}
