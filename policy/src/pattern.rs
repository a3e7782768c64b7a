//! Patterns of a policy: regular expressions of whole strings, paths, and prefixes of URLs.

use std::fmt;

use percent_encoding::percent_decode_str;
use regex::{Regex, RegexBuilder};
use url::Url;

use crate::variable::{Language, Template, VariableFault, Variables};

/// The largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 1 << 20;

/// A regular expression that must match a whole string.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

/// A pattern of paths: `*` and `?` match within a name, `**` matches any number of names.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    exact: Regex,
    /// The same without regard to case. A file system may ignore it.
    folded: Regex,
    /// The folders below which a path may match.
    folders: Regex,
}

/// An origin with the path that a URL must be at or below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UrlPrefix(Url);

/// The reason why a string is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternError(String);

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Self, PatternError> {
        // Alone, the string must be an expression too: `a)(?:b` would be one within a group.
        compile(text, false)?;
        compile(&format!("^(?:{text})$"), false).map(Self)
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        // `$` also matches before a final line break only in multi-line mode, which is off.
        self.0.is_match(text)
    }
}

impl PathPattern {
    pub(crate) fn new(text: &str) -> Result<Self, PatternError> {
        if text.starts_with('/') || segments(text).is_none() {
            let problem = "is not a relative path; write it without `/` at the start, `.` and `..`";
            return Err(PatternError(format!("`{text}` {problem}")));
        }
        let expression = path_expression(text);
        Ok(Self {
            exact: compile(&expression, false)?,
            folded: compile(&expression, true)?,
            folders: compile(&folders_expression(text), false)?,
        })
    }

    /// Checks whether a path matches exactly.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.exact.is_match(path)
    }

    /// Checks whether a path below a folder may match.
    pub(crate) fn may_match_below(&self, folder: &str) -> bool {
        self.folders.is_match(folder)
    }

    /// Checks whether a path matches without regard to case.
    pub(crate) fn matches_any_case(&self, path: &str) -> bool {
        self.folded.is_match(path)
    }
}

/// Checks whether a string is a relative path in its only spelling: no empty name, `.`, `..`,
/// backslash, control character, or encoded separator.
pub(crate) fn is_canonical_path(path: &str) -> bool {
    !path.contains('%') && segments(path).is_some()
}

fn segments(path: &str) -> Option<Vec<&str>> {
    let segments: Vec<_> = path.split('/').collect();
    let is_plain = |segment: &&str| {
        !matches!(*segment, "" | "." | "..")
            && !segment.contains(|c: char| c.is_control() || c == '\\')
    };
    segments.iter().all(is_plain).then_some(segments)
}

fn path_expression(text: &str) -> String {
    let mut expression = String::from("^");
    let mut segments = text.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match (segment, is_last) {
            ("**", true) => expression.push_str(".+"),
            ("**", false) => expression.push_str("(?:[^/]+/)*"),
            (segment, _) => {
                expression.push_str(&segment_expression(segment));
                if !is_last {
                    expression.push('/');
                }
            }
        }
    }
    expression.push('$');
    expression
}

/// Returns the expression of the folders that the pattern leads to: for `a/b/*.rs`, `a` and `a/b`.
fn folders_expression(text: &str) -> String {
    let mut segments: Vec<_> = text.split('/').collect();
    segments.pop();
    let mut expression = String::new();
    let mut groups = 0;
    for segment in segments.iter().take_while(|segment| **segment != "**") {
        let separator = if groups == 0 { "" } else { "/" };
        expression += &format!("(?:{separator}{}", segment_expression(segment));
        groups += 1;
    }
    if text.split('/').any(|segment| segment == "**") {
        expression += if groups == 0 { ".*" } else { "(?:/.*)?" };
    }
    expression += &")?".repeat(groups);
    format!("^{expression}$")
}

fn segment_expression(segment: &str) -> String {
    let parts = segment.chars().map(|c| match c {
        '*' => "[^/]*".to_owned(),
        '?' => "[^/]".to_owned(),
        c => regex::escape(c.encode_utf8(&mut [0; 4])),
    });
    parts.collect()
}

fn compile(expression: &str, ignores_case: bool) -> Result<Regex, PatternError> {
    RegexBuilder::new(expression)
        .size_limit(SIZE_LIMIT)
        .case_insensitive(ignores_case)
        .dot_matches_new_line(true)
        .build()
        .map_err(|error| PatternError(last_line(&error)))
}

/// Returns the part of an error that states the problem: the library draws the expression first.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    let line = line.trim().trim_start_matches("error: ");
    format!("the pattern is not a regular expression: {line}")
}

