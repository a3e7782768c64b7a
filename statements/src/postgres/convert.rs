//! Values between JSON and the types of PostgreSQL.

use std::error::Error;

use jiff::{SignedDuration, Timestamp, civil};
use serde_json::Value;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use uuid::Uuid;

use crate::value::ColumnType;

/// The start of the time of PostgreSQL: 2000-01-01, in seconds of Unix.
const EPOCH: i64 = 946_684_800;

/// Returns the column type of a type of the database; none if its values cannot be converted.
pub(super) fn column_type(ty: &Type) -> Option<ColumnType> {
    Some(match *ty {
        Type::BOOL => ColumnType::Boolean,
        Type::INT2 => ColumnType::SmallInteger,
        Type::INT4 => ColumnType::Integer,
        Type::INT8 => ColumnType::BigInteger,
        Type::FLOAT4 => ColumnType::Real,
        Type::FLOAT8 => ColumnType::Double,
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME => ColumnType::Text,
        Type::UUID => ColumnType::Uuid,
        Type::JSON => ColumnType::Json,
        Type::JSONB => ColumnType::JsonBinary,
        Type::TIMESTAMPTZ => ColumnType::Timestamp,
        Type::DATE => ColumnType::Date,
        _ => return None,
    })
}

/// Returns the type of a parameter in the database.
pub(super) const fn parameter_type(column_type: ColumnType) -> Type {
    match column_type {
        ColumnType::Boolean => Type::BOOL,
        ColumnType::SmallInteger => Type::INT2,
        ColumnType::Integer => Type::INT4,
        ColumnType::BigInteger => Type::INT8,
        ColumnType::Real => Type::FLOAT4,
        ColumnType::Double => Type::FLOAT8,
        ColumnType::Text => Type::TEXT,
        ColumnType::Uuid => Type::UUID,
        ColumnType::Json => Type::JSON,
        ColumnType::JsonBinary => Type::JSONB,
        ColumnType::Timestamp => Type::TIMESTAMPTZ,
        ColumnType::Date => Type::DATE,
    }
}

/// A value of a parameter.
#[derive(Debug)]
pub(super) struct Given<'a>(pub(super) &'a Value);

impl ToSql for Given<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let column = column_type(ty).ok_or("the type of the parameter is not supported")?;
        let value = self.0;
        if value.is_null() {
            return Ok(IsNull::Yes);
        }
        let text = || value.as_str().ok_or("expected a string");
        let whole = || value.as_i64().ok_or("expected a whole number");
        match column {
            ColumnType::Boolean => value.as_bool().ok_or("expected a boolean")?.to_sql(ty, out),
            ColumnType::SmallInteger => i16::try_from(whole()?)?.to_sql(ty, out),
            ColumnType::Integer => i32::try_from(whole()?)?.to_sql(ty, out),
            ColumnType::BigInteger => whole()?.to_sql(ty, out),
            ColumnType::Real => (value.as_f64().ok_or("expected a number")? as f32).to_sql(ty, out),
            ColumnType::Double => value.as_f64().ok_or("expected a number")?.to_sql(ty, out),
            ColumnType::Text => text()?.to_sql(ty, out),
            ColumnType::Uuid => {
                out.extend_from_slice(text()?.parse::<Uuid>()?.as_bytes());
                Ok(IsNull::No)
            }
            ColumnType::Json | ColumnType::JsonBinary => {
                if column == ColumnType::JsonBinary {
                    out.extend_from_slice(&[1]);
                }
                out.extend_from_slice(value.to_string().as_bytes());
                Ok(IsNull::No)
            }
            ColumnType::Timestamp => {
                let since = text()?.parse::<Timestamp>()?.as_microsecond() - EPOCH * 1_000_000;
                out.extend_from_slice(&since.to_be_bytes());
                Ok(IsNull::No)
            }
            ColumnType::Date => {
                let since = text()?.parse::<civil::Date>()?.duration_since(epoch());
                let days = i32::try_from(since.as_secs() / 86_400)?;
                out.extend_from_slice(&days.to_be_bytes());
                Ok(IsNull::No)
            }
        }
    }

    fn accepts(ty: &Type) -> bool {
        column_type(ty).is_some()
    }

    to_sql_checked!();
}

/// A value of a row.
#[derive(Debug)]
pub(super) struct Cell(pub(super) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let column = column_type(ty).ok_or("the type of the column is not supported")?;
        Ok(Self(match column {
            ColumnType::Boolean => bool::from_sql(ty, raw)?.into(),
            ColumnType::SmallInteger => i16::from_sql(ty, raw)?.into(),
            ColumnType::Integer => i32::from_sql(ty, raw)?.into(),
            ColumnType::BigInteger => i64::from_sql(ty, raw)?.into(),
            // JSON has no value that is not a number.
            ColumnType::Real => f32::from_sql(ty, raw)?.into(),
            ColumnType::Double => f64::from_sql(ty, raw)?.into(),
            ColumnType::Text => String::from_sql(ty, raw)?.into(),
            ColumnType::Uuid => Uuid::from_slice(raw)?.to_string().into(),
            ColumnType::Json => serde_json::from_slice(raw)?,
            ColumnType::JsonBinary => {
                serde_json::from_slice(raw.strip_prefix(&[1]).ok_or("another version of jsonb")?)?
            }
            ColumnType::Timestamp => {
                let since = i64::from_be_bytes(raw.try_into()?);
                let time = since
                    .checked_add(EPOCH * 1_000_000)
                    .ok_or("a time without an end")?;
                Timestamp::from_microsecond(time)?.to_string().into()
            }
            ColumnType::Date => {
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
        column_type(ty).is_some()
    }
}

const fn epoch() -> civil::Date {
    civil::date(2000, 1, 1)
}
