//! Texts of a format, a pattern and a length.

use rand::{SeedableRng, distr::Distribution, rngs::StdRng};
use rand_regex::Regex;
use regex_syntax::ParserBuilder;
use serde_json::Value;

use super::flat::Flat;

/// How often a pattern is tried for a text of the right length.
const TRIES: u64 = 64;
/// How often what may repeat without end does at most.
const REPEATS: u32 = 12;

pub(super) fn of(flat: &Flat<'_>) -> String {
    let keyword = |keyword: &str| flat.get(keyword).and_then(Value::as_str);
    let least = flat.count("minLength").unwrap_or(0);
    let most = flat.count("maxLength").unwrap_or(usize::MAX);
    let fits = |text: &String| {
        (least..=most).contains(&text.chars().count()) && !text.contains(char::is_control)
    };
    if let Some(text) = keyword("pattern").and_then(|pattern| matching(pattern, fits)) {
        return text;
    }
    let text = match keyword("contentEncoding").or_else(|| keyword("format")) {
        Some("date-time") => "2026-01-02T03:04:05Z",
        Some("date") => "2026-01-02",
        Some("time") => "03:04:05Z",
        Some("duration") => "P1D",
        Some("int32" | "int64" | "uint32" | "uint64") => "7",
        Some("uuid") => "01234567-89ab-4def-8123-456789abcdef",
        Some("uri" | "url" | "uri-reference" | "iri") => "https://example.com/a?b=c",
        Some("email" | "idn-email") => "a@example.com",
        Some("hostname") => "example.com",
        Some("byte" | "base64") => "aGVsbG8=",
        Some("ipv4" | "ip") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("regex") => "a+",
        Some("json-pointer") => "/a/b",
        // A password, of which a pattern says what has to be in it.
        _ if keyword("pattern").is_some_and(|pattern| pattern.contains("(?=")) => "Some1text!xyz",
        _ if flat.get("pattern").is_some() => "some-text",
        _ => "some text & more",
    };
    let padded = text.chars().chain(std::iter::repeat('x'));
    padded
        .take(text.chars().count().max(least).min(most))
        .collect()
}

/// A text that the pattern matches and that fits; none where the pattern says what cannot be
/// turned around, such as a look at what follows.
fn matching(pattern: &str, fits: impl Fn(&String) -> bool) -> Option<String> {
    let begun = pattern.strip_prefix('^').unwrap_or(pattern);
    let ended = match begun.strip_suffix('$') {
        Some(ended) if !ended.ends_with('\\') => ended,
        _ => begun,
    };
    // As in JSON Schema, `\w` and `\d` are of ASCII. What is not in a class is of Unicode.
    let ascii = ended.replace("\\w", "[A-Za-z0-9_]").replace("\\d", "[0-9]");
    let parsed = ParserBuilder::new().build().parse(&ascii).ok()?;
    let texts = Regex::with_hir(parsed, REPEATS).ok()?;
    let text = |seed| -> String { texts.sample(&mut StdRng::seed_from_u64(seed)) };
    (0..TRIES).map(text).find(fits)
}