impl UrlPrefix {
    pub(crate) fn new(text: &str) -> Result<Self, PatternError> {
        let refused = |problem: &str| PatternError(format!("`{text}` {problem}"));
        let url = Url::parse(text).map_err(|error| refused(&format!("is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https" | "unix") {
            return Err(refused(
                "does not begin with `https://`, `http://` or `unix:`",
            ));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("contains a user"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused("has a query or a fragment"));
        }
        Ok(Self(url))
    }

    /// Checks whether a URL has the same origin, and a path at or below the prefix.
    pub(crate) fn allows(&self, url: &Url) -> bool {
        let same_origin = self.0.scheme() == url.scheme()
            && self.0.host() == url.host()
            && self.0.port_or_known_default() == url.port_or_known_default();
        same_origin && is_below(self.0.path(), url.path()) && !climbs(url.path())
    }
}

/// Checks whether a path is the prefix, or below it. A prefix ends at a `/`.
fn is_below(prefix: &str, path: &str) -> bool {
    let folder = prefix.strip_suffix('/').unwrap_or(prefix);
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/') || (rest.is_empty() && !prefix.ends_with('/')))
}

/// Checks whether a service that decodes the path, once or twice, would find `..` in it.
fn climbs(path: &str) -> bool {
    let once = percent_decode_str(path).decode_utf8_lossy();
    let twice = percent_decode_str(&once).decode_utf8_lossy();
    [&once, &twice]
        .into_iter()
        .any(|decoded| decoded.split(['/', '\\']).any(|segment| segment == ".."))
}

/// Inserts the variables and compiles the strings. One that does not compile is a fault: leaving it
/// out could allow more.
pub(crate) fn compile_all<T>(
    templates: &[Template],
    variables: &Variables,
    language: Language,
    compile: fn(&str) -> Result<T, PatternError>,
) -> Result<Vec<T>, VariableFault> {
    let mut patterns = Vec::new();
    for template in templates {
        for text in template.expand(variables, language)? {
            let pattern = compile(&text);
            patterns.push(pattern.map_err(|_| VariableFault::misplaced(template))?);
        }
    }
    Ok(patterns)
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_whole_string() {
        for (pattern, text, expected) in [
            ("a|b", "a", true),
            ("a|b", "ab", false),
            ("prod-.*", "x-prod-1", false),
            ("prod-.*", "prod-1\nx", true),
            ("[a-z]+", "abc\n", false),
        ] {
            assert_eq!(
                Pattern::new(pattern).unwrap().matches(text),
                expected,
                "{pattern} {text:?}"
            );
        }
        assert!(Pattern::new("a)(?:b").is_err());
        assert!(
            Pattern::new("(")
                .unwrap_err()
                .to_string()
                .contains("unclosed")
        );
    }

    #[test]
    fn paths_match_by_names() {
        for (pattern, path, expected) in [
            ("src/**", "src/a/b.rs", true),
            ("src/**", "src", false),
            ("src/**", "srcs/a", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("**/secret", "secret", true),
            ("**/secret", "a/b/secret", true),
            ("a/**/z", "a/z", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/**/z", "a/bz", false),
            ("f?", "fo", true),
            ("f?", "f/", false),
            ("a.b", "axb", false),
            ("src/**", "SRC/a", false),
        ] {
            let pattern = PathPattern::new(pattern).unwrap();
            assert_eq!(pattern.matches(path), expected, "{pattern:?} {path}");
        }
        assert!(
            PathPattern::new("src/**")
                .unwrap()
                .matches_any_case("SRC/a")
        );
        for (pattern, folder, expected) in [
            ("src/a/*.rs", "src", true),
            ("src/a/*.rs", "src/a", true),
            ("src/a/*.rs", "src/b", false),
            ("src/a/*.rs", "src/a/b", false),
            ("src/a/**", "src/a/b/c", true),
            ("src/a/**", "src/ab", false),
            ("**", "src/a", true),
            ("**/a", "src", true),
            ("a*/**/z", "ab/c", true),
            ("a*/**/z", "b", false),
            ("a", "a", false),
        ] {
            let pattern = PathPattern::new(pattern).unwrap();
            let leads = pattern.may_match_below(folder);
            assert_eq!(leads, expected, "{pattern:?} {folder}");
        }
        for bad in ["/etc/**", "a/../b", "", "a//b"] {
            assert!(PathPattern::new(bad).is_err(), "{bad}");
        }
        for bad in [
            "a/../b", "./a", "/a", "a//b", "a\\b", "a%2fb", "a\0", "a/", "",
        ] {
            assert!(!is_canonical_path(bad), "{bad}");
        }
    }

    #[test]
    fn a_prefix_allows_its_origin_and_what_is_below_its_path() {
        for (prefix, url, expected) in [
            ("https://h/api/", "https://h/api/items", true),
            ("https://h/api", "https://h/api", true),
            ("https://h/api", "https://h/api/items?x=1", true),
            ("https://h/api", "https://h/apis", false),
            ("https://h/api/", "https://h/api", false),
            ("https://h/api/", "https://h/api/../admin", false),
            ("https://h/api/", "https://h/api/..%2Fadmin", false),
            ("https://h/api/", "https://h/api/..%255Cadmin", false),
            ("https://h/api/", "https://h/api/a..b%2Fc", true),
            ("https://h", "https://h:443/x", true),
            ("https://h", "https://h:444/x", false),
            ("https://h", "http://h/x", false),
            ("https://h", "https://h.evil/x", false),
            ("https://h", "https://H/x", true),
            ("http://127.0.0.1:9/", "http://127.0.0.1:9/a", true),
            ("unix:/run/a.sock", "unix:/run/a.sock", true),
            ("unix:/run/a.sock", "unix:/run/b.sock", false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(
                UrlPrefix::new(prefix).unwrap().allows(&url),
                expected,
                "{prefix} {url}"
            );
        }
        for bad in [
            "depot.example",
            "ftp://h",
            "https://u@h",
            "https://h?x",
            "https://h#x",
        ] {
            assert!(UrlPrefix::new(bad).is_err(), "{bad}");
        }
    }
}
