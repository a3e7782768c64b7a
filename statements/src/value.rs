//! The types of columns and parameters.

use std::fmt;

use serde_json::{Value, json};

/// A type of a column or a parameter, whose values JSON can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// `boolean`
    Boolean,
    /// `smallint`
    SmallInteger,
    /// `integer`
    Integer,
    /// `bigint`
    BigInteger,
    /// `real`
    Real,
    /// `double precision`
    Double,
    /// `text`, for strings of any length: also `varchar` and `char`.
    Text,
    /// `uuid`
    Uuid,
    /// `json`
    Json,
    /// `jsonb`
    JsonBinary,
    /// `timestamptz`
    Timestamp,
    /// `date`
    Date,
}

impl ColumnType {
    pub(crate) const ALL: &[Self] = &[
        Self::Boolean,
        Self::SmallInteger,
        Self::Integer,
        Self::BigInteger,
        Self::Real,
        Self::Double,
        Self::Text,
        Self::Uuid,
        Self::Json,
        Self::JsonBinary,
        Self::Timestamp,
        Self::Date,
    ];

    /// Returns the JSON Schema of the values.
    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Boolean => json!({"type": "boolean"}),
            Self::BigInteger => json!({"type": "integer"}),
            Self::Integer => {
                json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX})
            }
            Self::SmallInteger => {
                json!({"type": "integer", "minimum": i16::MIN, "maximum": i16::MAX})
            }
            Self::Real | Self::Double => json!({"type": "number"}),
            Self::Text => json!({"type": "string"}),
            Self::Uuid => json!({"type": "string", "format": "uuid"}),
            Self::Json | Self::JsonBinary => json!({}),
            Self::Timestamp => json!({"type": "string", "format": "date-time"}),
            Self::Date => json!({"type": "string", "format": "date"}),
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Boolean => "boolean",
            Self::SmallInteger => "smallint",
            Self::Integer => "integer",
            Self::BigInteger => "bigint",
            Self::Real => "real",
            Self::Double => "double precision",
            Self::Text => "text",
            Self::Uuid => "uuid",
            Self::Json => "json",
            Self::JsonBinary => "jsonb",
            Self::Timestamp => "timestamptz",
            Self::Date => "date",
        })
    }
}
