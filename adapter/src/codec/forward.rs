//! The traits that all types with a codec implement, as one line each.
//!
//! Debugging, comparing and serde go through [`Codec::encode`], which costs a fraction of the
//! compile time of derives. Of the four, serde's two traits cost the most. They require the feature
//! `serde`.

use std::fmt;

use super::{Codec, secret::encode_shown};

/// Writes the name of a type and its value as JSON; on several lines for `{:#?}`. Secrets are
/// hidden.
///
/// # Errors
/// When the formatter fails.
pub fn debug(name: &str, value: &dyn Codec, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let json = encode_shown(value);
    if f.alternate() {
        write!(f, "{name} {json:#}")
    } else {
        write!(f, "{name} {json}")
    }
}

/// Returns whether two values have the same JSON.
#[must_use]
pub fn equal(a: &dyn Codec, b: &dyn Codec) -> bool {
    a.encode() == b.encode()
}

/// `Debug` and `PartialEq` for types with a [`Codec`], and the traits of the feature `serde`.
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

/// `Default` for types with a [`Codec`] whose values need nothing, or that only services create.
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_forward_default {
    ($($name:ident),+ $(,)?) => {$(
        impl ::std::default::Default for $name {
            #[inline]
            fn default() -> Self {
                $crate::codec::blank()
            }
        }
    )+};
}

/// Implements the codec and the further traits of string enumerations.
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
