//! Strings with a format, a pattern and a length.

use rand::{SeedableRng, distr::Distribution, rngs::StdRng};
use rand_regex::Regex;
use regex_syntax::ParserBuilder;
use serde_json::Value;

use super::flat::Flat;

/// The number of attempts at a pattern for a string of the right length.
const TRIES: u64 = 64;
/// The maximum count of an unbounded repetition.
const REPEATS: u32 = 12;

pub(super) fn example(flat: &Flat<'_>) -> String {
    let keyword = |keyword: &str| flat.get(keyword).and_then(Value::as_str);
    let least = flat.count("minLength").unwrap_or(0);
    let most = flat.count("maxLength").unwrap_or(usize::MAX);
    let fits = |text: &String| {
        (least..=most).contains(&text.chars().count()) && !text.contains(char::is_control)
    };
    if let Some(text) = keyword("pattern").and_then(|pattern| sample_pattern(pattern, fits)) {
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
        // A password pattern with lookahead.
        _ if keyword("pattern").is_some_and(|pattern| pattern.contains("(?=")) => "Some1text!xyz",
        _ if flat.get("pattern").is_some() => "some-text",
        _ => "some text & more",
    };
    let padded = text.chars().chain(std::iter::repeat('x'));
    padded
        .take(text.chars().count().max(least).min(most))
        .collect()
}

/// Returns a string that matches the pattern and fits. Returns `None` for patterns that cannot be
/// generated, such as lookahead.
fn sample_pattern(pattern: &str, fits: impl Fn(&String) -> bool) -> Option<String> {
    let begun = pattern.strip_prefix('^').unwrap_or(pattern);
    let ended = match begun.strip_suffix('$') {
        Some(ended) if !ended.ends_with('\\') => ended,
        _ => begun,
    };
    // `\w` and `\d` are ASCII, as in JSON Schema. Other classes are Unicode.
    let ascii = ended.replace("\\w", "[A-Za-z0-9_]").replace("\\d", "[0-9]");
    let parsed = ParserBuilder::new().build().parse(&ascii).ok()?;
    let texts = Regex::with_hir(parsed, REPEATS).ok()?;
    let text = |seed| -> String { texts.sample(&mut StdRng::seed_from_u64(seed)) };
    (0..TRIES).map(text).find(fits)
}
