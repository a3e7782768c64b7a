//! Invisible characters: detection, escaping and removal.
//!
//! People and models read prose from vendors, services and agents. A character without a visible
//! form can reorder, hide or split it. Such characters are removed from prose that only describes
//! something, and escaped if a person makes a decision based on it.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Checks whether a character has no visible form: controls, bidirectional and other format
/// characters, zero-width characters, tags, variation selectors, fillers, line and paragraph
/// separators, private-use and unassigned characters.
///
/// Spaces, line breaks and tabs also count, except U+0020, `\n` and `\t`.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return !is_visible_ascii(character);
    }
    let category = get_general_category(character);
    matches!(
        category,
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
    ) || is_ignorable(character)
}

/// Writes each invisible character as `\u{…}`, and line breaks and tabs as `\n` and `\t`. A
/// backslash in the input is doubled, so two different inputs never look alike.
#[must_use]
pub fn escape_invisible(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !is_invisible(c) && !matches!(c, '\n' | '\t' | '\\');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\\' => escaped.push_str("\\\\"),
            _ if is_invisible(character) => escaped.extend(character.escape_unicode()),
            _ => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Checks whether a string contains invisible characters.
#[must_use]
pub fn has_invisible(text: &str) -> bool {
    !is_plain(text) && text.chars().any(is_invisible)
}

/// Checks whether a string is visible ASCII with line breaks and tabs, as most strings are. It does not end early, so
/// that the processor can check many bytes at once.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .fold(true, |all, byte| all & is_visible_ascii(char::from(byte)))
}

const fn is_visible_ascii(character: char) -> bool {
    matches!(character, ' '..='~' | '\n' | '\t')
}

/// Writes each invisible character as `\u{…}`. Line breaks and tabs stay, and `\r\n` becomes `\n`.
///
/// Use [`escape_invisible`] if two different strings must never look alike.
#[must_use]
pub fn show_invisible(text: &str) -> Cow<'_, str> {
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\r' && characters.peek() == Some(&'\n') {
            continue;
        }
        if is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Returns JSON in which each invisible character is written as `\u` and four digits. The value is
/// the same, since such characters occur in JSON only within strings.
#[must_use]
pub fn escape_json(json: &str) -> Cow<'_, str> {
    if !has_invisible(json) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_invisible(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Removes the invisible characters. Spaces of other widths become U+0020.
#[must_use]
pub fn remove_invisible(text: &str) -> Cow<'_, str> {
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let visible = text.chars().filter_map(|character| {
        if !is_invisible(character) {
            Some(character)
        } else if character.is_whitespace() && !character.is_control() {
            Some(' ')
        } else {
            None
        }
    });
    Cow::Owned(visible.collect())
}

/// Checks whether Unicode defines the character as ignorable although its category is a letter or a
/// mark (`Default_Ignorable_Code_Point`).
const fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{034f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_without_a_visible_form_are_found() {
        for invisible in [
            '\0',
            '\u{1b}',
            '\r',
            '\u{7f}',
            '\u{85}',
            '\u{a0}',
            '\u{ad}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2028}',
            '\u{2066}',
            '\u{3000}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e000}',
            '\u{2800}',
        ] {
            assert!(is_invisible(invisible), "{invisible:?}");
        }
        for visible in ['a', ' ', '\n', 'é', 'ß', '中', 'ا', '…', '🙂', '\u{301}'] {
            assert!(!is_invisible(visible), "{visible:?}");
        }
    }

    #[test]
    fn escaped_texts_are_visible_and_distinct() {
        assert_eq!(escape_invisible("pay 10 EUR"), "pay 10 EUR");
        assert_eq!(
            escape_invisible("pay 10 \u{202e}000.01 RUE\n"),
            "pay 10 \\u{202e}000.01 RUE\\n"
        );
        assert_ne!(escape_invisible("\\u{202e}"), escape_invisible("\u{202e}"));
    }

    #[test]
    fn shown_texts_keep_their_lines() {
        assert_eq!(
            show_invisible("a\u{200b}b\u{e0041}\r\n\u{1b}[0m\r"),
            "a\\u{200b}b\\u{e0041}\n\\u{1b}[0m\\u{d}"
        );
        assert_eq!(show_invisible("日本語 ✓\n\\n"), "日本語 ✓\n\\n");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        assert_eq!(
            escape_json("\"pay 10 \u{202e}000.01 RUE\u{e0041}\u{200b}\""),
            r#""pay 10 \u202e000.01 RUE\udb40\udc41\u200b""#
        );
    }

    #[test]
    fn removed_characters_still_separate_words() {
        assert_eq!(
            remove_invisible("a\u{a0}b\u{200b}c\u{1b}[31m\nd"),
            "a bc[31m\nd"
        );
    }
}
