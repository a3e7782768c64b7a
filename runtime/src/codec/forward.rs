//! What all types with a codec have in common, as one line each.
//!
//! Debugging, comparing and serde go through [`Codec::encode`], which costs a fraction of what
//! deriving them would cost to compile.

use std::fmt;

use serde::de;
pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Codec;

/// Writes the name of a type and its value as JSON; on several lines for `{:#?}`.
///
/// # Errors
/// When the formatter fails.
pub fn debug(name: &str, value: &dyn Codec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let json = value.encode();
    if f.alternate() {
        write!(f, "{name} {json:#}")
    } else {
        write!(f, "{name} {json}")
    }
}

/// Whether two values are the same JSON.
#[must_use]
pub fn equal(a: &dyn Codec, b: &dyn Codec) -> bool {
    a.encode() == b.encode()
}

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

/// `Debug`, `PartialEq`, `Serialize` and `Deserialize` for types with a [`Codec`].
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_forward {
    ($($name:ident),+ $(,)?) => {$(
        impl ::std::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::codec::forward::debug(stringify!($name), self, f)
            }
        }

        impl ::std::cmp::PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::codec::forward::equal(self, other)
            }
        }

        $crate::__codec_forward_serde!($name);
    )+};
}

/// `Serialize` and `Deserialize`, where the feature `serde-forwards` is on.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "serde-forwards")]
macro_rules! __codec_forward_serde {
    ($name:ident) => {
        impl $crate::codec::forward::Serialize for $name {
            fn serialize<S: $crate::codec::forward::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                $crate::codec::forward::serialize(self, serializer)
            }
        }

        impl<'de> $crate::codec::forward::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codec::forward::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::codec::forward::deserialize(deserializer)
            }
        }
    };
}

/// `Serialize` and `Deserialize`, where the feature `serde-forwards` is on.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "serde-forwards"))]
macro_rules! __codec_forward_serde {
    ($name:ident) => {};
}

/// The codec of enumerations of texts, and what they have beyond that.
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_forward_words {
    ($($name:ident),+ $(,)?) => {$(
        impl $crate::codec::Codec for $name {
            #[inline]
            fn read(value: $crate::codec::Value, reader: &mut $crate::codec::Reader) -> Self {
                $crate::codec::word::read(value, reader)
            }

            #[inline]
            fn encode(&self) -> $crate::codec::Value {
                $crate::codec::Value::from($crate::codec::Word::as_word(self))
            }
        }

        impl ::std::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad($crate::codec::Word::as_word(self))
            }
        }

        impl ::std::convert::From<&str> for $name {
            #[inline]
            fn from(word: &str) -> Self {
                $crate::codec::Word::from_word(::std::string::String::from(word))
            }
        }

        $crate::__codec_forward!($name);
    )+};
}
