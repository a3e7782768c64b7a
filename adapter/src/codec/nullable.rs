//! Values whose null means something.

use serde_json::Value;

use super::{Codec, Reader};

/// A value or null, where null means something. A field that may also be absent is an
/// `Option<Nullable<T>>`: `None` is absent, `Some(Nullable::Null)` is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nullable<T> {
    /// Null.
    #[default]
    Null,
    /// The value.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value, if it is not null.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// The value, if it is not null.
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Returns whether the value is null.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl From<&str> for Nullable<String> {
    fn from(text: &str) -> Self {
        Self::Value(text.to_owned())
    }
}

impl<T: Codec> Codec for Nullable<T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        match value {
            Value::Null => Self::Null,
            value => Self::Value(T::read(value, reader)),
        }
    }

    fn encode(&self) -> Value {
        self.value().map_or(Value::Null, T::encode)
    }

    fn takes_null() -> bool {
        true
    }
}
