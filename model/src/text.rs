//! Characters that a reader cannot see, and what to do about them.
//!
//! Text of vendors, services and agents is shown to people and to models. A character that has no
//! visible form can reorder, hide or split such text, so it is removed if the text only
//! describes something, and made visible if a person decides by it.

use std::borrow::Cow;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Whether a character has no visible form of its own: controls, bidirectional and other format
/// characters, zero-width characters, tags, variation selectors, fillers, line and paragraph
/// separators, private-use and unassigned characters.
///
/// A space, a line break and a tab are such characters too, except U+0020, `\n` and `\t`.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && !matches!(character, '\n' | '\t');
    }
    let category = character.general_category();
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

/// Returns the text with each invisible character written as `\u{…}`, and the line break and the
/// tab as `\n` and `\t`. A backslash that the text already has in front of `u{` is doubled, so that
/// two different texts never look alike.
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

/// Returns the text without its invisible characters. Spaces of other widths become U+0020.
#[must_use]
pub fn remove_invisible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_invisible) {
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

/// Whether Unicode calls the character ignorable although its category is that of a letter or a
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
    fn removed_characters_leave_the_words_apart() {
        assert_eq!(
            remove_invisible("a\u{a0}b\u{200b}c\u{1b}[31m\nd"),
            "a bc[31m\nd"
        );
    }
}
