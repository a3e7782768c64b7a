//! Codecs of null, booleans, whole numbers, strings, and values of no known type.

use serde_json::{Map, Value};

use super::{Codec, Reader};

impl Codec for Value {
    fn read(value: Value, reader: &mut Reader) -> Self {
        reader.stranger();
        value
    }

    fn encode(&self) -> Value {
        self.clone()
    }

    fn takes_null() -> bool {
        true
    }
}

/// Any object.
impl Codec for Map<String, Value> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        match value {
            Value::Object(map) => {
                map.iter().for_each(|_| reader.stranger());
                map
            }
            other => {
                reader.mismatch("an object", &other);
                Self::new()
            }
        }
    }

    fn encode(&self) -> Value {
        Value::Object(self.clone())
    }
}

/// Null and nothing else.
impl Codec for () {
    fn read(value: Value, reader: &mut Reader) {
        if !value.is_null() {
            reader.mismatch("null", &value);
        }
    }

    fn encode(&self) -> Value {
        Value::Null
    }

    fn takes_null() -> bool {
        true
    }
}

impl Codec for String {
    fn read(value: Value, reader: &mut Reader) -> Self {
        reader.text(value)
    }

    fn encode(&self) -> Value {
        Value::String(self.clone())
    }
}

impl Codec for bool {
    fn read(value: Value, reader: &mut Reader) -> Self {
        value.as_bool().unwrap_or_else(|| {
            reader.mismatch("a boolean", &value);
            false
        })
    }

    fn encode(&self) -> Value {
        Value::Bool(*self)
    }
}

impl Codec for i64 {
    fn read(value: Value, reader: &mut Reader) -> Self {
        value
            .as_i64()
            .or_else(|| small_whole(&value))
            .unwrap_or_else(|| {
                reader.mismatch(expected_integer(&value), &value);
                0
            })
    }

    fn encode(&self) -> Value {
        Value::from(*self)
    }
}

impl Codec for u64 {
    fn read(value: Value, reader: &mut Reader) -> Self {
        value
            .as_u64()
            .or_else(|| small_whole(&value)?.try_into().ok())
            .unwrap_or_else(|| {
                reader.mismatch("a whole number from 0 to 2^64 - 1", &value);
                0
            })
    }

    fn encode(&self) -> Value {
        Value::from(*self)
    }
}

/// Implements the codec of whole numbers of fewer bits.
macro_rules! narrow {
    ($($type:ty: $expected:literal;)+) => {
        $(impl Codec for $type {
            fn read(value: Value, reader: &mut Reader) -> Self {
                let number = value.as_i64().or_else(|| small_whole(&value));
                number.and_then(|number| number.try_into().ok()).unwrap_or_else(|| {
                    reader.mismatch($expected, &value);
                    0
                })
            }

            fn encode(&self) -> Value {
                Value::from(*self)
            }
        })+
    };
}

narrow! {
    i8: "a whole number from -2^7 to 2^7 - 1";
    i16: "a whole number from -2^15 to 2^15 - 1";
    i32: "a whole number from -2^31 to 2^31 - 1";
    u8: "a whole number from 0 to 2^8 - 1";
    u16: "a whole number from 0 to 2^16 - 1";
    u32: "a whole number from 0 to 2^32 - 1";
}

/// A number that is written with a fraction of zero is whole. Beyond 2^53 no fraction is exact.
fn small_whole(value: &Value) -> Option<i64> {
    let number = value.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bounds are within those of i64"
    )]
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

/// A number that is not read is too large or not whole.
const fn expected_integer(value: &Value) -> &'static str {
    match value {
        Value::Number(_) => "a whole number from -2^63 to 2^63 - 1",
        _ => "a whole number",
    }
}
