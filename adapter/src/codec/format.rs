//! Strings with a format, such as a UUID or a point in time.
//!
//! Generated types have them where the overlay of a service lists the format under
//! `typed_formats`. A value can only be created in the format, so a request that does not fit is an
//! error of the caller's own code, before a call is made.

use std::{
    error,
    fmt::{self, Display},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    ops::Deref,
    str::FromStr,
};

use serde_json::Value;

use super::{Codec, Nullable, Reader};

/// A UUID: `e7d8a3c0-7a51-4a7b-9d61-6d7a0e7f6a11`.
#[cfg(feature = "uuid")]
pub type Uuid = Formatted<uuid::Uuid>;

/// A point in time as RFC 3339 writes it: `2026-03-01T09:30:00+01:00`. [`Formatted::as_str`] has the
/// offset.
#[cfg(feature = "jiff")]
pub type DateTime = Formatted<jiff::Timestamp>;

/// A date: `2026-03-01`.
#[cfg(feature = "jiff")]
pub type Date = Formatted<jiff::civil::Date>;

/// A time of day: `09:30:00`. [`Formatted::as_str`] also has the offset, if the service wrote one.
#[cfg(feature = "jiff")]
pub type Time = Formatted<jiff::civil::Time>;

/// A duration as ISO 8601 writes it: `PT90M`.
#[cfg(feature = "jiff")]
pub type Duration = Formatted<jiff::Span>;

/// An absolute URI: `https://shop.example/items/7`.
#[cfg(feature = "url")]
pub type Uri = Formatted<url::Url>;

/// An IP address of version 4: `192.0.2.1`.
pub type Ipv4 = Formatted<Ipv4Addr>;

/// An IP address of version 6: `2001:db8::1`.
pub type Ipv6 = Formatted<Ipv6Addr>;

/// An IP address of either version.
pub type Ip = Formatted<IpAddr>;

/// The type of the strings of a format.
pub trait Format: Sized {
    /// The format for messages: `a UUID`.
    const EXPECTED: &'static str;

    /// Reads a string. Returns `None` if it does not have the format.
    fn parse(text: &str) -> Option<Self>;

    /// Returns the string of a value.
    fn text(&self) -> String;

    /// Returns any value, for a [placeholder](super::blank).
    fn placeholder() -> Self;
}

/// A string with a format, and its value. The string stays as the service wrote it.
///
/// ```
/// use std::net::Ipv4Addr;
/// use toolwright_adapter::codec::{Codec, Ipv4, json};
///
/// let address: Ipv4 = "192.0.2.1".parse().unwrap();
/// assert_eq!(address, Ipv4::from(Ipv4Addr::new(192, 0, 2, 1)));
/// assert!(address.is_documentation());
/// assert_eq!(address.encode(), json!("192.0.2.1"));
/// assert_eq!("192.0.2".parse::<Ipv4>().unwrap_err().to_string(), "expected an IPv4 address");
/// ```
#[derive(Clone)]
pub struct Formatted<T> {
    text: Box<str>,
    value: T,
}

/// A string does not have a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFormatted {
    expected: &'static str,
}

impl<T> Formatted<T> {
    /// Returns the string.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the value.
    pub fn into_value(self) -> T {
        self.value
    }
}

impl<T: Format> FromStr for Formatted<T> {
    type Err = NotFormatted;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match T::parse(text) {
            Some(value) => Ok(Self {
                text: text.into(),
                value,
            }),
            None => Err(NotFormatted {
                expected: T::EXPECTED,
            }),
        }
    }
}

impl<T: Format> From<T> for Formatted<T> {
    fn from(value: T) -> Self {
        Self {
            text: value.text().into(),
            value,
        }
    }
}

impl<T: Format> From<T> for Nullable<Formatted<T>> {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl<T> Deref for Formatted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Equal values may be written differently, as with two offsets of a time; then they are not equal.
impl<T> PartialEq for Formatted<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<T> Eq for Formatted<T> {}

impl<T> fmt::Debug for Formatted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl<T> Display for Formatted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T: Format> Codec for Formatted<T> {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let read = value.as_str().and_then(|text| text.parse().ok());
        read.unwrap_or_else(|| {
            reader.mismatch(T::EXPECTED, &value);
            T::placeholder().into()
        })
    }

    fn encode(&self) -> Value {
        Value::from(&*self.text)
    }
}

impl Display for NotFormatted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}", self.expected)
    }
}

impl error::Error for NotFormatted {}

