//! Encodings of files.

use encoding_rs::{Encoding, UTF_8};

/// The decoded content of a file, and the name of its encoding.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) encoding: &'static str,
}

/// The reason why bytes are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotText {
    /// No encoding has this name.
    UnknownEncoding,
    /// The bytes are invalid in the encoding.
    Invalid,
}

/// Decodes the bytes of a file: in the named encoding, or else in the one of the byte order mark, or else
/// in UTF-8. Nothing is replaced: invalid bytes are an error.
pub(crate) fn decode(bytes: &[u8], label: Option<&str>) -> Result<Decoded, NotText> {
    let named = match label {
        Some(label) => {
            let named = Encoding::for_label(label.as_bytes());
            Some(named.ok_or(NotText::UnknownEncoding)?)
        }
        None => None,
    };
    let marked = Encoding::for_bom(bytes);
    let encoding = named.or(marked.map(|(encoding, _)| encoding));
    let encoding = encoding.unwrap_or(UTF_8);
    let mark = marked.filter(|(of_mark, _)| *of_mark == encoding);
    let content = bytes.get(mark.map_or(0, |(_, length)| length)..);
    let content = content.unwrap_or_default();
    let text = encoding.decode_without_bom_handling_and_without_replacement(content);
    match text {
        Some(text) if !text.contains('\0') => Ok(Decoded {
            text: text.into_owned(),
            encoding: encoding.name(),
        }),
        _ => Err(NotText::Invalid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_by_its_mark_or_by_name() {
        let utf16: &[u8] = b"\xff\xfeh\0i\0";
        for (bytes, label, expected) in [
            ("häi".as_bytes(), None, Ok(("häi", "UTF-8"))),
            (b"\xef\xbb\xbfhi", None, Ok(("hi", "UTF-8"))),
            (utf16, None, Ok(("hi", "UTF-16LE"))),
            (b"h\xe4i", Some("latin1"), Ok(("häi", "windows-1252"))),
            (b"h\xe4i", None, Err(NotText::Invalid)),
            (b"h\0i", None, Err(NotText::Invalid)),
            (b"hi", Some("klingon"), Err(NotText::UnknownEncoding)),
        ] {
            let decoded = decode(bytes, label);
            let decoded = decoded.as_ref();
            let found = decoded.map(|found| (found.text.as_str(), found.encoding));
            assert_eq!(found.map_err(|error| *error), expected, "{bytes:?}");
        }
    }
}
