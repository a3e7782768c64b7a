//! Texts of agents and services on a page: never markup, and with nothing that cannot be seen.

use maud::{Markup, html};
use serde_json::Value;
use toolwright_model::text::{is_invisible, show_invisible};

/// Shows a string. Characters without a visible form are written as their code and marked, so
/// they differ from a string that spells the code out.
pub(crate) fn text(text: &str) -> Markup {
    let mut parts: Vec<(bool, String)> = Vec::new();
    for character in text.chars() {
        let hidden = is_invisible(character);
        match parts.last_mut() {
            Some((is_hidden, part)) if *is_hidden == hidden => push(part, character, hidden),
            _ => {
                let mut part = String::new();
                push(&mut part, character, hidden);
                parts.push((hidden, part));
            }
        }
    }
    html! {
        @for (hidden, part) in &parts {
            @if *hidden { span.unseen title="characters without a visible form" { (part) } }
            @else { (part) }
        }
    }
}

fn push(part: &mut String, character: char, hidden: bool) {
    if hidden {
        part.extend(character.escape_unicode());
    } else {
        part.push(character);
    }
}

/// Shows a text of several paragraphs. A single line break is a space, as in Markdown, unless a list or an
/// indented line follows.
pub(crate) fn prose(shown: &str) -> Markup {
    let mut joined = String::new();
    for line in shown.lines() {
        let begins = line.starts_with([' ', '\t', '-', '*', '|', '`'])
            || line.starts_with(|character: char| character.is_ascii_digit());
        if line.is_empty() && !joined.ends_with("\n\n") {
            joined.push_str("\n\n");
        } else if !joined.is_empty() && !joined.ends_with('\n') {
            joined.push(if begins { '\n' } else { ' ' });
        }
        joined.push_str(line);
    }
    html! { p.prose { (text(joined.trim())) } }
}

/// Shows a string as code.
pub(crate) fn code(shown: &str) -> Markup {
    html! { code { (text(shown)) } }
}

/// Shows a JSON value in full, on as many lines as it needs.
pub(crate) fn json(value: &Value) -> Markup {
    html! { pre.json { (text(&format!("{value:#}"))) } }
}

/// Shows a JSON value on one line.
pub(crate) fn short_json(value: &Value) -> Markup {
    html! { code { (text(&value.to_string())) } }
}

/// Returns a page without any character that cannot be seen, whatever its parts have let pass.
pub(crate) fn visible_page(page: Markup) -> String {
    let page = page.into_string();
    match show_invisible(&page) {
        std::borrow::Cow::Borrowed(_) => page,
        std::borrow::Cow::Owned(shown) => shown,
    }
}

/// Returns a number with its noun.
pub(crate) fn plural(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn markup_is_text_and_what_cannot_be_seen_is_marked() {
        let shown = text("<b>a\u{202e}\u{200b}b</b>").into_string();
        assert_eq!(
            shown,
            "&lt;b&gt;a<span class=\"unseen\" title=\"characters without a visible form\">\\u{202e}\\u{200b}</span>b&lt;/b&gt;"
        );
        let spelt = text("\\u{202e}").into_string();
        assert!(!spelt.contains("span"), "{spelt}");
        assert!(
            json(&json!({"a": "\u{202e}"}))
                .into_string()
                .contains("unseen")
        );
    }

    #[test]
    fn lines_of_a_paragraph_are_joined() {
        let shown = prose("One line\nand its end.\n\nA list:\n- one\n- two\n").into_string();
        assert_eq!(
            shown,
            "<p class=\"prose\">One line and its end.\n\nA list:\n- one\n- two</p>"
        );
    }

    #[test]
    fn a_page_has_nothing_that_cannot_be_seen() {
        let page = visible_page(html! { p { "a\u{202e}b" } "\n" });
        assert_eq!(page, "<p>a\\u{202e}b</p>\n");
    }
}
