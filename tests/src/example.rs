//! Deterministic examples of JSON Schemas, with strings for patterns.

use std::ops::RangeInclusive;

use rand::{SeedableRng, distr::Distribution, rngs::StdRng};
use rand_regex::Regex;
use regex_syntax::ParserBuilder;
use serde_json::Value;
use toolwright_schema::Example;
pub use toolwright_schema::Extent;

/// The number of attempts at a pattern for a string of the right length.
const TRIES: u64 = 64;
/// The maximum count of an unbounded repetition.
const REPEATS: u32 = 12;

/// Returns the first attempt at a value of the schema, whose `$ref`s point into its own `$defs`.
#[must_use]
pub fn example(schema: &Value, extent: Extent) -> Value {
    examples(schema, extent).next().unwrap_or_default()
}

/// Returns attempts at a value of the schema, the likeliest first.
pub fn examples(schema: &Value, extent: Extent) -> impl Iterator<Item = Value> {
    Example::new(schema, extent)
        .with_patterns(&sample_pattern)
        .attempts()
}

/// Returns a string that matches the pattern and has one of these lengths. Returns `None` for
/// patterns that cannot be generated, such as lookahead.
fn sample_pattern(pattern: &str, lengths: RangeInclusive<usize>) -> Option<String> {
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
    let fits =
        |text: &String| lengths.contains(&text.chars().count()) && !text.contains(char::is_control);
    (0..TRIES).map(text).find(fits)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_string_matches_its_pattern_and_its_length() {
        let schema =
            json!({"type": "string", "pattern": "^[A-Z]{3}-\\d{2}[a-z]*$", "maxLength": 8});
        let code = example(&schema, Extent::Least);
        let code = code.as_str().unwrap_or_default();
        assert!((6..=8).contains(&code.len()), "{code}");
        assert_eq!(code.chars().nth(3), Some('-'));
    }
}
