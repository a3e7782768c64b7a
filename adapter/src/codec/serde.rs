//! serde for types with a codec.
//!
//! A value is serialised by [`Codec::encode`] and read by [`Codec::decode`]. Three ways lead
//! there; each has its use:
//!
//! - [`Json`] around a value that is passed as `Serialize` or returned as `Deserialize`;
//! - `#[serde(with = "…::codec::serde")]` above a field of a type that derives serde;
//! - the feature `serde`, with which all generated types implement both traits themselves. It adds
//!   a fifth to the compile time of their crates.
//!
//! ```
//! use toolwright_adapter::codec::{self, Json, Nullable};
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Kept {
//!     owner: String,
//!     #[serde(with = "codec::serde")]
//!     limit: Nullable<i64>,
//! }
//!
//! let kept = Kept { owner: "a".to_owned(), limit: Nullable::Null };
//! assert_eq!(serde_json::to_string(&kept)?, r#"{"owner":"a","limit":null}"#);
//! assert_eq!(serde_json::to_string(&Json(vec![1_i64]))?, "[1]");
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::de;
pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Codec;

/// A value that is serialised and deserialised by its codec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// Serialises by the codec.
///
/// # Errors
/// When the serialiser fails.
pub fn serialize<S: Serializer>(value: &dyn Codec, serializer: S) -> Result<S::Ok, S::Error> {
    value.encode().serialize(serializer)
}

/// Deserialises by the codec.
///
/// # Errors
/// When the deserialiser fails, or its value does not fit the type.
pub fn deserialize<'de, T: Codec, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::decode(Value::deserialize(deserializer)?).map_err(de::Error::custom)
}

impl<T: Codec> Serialize for Json<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de, T: Codec> Deserialize<'de> for Json<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

/// Implements `Serialize` and `Deserialize` for types with a [`Codec`], if the feature `serde` is
/// on.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "serde")]
macro_rules! __codec_forward_serde {
    ($name:ident) => {
        impl $crate::codec::serde::Serialize for $name {
            fn serialize<S: $crate::codec::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::codec::serde::serialize(self, serializer)
            }
        }

        impl<'de> $crate::codec::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codec::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::codec::serde::deserialize(deserializer)
            }
        }
    };
}

/// Implements `Serialize` and `Deserialize` for types with a [`Codec`], if the feature `serde` is
/// on.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "serde"))]
macro_rules! __codec_forward_serde {
    ($name:ident) => {};
}
