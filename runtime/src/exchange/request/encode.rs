//! Percent-encoding for each part of a request.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters except the unreserved ones of RFC 3986.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// As [`VALUE`], without the reserved characters that cannot end a query or begin another
/// parameter in it. Some services take `;` for `&`.
const RESERVED_VALUE: &AsciiSet = &VALUE
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b'=');

/// The characters that would begin another cookie, or another header.
const COOKIE: &AsciiSet = &CONTROLS.add(b';');

/// The characters that are not allowed in the literal parts of a path.
const LITERAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\');

/// Encodes a value. No character keeps a special meaning.
pub(crate) fn value(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// Returns the encoding of values of a query, or of a form.
pub(super) fn of_query(allow_reserved: bool) -> fn(&str) -> String {
    if allow_reserved {
        reserved_value
    } else {
        value
    }
}

/// A value of a query that may keep its reserved characters, and what is encoded already. `&`,
/// `;`, `#`, `+` and brackets are encoded all the same, since they would change the query.
fn reserved_value(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.extend(utf8_percent_encode(before, RESERVED_VALUE));
        let encoded = after
            .as_bytes()
            .iter()
            .take(2)
            .filter(|byte| byte.is_ascii_hexdigit());
        out.push_str(if encoded.count() == 2 { "%" } else { "%25" });
        rest = after;
    }
    out.extend(utf8_percent_encode(rest, RESERVED_VALUE));
    out
}

/// Encodes only the characters of a cookie that would begin another cookie or another header.
pub(super) fn cookie(text: &str) -> String {
    utf8_percent_encode(text, COOKIE).to_string()
}

/// Encodes a literal part of a path.
pub(super) fn literal(text: &str) -> String {
    utf8_percent_encode(text, LITERAL).to_string()
}
