//! The codec: how typed values become JSON values and back.
//!
//! Generated types implement [`Codec`] rather than derive serde, since that is many times
//! cheaper to compile. The value tree is needed anyway: arguments are validated on it, the audit
//! digests it, and an agent receives it.
//!
//! Reading never stops at the first fault. A [`Reader`] keeps all of them, and a part that cannot
//! be read becomes a placeholder that no caller sees, since [`Codec::decode`] then fails. So the
//! code of a generated type has no branches, which accounts for most of its low compile time.
//!
//! A generated type looks like this:
//!
//! ```
//! use toolwright_adapter::codec::{self, Codec, Extra, Reader, Value};
//!
//! #[derive(Clone)]
//! pub struct Item {
//!     pub id: String,
//!     pub count: Option<i64>,
//!     pub additional: Extra,
//! }
//!
//! impl Codec for Item {
//!     fn read(value: Value, reader: &mut Reader) -> Self {
//!         let mut fields = reader.object(value);
//!         Self {
//!             id: fields.take("id"),
//!             count: fields.take("count"),
//!             additional: fields.rest(),
//!         }
//!     }
//!
//!     fn encode(&self) -> Value {
//!         codec::object(&[("id", &self.id), ("count", &self.count)], &self.additional)
//!     }
//! }
//!
//! codec::forward!(Item);
//!
//! let json = codec::json!({ "id": "a", "colour": "red" });
//! let item = Item::decode(json.clone()).unwrap();
//! assert_eq!(item.id, "a");
//! assert_eq!(item.encode(), json);
//! assert_eq!(Item::decode(codec::json!({ "count": "1" })).unwrap_err().to_string(),
//!     "at `/id`: expected a value, found nothing; at `/count`: expected a whole number, found a string");
//! ```

mod bytes;
mod collection;
mod error;
mod extra;
mod format;
pub mod forward;
mod leaf;
mod nullable;
mod number;
mod object;
mod reader;
mod secret;
pub mod serde;
mod union;
pub mod word;

#[cfg(test)]
mod tests;

pub use self::serde::Json;
pub use bytes::{Bytes, Download, File, NotBase64};
pub use error::DecodeError;
pub use extra::Extra;
#[cfg(feature = "url")]
pub use format::Uri;
#[cfg(feature = "uuid")]
pub use format::Uuid;
#[cfg(feature = "jiff")]
pub use format::{Date, DateTime, Duration, Time};
pub use format::{Format, Formatted, Ip, Ipv4, Ipv6, NotFormatted};
pub use nullable::Nullable;
pub use number::Number;
pub use object::{Fields, Rest, object};
pub use reader::Reader;
pub use secret::{Secret, unlisted};
pub use serde_json::{Map, Value, json};
pub use union::Variants;
pub use word::Word;

/// A JSON object of unknown fields.
pub type Object = Map<String, Value>;

pub use crate::{
    __codec_forward as forward, __codec_forward_default as forward_default,
    __codec_forward_words as forward_words,
};

/// Returns a value whose required fields are empty (`""`, 0, `false`, no items, null) and whose
/// optional fields are absent. A test can fill in what it needs.
#[must_use]
pub fn blank<T: Codec>() -> T {
    Reader::new().placeholder()
}

/// A type that can be read from and written as a JSON value.
pub trait Codec {
    /// Reads the type from a value. What does not fit is kept by the reader; the result is then a
    /// placeholder.
    fn read(value: Value, reader: &mut Reader) -> Self
    where
        Self: Sized;

    /// Writes the type as a value.
    fn encode(&self) -> Value;

    /// Returns the value of an absent field of this type; `None` if the field is required.
    #[inline]
    #[must_use]
    fn absent() -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Returns whether a field with this value is omitted from the JSON.
    #[inline]
    #[must_use]
    fn is_absent(&self) -> bool {
        false
    }

    /// Returns whether null is a value of the type. An optional field of such a type that is null
    /// is present.
    #[inline]
    #[must_use]
    fn takes_null() -> bool
    where
        Self: Sized,
    {
        false
    }

    /// Reads the type from a value.
    ///
    /// # Errors
    /// [`DecodeError`] with each place in the value that does not fit.
    fn decode(value: Value) -> Result<Self, DecodeError>
    where
        Self: Sized,
    {
        let mut reader = Reader::new();
        let read = Self::read(value, &mut reader);
        reader.finish().map(|()| read)
    }
}
