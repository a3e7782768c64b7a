//! Regular expressions: the subset that the engine can compile, and the handling of the rest.
//!
//! The engine matches in time that is linear in the string and in the size of the pattern, so a
//! pattern can neither block a call nor take memory without bound. It supports no look-around and
//! no back references, and refuses patterns that would become too large.

use std::collections::BTreeSet;

use jsonschema::{PatternOptions, Regex, draft202012};
use serde_json::{Map, Value, json};
use toolwright_schema::patterns::{LARGEST_PATTERN, SMALL_PATTERN, Unusable, patterns};

/// The most patterns of one schema that are compiled.
const MOST_PATTERNS: usize = 256;

/// The most patterns of one schema that are tried although they are not small.
const MOST_LARGE: usize = 16;

/// Returns the options of the engine.
pub(super) fn options() -> PatternOptions<Regex> {
    limited_to(LARGEST_PATTERN)
}

fn limited_to(size: usize) -> PatternOptions<Regex> {
    PatternOptions::regex()
        .size_limit(size)
        .dfa_size_limit(SMALL_PATTERN)
}

/// Returns the patterns of a schema that the engine cannot compile.
pub(super) fn unusable(schema: &Value) -> BTreeSet<String> {
    let (mut small, mut large) = (0, 0);
    let mut is_usable = |pattern: &str| {
        if small < MOST_PATTERNS && compiles_to(pattern, SMALL_PATTERN) {
            small += 1;
            return true;
        }
        large += 1;
        large <= MOST_LARGE && compiles(pattern)
    };
    let patterns = patterns(schema).into_iter();
    let patterns = patterns.filter(|pattern| !is_usable(pattern));
    patterns.map(ToOwned::to_owned).collect()
}

/// Returns what takes these patterns out of a self-contained schema, or out of a part of it.
pub(super) fn within<'p>(schema: &Value, unusable: &'p BTreeSet<String>) -> Unusable<'p> {
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let definitions = definitions.into_iter().flat_map(Map::iter);
    Unusable::new(
        unusable,
        definitions.map(|(name, schema)| (name.as_str(), schema)),
    )
}

/// Checks whether the engine can compile a pattern.
pub(super) fn compiles(pattern: &str) -> bool {
    compiles_to(pattern, LARGEST_PATTERN)
}

fn compiles_to(pattern: &str, size: usize) -> bool {
    draft202012::options()
        .offline()
        .with_pattern_options(limited_to(size))
        .build(&json!({"pattern": pattern}))
        .is_ok()
}
