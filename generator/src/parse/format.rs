//! The formats of strings and whole numbers that can have a Rust type of their own.

use std::fmt;

/// A format of JSON Schema with a Rust type of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A UUID.
    Uuid,
    /// A date and a time with an offset.
    DateTime,
    /// A date.
    Date,
    /// A time of day.
    Time,
    /// A duration.
    Duration,
    /// An absolute URI.
    Uri,
    /// An IP address of version 4.
    Ipv4,
    /// An IP address of version 6.
    Ipv6,
    /// An IP address of either version.
    Ip,
    /// A whole number of 8 bits with a sign.
    Int8,
    /// A whole number of 16 bits with a sign.
    Int16,
    /// A whole number of 32 bits with a sign.
    Int32,
    /// A whole number of 8 bits.
    Uint8,
    /// A whole number of 16 bits.
    Uint16,
    /// A whole number of 32 bits.
    Uint32,
}

/// A set of formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Formats(u16);

impl Format {
    /// All formats.
    pub const ALL: &'static [Self] = &[
        Self::Uuid,
        Self::DateTime,
        Self::Date,
        Self::Time,
        Self::Duration,
        Self::Uri,
        Self::Ipv4,
        Self::Ipv6,
        Self::Ip,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
    ];

    /// Returns the word in specifications.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::DateTime => "date-time",
            Self::Date => "date",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Uri => "uri",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Ip => "ip",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
        }
    }

    /// Returns the type in generated code.
    #[must_use]
    pub const fn rust_type(self) -> &'static str {
        match self {
            Self::Uuid => "codec::Uuid",
            Self::DateTime => "codec::DateTime",
            Self::Date => "codec::Date",
            Self::Time => "codec::Time",
            Self::Duration => "codec::Duration",
            Self::Uri => "codec::Uri",
            Self::Ipv4 => "codec::Ipv4",
            Self::Ipv6 => "codec::Ipv6",
            Self::Ip => "codec::Ip",
            Self::Int8 => "i8",
            Self::Int16 => "i16",
            Self::Int32 => "i32",
            Self::Uint8 => "u8",
            Self::Uint16 => "u16",
            Self::Uint32 => "u32",
        }
    }

    /// Returns the cargo feature of the adapter crate that has the type.
    #[must_use]
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::Uuid => Some("uuid"),
            Self::DateTime | Self::Date | Self::Time | Self::Duration => Some("jiff"),
            Self::Uri => Some("url"),
            _ => None,
        }
    }

    /// Returns true for a format of whole numbers, false for one of strings.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            Self::Int8 | Self::Int16 | Self::Int32 | Self::Uint8 | Self::Uint16 | Self::Uint32
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Formats {
    /// Returns the format of this set that has this word.
    pub(crate) fn get(self, word: &str) -> Option<Format> {
        let mut all = Format::ALL.iter().copied();
        all.find(|format| format.word() == word && self.0 & bit(*format) != 0)
    }
}

impl FromIterator<Format> for Formats {
    fn from_iter<I: IntoIterator<Item = Format>>(formats: I) -> Self {
        let formats = formats.into_iter();
        Self(formats.fold(0, |bits, format| bits | bit(format)))
    }
}

const fn bit(format: Format) -> u16 {
    1 << format as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_knows_its_formats() {
        let all: Formats = Format::ALL.iter().copied().collect();
        let two: Formats = [Format::Uuid, Format::Uint32].into_iter().collect();
        for format in Format::ALL {
            let expected = [Format::Uuid, Format::Uint32].contains(format);
            assert_eq!(all.get(format.word()), Some(*format));
            assert_eq!(two.get(format.word()), expected.then_some(*format));
            assert_eq!(Formats::default().get(format.word()), None);
        }
        assert_eq!(all.get("email"), None);
    }
}
