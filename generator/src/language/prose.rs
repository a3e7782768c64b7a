//! Prose in a document: markup, sentences, quotations.

/// The longest quotation, in characters.
const QUOTE: usize = 60;

/// Splits prose into sentences, each with its full stop.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at_checked(end_of_sentence(rest))?;
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// Returns the end of the first sentence: after a full stop before white space, or at an empty
/// line.
fn end_of_sentence(text: &str) -> usize {
    text.match_indices(['.', '!', '?', ':', '\n'])
        .map(|(at, mark)| (at + mark.len(), mark))
        .find(|(end, mark)| {
            let after = text.get(*end..).unwrap_or_default();
            if *mark == "\n" {
                after.starts_with('\n')
            } else {
                after.is_empty() || after.starts_with(char::is_whitespace)
            }
        })
        .map_or(text.len(), |(end, _)| end)
}

/// Removes HTML tags, the names of characters, and the marks of Markdown.
pub(crate) fn without_markup(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let (mut in_tag, mut in_entity) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                plain.push(' ');
            }
            _ if in_tag => {}
            '&' if entity(text, at).is_some() => in_entity = true,
            ';' if in_entity => {
                in_entity = false;
                plain.push(' ');
            }
            _ if in_entity => {}
            '*' | '`' | '#' | '[' | ']' => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

/// Returns the name of the character that begins here: `nbsp` of `&nbsp;`.
fn entity(text: &str, at: usize) -> Option<&str> {
    const LONGEST: usize = 8;
    let rest = text.get(at + 1..)?;
    let end = rest.bytes().take(LONGEST + 1).position(|b| b == b';')?;
    let name = rest.get(..end)?;
    let letters = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'#');
    (!name.is_empty() && letters).then_some(name)
}

/// Returns a text without markup, at least so many of its sentences.
pub(crate) fn beginning(text: &str, count: usize) -> String {
    const ENOUGH: usize = 1_000;
    let part = text.get(..text.floor_char_boundary(ENOUGH));
    let part = without_markup(part.unwrap_or_default());
    // a sentence after the last one shows that this one is whole
    if text.len() <= ENOUGH || sentences(&part).nth(count).is_some() {
        part
    } else {
        without_markup(text)
    }
}

/// Returns the beginning of a description on one line, for a quotation.
pub(crate) fn quote(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= QUOTE {
        return line;
    }
    let cut: String = line.chars().take(QUOTE).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_within_a_word_ends_no_sentence() {
        let text = "Gets v1.2 of it. Then\nmore.\n\nLast";
        assert_eq!(
            sentences(text).collect::<Vec<_>>(),
            ["Gets v1.2 of it.", "Then\nmore.", "Last"]
        );
    }

    #[test]
    fn markup_disappears() {
        assert_eq!(
            quote(&without_markup(
                "<p>Gets&nbsp;<code>x</code>.</p> **Now** [a](b)"
            )),
            "Gets x . Now a (b)"
        );
        assert_eq!(quote(&"é".repeat(70)).chars().count(), QUOTE + 1);
    }
}
