//! Strings with a format, a pattern and a length.

use serde_json::Value;

use super::{PatternSampler, flat::Flat};

/// The longest string that is made for a minimum length, in characters.
const LONGEST: usize = 10_000;

/// Returns a string of the schema's pattern, or else of its format, with its length.
pub(super) fn example(flat: &Flat<'_>, sampler: Option<&PatternSampler<'_>>) -> String {
    let keyword = |keyword: &str| flat.get(keyword).and_then(Value::as_str);
    let least = flat.count("minLength").unwrap_or(0);
    let most = flat.count("maxLength").unwrap_or(usize::MAX);
    let sample = sampler.zip(keyword("pattern"));
    if let Some(text) = sample.and_then(|(sampler, pattern)| sampler(pattern, least..=most)) {
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
    let length = text.chars().count().max(least.min(LONGEST)).min(most);
    padded.take(length).collect()
}
