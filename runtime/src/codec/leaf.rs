//! The codec of the types that every specification uses.

use serde_json::Value;

use super::{Codec, DecodeError};

impl Codec for Value {
    #[inline]
    fn decode(value: Value) -> Result<Self, DecodeError> {
        Ok(value)
    }

    #[inline]
    fn encode(&self) -> Value {
        self.clone()
    }
}

impl Codec for String {
    fn decode(value: Value) -> Result<Self, DecodeError> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(DecodeError::new("a string", &other)),
        }
    }

    fn encode(&self) -> Value {
        Value::String(self.clone())
    }
}

impl Codec for bool {
    fn decode(value: Value) -> Result<Self, DecodeError> {
        value
            .as_bool()
            .ok_or_else(|| DecodeError::new("a boolean", &value))
    }

    fn encode(&self) -> Value {
        Value::Bool(*self)
    }
}

impl<T: Codec> Codec for Option<T> {
    fn decode(value: Value) -> Result<Self, DecodeError> {
        match value {
            Value::Null => Ok(None),
            value => T::decode(value).map(Some),
        }
    }

    fn encode(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::encode)
    }

    #[inline]
    fn absent() -> Option<Self> {
        Some(None)
    }

    #[inline]
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Codec> Codec for Vec<T> {
    fn decode(value: Value) -> Result<Self, DecodeError> {
        match value {
            Value::Array(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| T::decode(item).map_err(|error| error.at_index(index)))
                .collect(),
            other => Err(DecodeError::new("an array", &other)),
        }
    }

    fn encode(&self) -> Value {
        self.iter().map(T::encode).collect()
    }
}