/// Implements [`Format`] for a type that reads and writes the format itself.
macro_rules! formats {
    ($($(#[$attribute:meta])* $type:ty, $expected:literal, $placeholder:expr;)+) => {
        $($(#[$attribute])* impl Format for $type {
            const EXPECTED: &'static str = $expected;

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }

            fn placeholder() -> Self {
                $placeholder
            }
        })+
    };
}

formats! {
    Ipv4Addr, "an IPv4 address", Self::UNSPECIFIED;
    Ipv6Addr, "an IPv6 address", Self::UNSPECIFIED;
    IpAddr, "an IP address", Self::V4(Ipv4Addr::UNSPECIFIED);
    #[cfg(feature = "uuid")]
    uuid::Uuid, "a UUID", Self::nil();
    #[cfg(feature = "jiff")]
    jiff::Timestamp, "a date and time with an offset (RFC 3339)", Self::UNIX_EPOCH;
    #[cfg(feature = "jiff")]
    jiff::Span, "a duration (ISO 8601)", Self::new();
}

#[cfg(feature = "jiff")]
impl Format for jiff::civil::Date {
    const EXPECTED: &'static str = "a date (`2026-03-01`)";

    /// A time after the date would be lost.
    fn parse(text: &str) -> Option<Self> {
        let has_length_of_date = text.len() == "2026-03-01".len();
        text.parse().ok().filter(|_| has_length_of_date)
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn placeholder() -> Self {
        Self::constant(1970, 1, 1)
    }
}

#[cfg(feature = "jiff")]
impl Format for jiff::civil::Time {
    const EXPECTED: &'static str = "a time (`09:30:00`)";

    fn parse(text: &str) -> Option<Self> {
        match text.find(['Z', 'z', '+', '-']) {
            Some(at) => {
                let (time, _) = text.split_at_checked(at)?;
                let point: Option<jiff::Timestamp> = format!("1970-01-01T{text}").parse().ok();
                point.and_then(|_| time.parse().ok())
            }
            None => text.parse().ok(),
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn placeholder() -> Self {
        Self::midnight()
    }
}

#[cfg(feature = "url")]
impl Format for url::Url {
    const EXPECTED: &'static str = "an absolute URI";

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }

    fn text(&self) -> String {
        self.to_string()
    }

    #[expect(
        clippy::expect_used,
        reason = "the text is constant, and a test reads it"
    )]
    fn placeholder() -> Self {
        Self::parse("about:blank").expect("a URL")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{blank, json};

    /// Checks that a type reads and writes exactly the first strings, and none of the second.
    fn check<T: Format + Clone>(good: &[&str], bad: &[&str]) {
        for text in good {
            let value = Formatted::<T>::decode(json!(text)).unwrap();
            assert_eq!(value.encode(), json!(text));
            let written = Formatted::from(value.into_value());
            let again = Formatted::<T>::decode(written.encode()).unwrap();
            assert_eq!(again, written);
        }
        for value in bad
            .iter()
            .map(|text| json!(text))
            .chain([json!(1), json!(null)])
        {
            let error = Formatted::<T>::decode(value.clone()).unwrap_err();
            assert!(error.to_string().contains(T::EXPECTED), "{value}: {error}");
        }
        let placeholder = blank::<Formatted<T>>();
        assert_eq!(
            Formatted::decode(placeholder.encode()).unwrap(),
            placeholder
        );
    }

    #[test]
    fn addresses_are_read_and_written() {
        check::<Ipv4Addr>(&["192.0.2.1"], &["192.0.2", "::1", "192.0.2.01", ""]);
        check::<Ipv6Addr>(&["2001:db8::1", "2001:DB8:0:0::1"], &["192.0.2.1", "::g"]);
        check::<IpAddr>(&["192.0.2.1", "::1"], &["localhost"]);
    }

    #[cfg(feature = "uuid")]
    #[test]
    fn uuids_are_read_and_written() {
        check::<uuid::Uuid>(
            &[
                "e7d8a3c0-7a51-4a7b-9d61-6d7a0e7f6a11",
                "E7D8A3C07A514A7B9D616D7A0E7F6A11",
            ],
            &["e7d8a3c0", ""],
        );
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn times_are_read_and_written() {
        check::<jiff::Timestamp>(
            &["2026-03-01T09:30:00Z", "2026-03-01T09:30:00.120+01:00"],
            &[
                "2026-03-01",
                "2026-03-01T09:30:00",
                "2026-13-01T00:00:00Z",
                "now",
            ],
        );
        check::<jiff::civil::Date>(
            &["2026-03-01"],
            &["2026-02-30", "2026-03-01T09:30:00Z", "1.3.2026", "20260301"],
        );
        check::<jiff::civil::Time>(
            &["09:30:00", "09:30:00.5", "09:30:00Z", "09:30:00+01:00"],
            &["9 o'clock", "25:00:00", "09:30:00+", "09:30:00+99:00", "Z"],
        );
        check::<jiff::Span>(&["PT90M", "P1Y2M3DT4H"], &["90", "P", "PT"]);
    }

    #[cfg(feature = "url")]
    #[test]
    fn uris_are_read_and_written() {
        check::<url::Url>(
            &[
                "https://shop.example/items/7?a=b#c",
                "https://shop.example",
                "mailto:a@b.example",
            ],
            &["/items/7", "shop.example", ""],
        );
    }

    #[test]
    fn whole_numbers_stay_in_their_range() {
        fn check<T: Codec + PartialEq + fmt::Debug>(least: i64, most: i64) {
            for number in [least, 0, most] {
                assert_eq!(T::decode(json!(number)).unwrap().encode(), json!(number));
            }
            assert_eq!(T::decode(json!(5.0)).unwrap().encode(), json!(5));
            for value in [
                json!(least - 1),
                json!(most + 1),
                json!(0.5),
                json!("1"),
                json!(1e30),
            ] {
                assert!(T::decode(value.clone()).is_err(), "{value}");
            }
        }
        check::<i8>(i8::MIN.into(), i8::MAX.into());
        check::<i16>(i16::MIN.into(), i16::MAX.into());
        check::<i32>(i32::MIN.into(), i32::MAX.into());
        check::<u8>(0, u8::MAX.into());
        check::<u16>(0, u16::MAX.into());
        check::<u32>(0, u32::MAX.into());
    }
}
