//! One segment of a path: a literal, parameters, a version, and what is called on it.

use crate::language::{
    singular,
    vocabulary::{Tag, is},
    words,
};

/// One segment of a path.
pub(crate) enum Segment<'a> {
    /// Text.
    Literal(&'a str),
    /// Parameters, and the characters before the first and after the last.
    Parameters(&'a str, Vec<&'a str>, &'a str),
}

/// Checks whether the next segment names a namespace, as in `providers/Example.Compute`.
pub(crate) fn is_namespace(segment: &str, after: &[&str]) -> bool {
    segment == "providers"
        && after.len() > 1
        && after
            .first()
            .is_some_and(|next| next.contains('.') && !next.contains('{'))
}

/// A segment and what is called on it: `documents` and `info`, `{name}` and `cancel`.
pub(crate) fn split_call(segment: &str) -> (&str, &str) {
    let segment = without_extension(segment);
    if let Some((before, call)) = segment.rsplit_once(':')
        && !before.is_empty()
        && !call.contains('}')
    {
        return (before, call);
    }
    match segment.rsplit_once('.') {
        Some((before, call))
            if !before.is_empty()
                && !segment.contains('{')
                && !is(call, Tag::Domain)
                && segment.starts_with(|c: char| c.is_ascii_lowercase())
                && call.starts_with(|c: char| c.is_ascii_lowercase()) =>
        {
            (before, call)
        }
        _ => (segment, ""),
    }
}

/// Returns a function of a path without its namespace and its arguments: `example.data.delta(on='{on}')`.
pub(crate) fn without_qualifier(segment: &str) -> &str {
    let name = segment.split('(').next().unwrap_or(segment);
    let qualified = name.matches('.').count() > 1
        && !name.contains('{')
        && name
            .split('.')
            .all(|label| label.starts_with(|c: char| c.is_ascii_lowercase()));
    match name
        .rsplit_once('.')
        .filter(|_| qualified && !is_domain(name))
    {
        Some((_, function)) => function,
        None => segment,
    }
}

/// Parses a segment.
pub(crate) fn parse(segment: &str) -> Segment<'_> {
    if let Some(name) = segment.strip_prefix(':') {
        return Segment::Parameters("", vec![name], "");
    }
    let mut names: Vec<&str> = segment
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .collect();
    if names.is_empty() {
        return Segment::Literal(segment);
    }
    let beginning = segment.split('{').next().unwrap_or_default();
    let ending = segment.rsplit_once('}').map_or("", |(_, ending)| ending);
    // `items.{format}`, `items/{id}.{format}`
    match names.as_slice() {
        [format] if is_format(format) && !beginning.is_empty() && ending.is_empty() => {
            Segment::Literal(beginning.trim_end_matches('.'))
        }
        [.., _, format] if is_format(format) && ending.is_empty() => {
            names.pop();
            Segment::Parameters(beginning, names, "")
        }
        _ => Segment::Parameters(beginning, names, ending),
    }
}

/// Checks whether a parameter selects the format of the response: `format`, `mediaTypeExtension`.
fn is_format(name: &str) -> bool {
    let words = words(name);
    match words.as_slice() {
        [content, kind] if kind == "type" => matches!(content.as_str(), "content" | "media"),
        [.., last] => matches!(last.as_str(), "ext" | "extension" | "format"),
        [] => false,
    }
}

/// Checks whether a segment is a parameter for the format of the response: `{format}`.
pub(crate) fn is_format_parameter(segment: &str) -> bool {
    segment == "{format}"
}

/// Checks whether a segment is a parameter for the version: `{version}`, `v{apiVersion}`.
pub(crate) fn is_version_parameter(segment: &str) -> bool {
    let bare = segment.strip_prefix(['v', 'V']).unwrap_or(segment);
    let name = bare
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'));
    let is_version = |name| {
        let name = words(name).concat();
        matches!(name.as_str(), "version" | "apiversion" | "versionnumber")
    };
    name.is_some_and(is_version)
}

/// Checks whether a literal is a domain name or the name of a class, which names a group of an API.
pub(crate) fn is_domain(text: &str) -> bool {
    is_reversed(text)
        || text
            .rsplit_once('.')
            .is_some_and(|(_, last)| is(last, Tag::Domain))
}

/// Checks whether a literal is a name that begins with a domain: `org.example.http.Proxy`.
fn is_reversed(text: &str) -> bool {
    let first = text.split('.').next().unwrap_or_default();
    is(first, Tag::Domain) && text.matches('.').count() > 1
}

