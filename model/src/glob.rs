//! Patterns in which `*` matches any characters: names of tools, operation ids, paths, tags.

/// Checks whether a pattern matches the whole of a string. `*` matches any characters, also none
/// and `/`; every other character matches itself.
///
/// ```
/// use toolwright_model::matches_glob;
///
/// assert!(matches_glob("/admin/*", "/admin/users/{id}"));
/// assert!(!matches_glob("list-*", "get-list"));
/// ```
#[must_use]
pub fn matches_glob(pattern: &str, text: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    while let Some((piece, after)) = rest.split_once('*') {
        let Some((_, tail)) = text.split_once(piece) else {
            return false;
        };
        text = tail;
        rest = after;
    }
    text.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_matched_from_end_to_end() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("*", "", true),
            ("*", "/a/b", true),
            ("list-*", "list-a", true),
            ("list-*", "get-list-a", false),
            ("*-items", "list-items-x", false),
            ("*-items", "list-items", true),
            ("/a/*", "/a/b/c", true),
            ("/a/*", "/b/c", false),
            ("/a/*/c", "/a/b/b/c", true),
            ("/a/*/c", "/a/c", false),
            ("*/b/*", "/a/b/c", true),
            ("a*a", "a", false),
            ("a*b*c", "abbbc", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("ab*ba", "aba", false),
            ("a**b", "ab", true),
            ("*a*a*", "xaya", true),
            ("*a*a*", "xay", false),
        ] {
            assert_eq!(matches_glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
