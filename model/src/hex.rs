//! Hexadecimal digits, the form in which digests are compared, stored and shown.

/// Returns bytes in lower-case hexadecimal, two digits each.
///
/// ```
/// assert_eq!(toolwright_model::hex([0, 0x5a, 0xff]), "005aff");
/// ```
#[must_use]
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    digits(bytes.as_ref()).map(char::from).collect()
}

/// Appends bytes in lower-case hexadecimal, two digits each.
pub fn push_hex(text: &mut Vec<u8>, bytes: &[u8]) {
    text.extend(digits(bytes));
}

/// Parses lower-case hexadecimal digits of exactly `N` bytes.
///
/// ```
/// assert_eq!(toolwright_model::parse_hex(b"005aff"), Some([0, 0x5a, 0xff]));
/// assert_eq!(toolwright_model::parse_hex::<3>(b"005a"), None);
/// assert_eq!(toolwright_model::parse_hex::<1>(b"5A"), None);
/// ```
#[must_use]
pub fn parse_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(bytes)
}

fn digits(bytes: &[u8]) -> impl Iterator<Item = u8> {
    let digit = |value: u8| value + if value < 10 { b'0' } else { b'a' - 10 };
    bytes
        .iter()
        .flat_map(move |byte| [digit(byte >> 4), digit(byte & 0xf)])
}