/// Returns the words of a literal; of a domain name those of its first label, of the name of a class
/// those of its last two.
pub(crate) fn literal_words(text: &str) -> Vec<String> {
    if is_reversed(text) {
        let mut labels: Vec<&str> = text.rsplit('.').take(2).collect();
        labels.reverse();
        return words(&labels.join("-"));
    }
    if is_domain(text) {
        return words(text.split('.').next().unwrap_or(text));
    }
    let text = text.strip_prefix("x-").unwrap_or(text);
    let pieces = without_extension(text).split('-');
    pieces
        .filter(|piece| !is_opaque(piece))
        .flat_map(words)
        .flat_map(split_by)
        .collect()
}

/// Shorter words are part of others by chance.
const SHORT: usize = 3;

/// Splits `by` and one or two nouns that are one word: `bychannel`.
fn split_by(word: String) -> Vec<String> {
    const NOUNS: [Tag; 4] = [Tag::Noun, Tag::Key, Tag::Trait, Tag::Caller];
    let noun = |rest: &&str| {
        let one = singular(rest);
        NOUNS.iter().any(|tag| is(&one, *tag))
    };
    let Some(rest) = word.strip_prefix("by") else {
        return vec![word];
    };
    // `bysdkversion`
    let ends = |at: &usize| {
        rest.get(*at..)
            .is_some_and(|end| end.len() > SHORT && noun(&end))
    };
    let at = if noun(&rest) {
        Some(0)
    } else {
        (SHORT..rest.len()).find(ends)
    };
    let Some((first, last)) = at.and_then(|at| rest.split_at_checked(at)) else {
        return vec![word];
    };
    let words = ["by", first, last]
        .into_iter()
        .filter(|part| !part.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns a segment without the extension of a file or of a program.
pub(crate) fn without_extension(segment: &str) -> &str {
    match segment.rsplit_once('.') {
        Some((before, extension))
            if !before.is_empty() && is(&extension.to_lowercase(), Tag::Format) =>
        {
            before
        }
        _ => segment,
    }
}

/// Checks whether a piece is an opaque identifier: long, of letters and several digits.
fn is_opaque(piece: &str) -> bool {
    const LONG: usize = 10;
    let digits = piece.bytes().filter(u8::is_ascii_digit).count();
    let mixed = piece.bytes().any(|b| b.is_ascii_alphabetic()) && digits * 4 >= piece.len();
    let cases = piece.bytes().any(|b| b.is_ascii_lowercase())
        && piece.bytes().any(|b| b.is_ascii_uppercase());
    piece.len() >= LONG && mixed
        || piece.len() >= LONG
            && cases
            && digits > 0
            && piece.starts_with(|c: char| c.is_ascii_digit())
}

/// Checks whether a segment is a version: `v2`, `v1beta1`, `3`, `1.0`, `2020-11-20`.
pub(crate) fn is_version(segment: &str) -> bool {
    let bare = segment.strip_prefix(['v', 'V']).unwrap_or(segment);
    let numbered = bare.starts_with(|c: char| c.is_ascii_digit());
    let plain = bare
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
    let stage = ["alpha", "beta", "preview"]
        .iter()
        .any(|stage| bare.to_ascii_lowercase().contains(stage));
    numbered && (plain || segment.len() > bare.len() && stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for version in [
            "v1",
            "v2beta1",
            "3",
            "1.0",
            "2020-11-20",
            "v2024-02-01-preview",
        ] {
            assert!(is_version(version), "{version}");
        }
        for word in ["view", "items", "2fa", "v", "oauth2", "{v1}"] {
            assert!(!is_version(word), "{word}");
        }
    }

    #[test]
    fn calls() {
        for (segment, expected) in [
            ("documents.info", ("documents", "info")),
            ("{name}:cancel", ("{name}", "cancel")),
            ("items.json", ("items", "")),
            ("apps.example.io", ("apps.example.io", "")),
            ("Example.Web", ("Example.Web", "")),
            (":id", (":id", "")),
        ] {
            assert_eq!(split_call(segment), expected, "{segment}");
        }
    }

    #[test]
    fn words_of_literals() {
        assert_eq!(literal_words("networking.example.io"), ["networking"]);
        assert_eq!(literal_words("workItems"), ["work", "items"]);
        assert_eq!(literal_words("bychannel"), ["by", "channel"]);
        assert_eq!(literal_words("bytes"), ["bytes"]);
        assert_eq!(
            literal_words("classification-6VMVochwUWo"),
            ["classification"]
        );
    }
}
