//! Values between JSON and the types of PostgreSQL.

use std::error::Error;

use jiff::{SignedDuration, Timestamp, civil};
use serde_json::{Value, json};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use uuid::Uuid;

/// The start of the time of PostgreSQL: 2000-01-01, in seconds of Unix.
const EPOCH: i64 = 946_684_800;

/// A type that values of both sides can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    /// A whole number with this many bytes.
    Integer(usize),
    Float(usize),
    Text,
    Uuid,
    Json,
    JsonBinary,
    Timestamp,
    Date,
}

impl Kind {
    /// Returns the kind of a type; none if its values cannot be converted.
    pub(crate) fn of(ty: &Type) -> Option<Self> {
        Some(match *ty {
            Type::BOOL => Self::Bool,
            Type::INT2 => Self::Integer(2),
            Type::INT4 => Self::Integer(4),
            Type::INT8 => Self::Integer(8),
            Type::FLOAT4 => Self::Float(4),
            Type::FLOAT8 => Self::Float(8),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME => Self::Text,
            Type::UUID => Self::Uuid,
            Type::JSON => Self::Json,
            Type::JSONB => Self::JsonBinary,
            Type::TIMESTAMPTZ => Self::Timestamp,
            Type::DATE => Self::Date,
            _ => return None,
        })
    }

    /// Returns the JSON Schema of the values.
    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Bool => json!({"type": "boolean"}),
            Self::Integer(8) => json!({"type": "integer"}),
            Self::Integer(4) => {
                json!({"type": "integer", "minimum": i32::MIN, "maximum": i32::MAX})
            }
            Self::Integer(_) => {
                json!({"type": "integer", "minimum": i16::MIN, "maximum": i16::MAX})
            }
            Self::Float(_) => json!({"type": "number"}),
            Self::Text => json!({"type": "string"}),
            Self::Uuid => json!({"type": "string", "format": "uuid"}),
            Self::Json | Self::JsonBinary => json!({}),
            Self::Timestamp => json!({"type": "string", "format": "date-time"}),
            Self::Date => json!({"type": "string", "format": "date"}),
        }
    }
}

/// A value of a parameter.
#[derive(Debug)]
pub(crate) struct Given<'a>(pub(crate) &'a Value);

impl ToSql for Given<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let kind = Kind::of(ty).ok_or("the type of the parameter is not supported")?;
        let value = self.0;
        if value.is_null() {
            return Ok(IsNull::Yes);
        }
        let text = || value.as_str().ok_or("expected a string");
        let whole = || value.as_i64().ok_or("expected a whole number");
        match kind {
            Kind::Bool => value.as_bool().ok_or("expected a boolean")?.to_sql(ty, out),
            Kind::Integer(2) => i16::try_from(whole()?)?.to_sql(ty, out),
            Kind::Integer(4) => i32::try_from(whole()?)?.to_sql(ty, out),
            Kind::Integer(_) => whole()?.to_sql(ty, out),
            Kind::Float(4) => (value.as_f64().ok_or("expected a number")? as f32).to_sql(ty, out),
            Kind::Float(_) => value.as_f64().ok_or("expected a number")?.to_sql(ty, out),
            Kind::Text => text()?.to_sql(ty, out),
            Kind::Uuid => {
                out.extend_from_slice(text()?.parse::<Uuid>()?.as_bytes());
                Ok(IsNull::No)
            }
            Kind::Json | Kind::JsonBinary => {
                if kind == Kind::JsonBinary {
                    out.extend_from_slice(&[1]);
                }
                out.extend_from_slice(value.to_string().as_bytes());
                Ok(IsNull::No)
            }
            Kind::Timestamp => {
                let since = text()?.parse::<Timestamp>()?.as_microsecond() - EPOCH * 1_000_000;
                out.extend_from_slice(&since.to_be_bytes());
                Ok(IsNull::No)
            }
            Kind::Date => {
                let since = text()?.parse::<civil::Date>()?.duration_since(epoch());
                let days = i32::try_from(since.as_secs() / 86_400)?;
                out.extend_from_slice(&days.to_be_bytes());
                Ok(IsNull::No)
            }
        }
    }

    fn accepts(ty: &Type) -> bool {
        Kind::of(ty).is_some()
    }

    to_sql_checked!();
}

/// A value of a row.
#[derive(Debug)]
pub(crate) struct Cell(pub(crate) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let kind = Kind::of(ty).ok_or("the type of the column is not supported")?;
        Ok(Self(match kind {
            Kind::Bool => bool::from_sql(ty, raw)?.into(),
            Kind::Integer(2) => i16::from_sql(ty, raw)?.into(),
            Kind::Integer(4) => i32::from_sql(ty, raw)?.into(),
            Kind::Integer(_) => i64::from_sql(ty, raw)?.into(),
            // JSON has no value that is not a number.
            Kind::Float(4) => f32::from_sql(ty, raw)?.into(),
            Kind::Float(_) => f64::from_sql(ty, raw)?.into(),
            Kind::Text => String::from_sql(ty, raw)?.into(),
            Kind::Uuid => Uuid::from_slice(raw)?.to_string().into(),
            Kind::Json => serde_json::from_slice(raw)?,
            Kind::JsonBinary => {
                serde_json::from_slice(raw.strip_prefix(&[1]).ok_or("another version of jsonb")?)?
            }
            Kind::Timestamp => {
                let since = i64::from_be_bytes(raw.try_into()?);
                let time = since
                    .checked_add(EPOCH * 1_000_000)
                    .ok_or("a time without an end")?;
                Timestamp::from_microsecond(time)?.to_string().into()
            }
            Kind::Date => {
                let days = i64::from(i32::from_be_bytes(raw.try_into()?));
                let date = epoch().checked_add(SignedDuration::from_hours(days * 24))?;
                date.to_string().into()
            }
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        Kind::of(ty).is_some()
    }
}

const fn epoch() -> civil::Date {
    civil::date(2000, 1, 1)
}
