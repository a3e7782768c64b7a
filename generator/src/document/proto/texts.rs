//! The comments of `.proto` files as texts.

/// Returns a comment as a text: without the space at the start of each line, without remarks for
/// reviewers, and with references as plain names.
pub(super) fn text_of(comment: &str) -> Option<String> {
    let lines = comment.lines().map(|line| {
        let line = line.strip_prefix(' ').unwrap_or(line);
        line.trim_end()
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = without_remarks(&text);
    let text = plain_references(text.trim());
    (!text.is_empty()).then_some(text)
}

/// Removes `(-- … --)`, which documents keep for their authors.
fn without_remarks(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("(--") {
        kept.push_str(before);
        match after.split_once("--)") {
            Some((_, after)) => rest = after,
            None => return kept,
        }
    }
    kept.push_str(rest);
    kept
}

/// Writes `[Topic][shop.v1.Topic]` and `[shop.v1.Topic][]` as the name in the first brackets.
fn plain_references(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        plain.push_str(before);
        let reference = after.split_once("][").and_then(|(name, target)| {
            let (target, after) = target.split_once(']')?;
            let is_name = |text: &str| text.bytes().all(|byte| is_part(byte) || byte == b'`');
            let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '`');
            (starts && !name.contains(['[', ']', '\n']) && is_name(target)).then_some((name, after))
        });
        match reference {
            Some((name, after)) => {
                plain.push_str(name);
                rest = after;
            }
            None => {
                plain.push('[');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_texts() {
        let text = |comment| text_of(comment).unwrap_or_default();
        assert_eq!(
            text(" Gets an order.\n\n The order is [Order][shop.v1.Order].\n"),
            "Gets an order.\n\nThe order is Order."
        );
        assert_eq!(text(" Lists. (-- for authors\n --) All."), "Lists.  All.");
        assert_eq!(text("(-- only this --)"), "");
        assert_eq!(text("a [b] c[0][1]"), "a [b] c[0][1]");
        assert_eq!(text("[shop.v1.Order][]"), "shop.v1.Order");
    }
}
