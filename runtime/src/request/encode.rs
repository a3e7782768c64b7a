//! Percent-encoding, by the place that a text goes to.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but what RFC 3986 calls unreserved.
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

/// What would begin another cookie, or another header.
const COOKIE: &AsciiSet = &CONTROLS.add(b';');

/// What the literal text of a path cannot have.
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

/// A value, so that no character of it has a meaning where it goes.
pub(crate) fn value(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// How values of a query, or of a form, are encoded.
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

/// A value of a cookie as it is, but for what would begin another cookie or another header.
pub(super) fn cookie(text: &str) -> String {
    utf8_percent_encode(text, COOKIE).to_string()
}

/// The literal text of a path.
pub(super) fn literal(text: &str) -> String {
    utf8_percent_encode(text, LITERAL).to_string()
}
