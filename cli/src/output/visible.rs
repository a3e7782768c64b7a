//! The last check of everything that the command writes for people.

use std::borrow::Cow;

use toolwright_model::text::{has_invisible, show_invisible};

/// Returns a string with its invisible characters shown, except the styles that the command itself
/// adds, such as `\u{1b}[31m`.
///
/// Foreign strings must be made visible before they are styled: this function keeps their styles.
pub(super) fn with_styles(text: &str) -> Cow<'_, str> {
    if !has_invisible(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        shown.push_str(&show_invisible(before));
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';');
        rest = match end.and_then(|end| after.split_at_checked(end)) {
            Some((parameters, style)) if style.starts_with('m') => {
                shown.push_str("\u{1b}[");
                shown.push_str(parameters);
                style
            }
            _ => {
                shown.push_str("\\u{1b}[");
                after
            }
        };
    }
    shown.push_str(&show_invisible(rest));
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_stay_and_other_invisible_characters_are_shown() {
        for (text, expected) in [
            (
                "\u{1b}[1;31merror\u{1b}[0m: x",
                "\u{1b}[1;31merror\u{1b}[0m: x",
            ),
            ("\u{1b}[2Ka", "\\u{1b}[2Ka"),
            ("\u{1b}[31", "\\u{1b}[31"),
            (
                "a\u{1b}]0;t\u{7}\u{202e}\n",
                "a\\u{1b}]0;t\\u{7}\\u{202e}\n",
            ),
        ] {
            assert_eq!(with_styles(text), expected);
        }
    }
}
