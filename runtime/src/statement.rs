//! The statements of people: the name of the person and the reason.

use toolwright_model::text::has_invisible;

/// The greatest length of a person's name, in characters.
pub(crate) const NAME_LIMIT: usize = 128;

/// The greatest length of a reason, in characters.
pub(crate) const REASON_LIMIT: usize = 512;

/// Checks whether a text can name a person: one line of visible characters.
pub(crate) fn is_name(text: &str) -> bool {
    is_line(text, NAME_LIMIT)
}

/// Checks whether a text can be a person's reason: one line of visible characters.
pub(crate) fn is_reason(text: &str) -> bool {
    is_line(text, REASON_LIMIT)
}

fn is_line(text: &str, limit: usize) -> bool {
    let is_short = text.chars().nth(limit).is_none();
    !text.trim().is_empty() && is_short && !text.contains('\n') && !has_invisible(text)
}
