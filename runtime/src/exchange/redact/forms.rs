//! The forms of a secret that are searched for.

use base64::{
    Engine,
    prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use toolwright_model::hex;

use crate::{exchange::request::encode_value, secret::Secret};

/// A form of a secret.
#[derive(Clone)]
pub(super) struct SecretForm {
    pub(super) text: Secret,
    /// The alphabet of the encoding, if the form is part of an encoded string.
    pub(super) alphabet: Alphabet,
}

/// The characters of an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// The form is not a part of anything.
    Plain,
    /// Base64, in either alphabet.
    Base64,
    /// Hexadecimal digits.
    Hex,
}

impl Alphabet {
    pub(super) const fn has(self, byte: u8) -> bool {
        match self {
            Self::Plain => false,
            Self::Base64 => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=')
            }
            Self::Hex => byte.is_ascii_hexdigit(),
        }
    }
}

/// Returns the unencoded secret as a form.
pub(super) fn plain(secret: &str) -> SecretForm {
    form(secret.to_owned(), Alphabet::Plain)
}

/// All forms of a secret. Letters of either case are the same for the search.
pub(super) fn forms_of(secret: &str) -> Vec<SecretForm> {
    let mut forms = vec![
        plain(secret),
        form(reversed(secret), Alphabet::Plain),
        form(hex(secret.as_bytes()), Alphabet::Hex),
        form(utf16_in_text(secret), Alphabet::Plain),
    ];
    forms.extend(escaped(secret).map(|text| form(text, Alphabet::Plain)));
    forms.extend(base64(secret.as_bytes()));
    forms
}

fn form(text: String, alphabet: Alphabet) -> SecretForm {
    SecretForm {
        text: Secret::new(text),
        alphabet,
    }
}

fn reversed(secret: &str) -> String {
    secret.chars().rev().collect()
}

/// UTF-16 of ASCII, as it looks in bytes that are read as UTF-8: a NUL between two characters.
fn utf16_in_text(secret: &str) -> String {
    let characters: Vec<String> = secret.chars().map(String::from).collect();
    characters.join("\0")
}

/// The secret as URLs, forms, JSON, HTML and logs escape it.
fn escaped(secret: &str) -> [String; 11] {
    let each = |write: fn(u32) -> String| -> String {
        secret.chars().map(|c| write(u32::from(c))).collect()
    };
    let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_matches('"').to_owned();
    let html = secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    [
        encode_value(secret),
        encode_value(&encode_value(secret)),
        secret.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        percent.replace("%20", "+"),
        percent,
        json.replace('/', "\\/"),
        html.replace('"', "&quot;"),
        each(|code| format!("\\u{code:04x}")),
        each(|code| format!("\\x{code:02x}")),
        each(|code| format!("&#{code};")),
        each(|code| format!("&#x{code:x};")),
    ]
}

/// Returns the base64 digits that encode the secret alone, at any offset in a longer string: after
/// 0, 1 or 2 bytes of a group of three.
fn base64(secret: &[u8]) -> Vec<SecretForm> {
    let mut forms = Vec::new();
    for shift in 0..3_usize {
        let padding = std::iter::repeat_n(0, shift);
        let shifted: Vec<u8> = padding.chain(secret.iter().copied()).collect();
        // Other bytes have a part in the digits before the first and after the last of these.
        let (first, end) = ((shift * 8).div_ceil(6), shifted.len() * 8 / 6);
        let standard = BASE64_STANDARD_NO_PAD.encode(&shifted);
        let url_safe = BASE64_URL_SAFE_NO_PAD.encode(&shifted);
        for digits in [standard, url_safe] {
            let own = digits.get(first..end).unwrap_or_default();
            forms.push(form(own.to_owned(), Alphabet::Base64));
        }
    }
    forms
}
