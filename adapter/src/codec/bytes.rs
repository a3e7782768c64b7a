//! Bytes and files, which JSON carries as base64.

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value;

use super::{Codec, Reader, forward, object};

/// Bytes, kept in their base64 form. A service's own variant of base64, or a string that is not
/// base64 at all, survives unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(String);

/// A string is not standard base64. It may be a service's own variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotBase64(());

/// A file to upload.
#[derive(Clone, Default)]
pub struct File {
    /// Its bytes.
    pub content: Bytes,
    /// Its name.
    pub filename: Option<String>,
    /// Its media type, such as `image/png`.
    pub media_type: Option<String>,
}

/// A file that was downloaded.
#[derive(Clone, Default)]
pub struct Download {
    /// Its bytes.
    pub content: Bytes,
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
}

impl Bytes {
    /// Encodes bytes.
    #[must_use]
    pub fn new(bytes: impl AsRef<[u8]>) -> Self {
        Self(BASE64_STANDARD.encode(bytes))
    }

    /// Takes a base64 string. Arguments may also hold the handle of a stored file, such as `file-…`.
    #[must_use]
    pub fn from_base64(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the base64 string.
    #[must_use]
    pub fn as_base64(&self) -> &str {
        &self.0
    }

    /// The bytes.
    ///
    /// # Errors
    /// Fails if the string is not standard base64.
    pub fn to_vec(&self) -> Result<Vec<u8>, NotBase64> {
        BASE64_STANDARD.decode(&self.0).map_err(|_| NotBase64(()))
    }
}

impl fmt::Display for NotBase64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the string is not standard base64")
    }
}

impl std::error::Error for NotBase64 {}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self::new(bytes)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl File {
    /// A file without a name.
    #[must_use]
    pub fn new(content: impl Into<Bytes>) -> Self {
        Self {
            content: content.into(),
            ..Self::default()
        }
    }
}

impl Codec for Bytes {
    fn read(value: Value, reader: &mut Reader) -> Self {
        Self(reader.text(value))
    }

    fn encode(&self) -> Value {
        Value::String(self.0.clone())
    }
}

impl Codec for File {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        let file = Self {
            content: fields.take("content"),
            filename: fields.take("filename"),
            media_type: fields.take("media_type"),
        };
        fields.rest::<()>();
        file
    }

    fn encode(&self) -> Value {
        object(
            &[
                ("content", &self.content),
                ("filename", &self.filename),
                ("media_type", &self.media_type),
            ],
            &(),
        )
    }
}

impl Codec for Download {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        let download = Self {
            content: fields.take("content"),
            media_type: fields.take("media_type"),
            size: fields.take("size"),
        };
        fields.rest::<()>();
        download
    }

    fn encode(&self) -> Value {
        object(
            &[
                ("content", &self.content),
                ("media_type", &self.media_type),
                ("size", &self.size),
            ],
            &(),
        )
    }
}

forward!(File, Download);
