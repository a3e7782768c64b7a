//! Hexadecimal digits, the form in which digests are compared, stored and shown.

/// Returns bytes in lower-case hexadecimal, two digits each.
///
/// ```
/// assert_eq!(toolwright_model::hex([0, 0x5a, 0xff]), "005aff");
/// ```
#[must_use]
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16);
    bytes
        .as_ref()
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)])
        .flatten()
        .collect()
}
