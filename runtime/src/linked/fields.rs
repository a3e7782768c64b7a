//! The fields of a call's arguments, as the parameters of a function.

use serde_json::{Map, Value};

use crate::codec::DecodeError;

/// The fields of a call's arguments, read one by one; all that does not fit is kept.
#[derive(Debug)]
pub struct Fields {
    values: Map<String, Value>,
    error: Option<DecodeError>,
}

impl Fields {
    /// The fields of an object.
    #[must_use]
    pub fn new(arguments: Value) -> Self {
        let values = match arguments {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self {
            values,
            error: None,
        }
    }

    /// Reads one; what is absent is null.
    pub fn take<T>(
        &mut self,
        name: &'static str,
        decode: fn(Value) -> Result<T, DecodeError>,
    ) -> Option<T> {
        match decode(self.value(name)) {
            Ok(value) => Some(value),
            Err(error) => {
                let error = error.within(name);
                self.error = Some(match self.error.take() {
                    Some(before) => before.and(error),
                    None => error,
                });
                None
            }
        }
    }

    /// The value of one, or null.
    pub(super) fn value(&mut self, name: &str) -> Value {
        self.values.remove(name).unwrap_or_default()
    }

    /// What did not fit.
    #[must_use]
    pub fn error(self) -> DecodeError {
        let values = Value::Object(self.values);
        self.error
            .unwrap_or_else(|| DecodeError::new("other arguments", &values))
    }
}
