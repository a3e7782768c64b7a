//! Text as a service may read it: decoded as often as it can be, and with look-alikes replaced.

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

/// The most rounds of decoding. Each round makes the string shorter or leaves it unchanged.
const MOST_ROUNDS: usize = 64;

/// Decodes a string like the most lenient service: percent-decoded until nothing changes, `%u002f`
/// included, and with each character in its compatible form.
pub(super) fn fully_decoded(text: &str) -> String {
    decoded(text, compatible)
}

/// Percent-decodes a string until nothing changes. Its characters keep their form.
pub(super) fn percent_decoded(text: &str) -> String {
    decoded(text, str::to_owned)
}

fn decoded(text: &str, read: fn(&str) -> String) -> String {
    let mut current = text.to_owned();
    for _ in 0..MOST_ROUNDS {
        let bytes = percent_decode_str(&current).decode_utf8_lossy();
        let next = read(&with_escapes_of_four_digits(&bytes));
        if next == current {
            break;
        }
        current = next;
    }
    current
}

/// Maps each character to its compatible form (NFKC): `／` becomes `/`. So do the slashes that some
/// code pages map to `/` and `\`.
pub(super) fn compatible(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let characters = text.nfkc().map(|character| match character {
        '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{2571}' => '/',
        '\u{2216}' | '\u{29f5}' | '\u{29f9}' | '\u{2572}' | '\u{20e5}' => '\\',
        other => other,
    });
    characters.collect()
}

/// Returns whether the string contains something that percent-decoding would change: `%2f` or
/// `%u002f`.
pub(super) fn is_decodable(text: &str) -> bool {
    text.split('%').skip(1).any(|after| {
        hexadecimal(after, 2).is_some()
            || after
                .strip_prefix(['u', 'U'])
                .is_some_and(|digits| hexadecimal(digits, 4).is_some())
    })
}

/// Decodes `%u002f`, which some servers accept.
fn with_escapes_of_four_digits(text: &str) -> String {
    let mut parts = text.split('%');
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.strip_prefix(['u', 'U']);
        let character = digits.and_then(|digits| {
            let character = char::from_u32(hexadecimal(digits, 4)?)?;
            Some((character, digits.get(4..)?))
        });
        match character {
            Some((character, rest)) => {
                decoded.push(character);
                decoded.push_str(rest);
            }
            None => {
                decoded.push('%');
                decoded.push_str(part);
            }
        }
    }
    decoded
}

fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    let is_digit = |byte: u8| byte.is_ascii_hexdigit();
    digits
        .bytes()
        .all(is_digit)
        .then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_until_nothing_changes() {
        for (text, decoded) in [
            ("a%2Fb", "a/b"),
            ("a%25252Fb", "a/b"),
            ("a%u002fb", "a/b"),
            ("a%25u002Fb", "a/b"),
            ("a%EF%BC%8Fb", "a/b"),
            ("a%E2%88%95b", "a/b"),
            ("%EF%BC%852f", "/"),
            ("100%25", "100%"),
            ("%zz", "%zz"),
            ("%u00", "%u00"),
            ("é", "é"),
        ] {
            assert_eq!(fully_decoded(text), decoded, "{text}");
        }
    }

    #[test]
    fn text_that_could_be_decoded_again_is_found() {
        for text in ["%2f", "a%00", "%U002F", "%%32%66", "%41"] {
            assert!(is_decodable(text), "{text}");
        }
        for text in ["", "%", "100%", "5% of", "%u00", "%2"] {
            assert!(!is_decodable(text), "{text}");
        }
    }
}
