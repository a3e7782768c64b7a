//! The files that a call may use: the scope, read once more.
//!
//! The gate of the boundary and `scope` decide by the patterns that the policy has compiled. What is opened for a
//! sandbox, or covered in it, must be right if they are wrong, so this reads the values by a matcher of its own.

use globset::{Candidate, GlobBuilder, GlobMatcher};
use toolwright::{ToolContext, policy::is_protected};

/// The files that a call may change.
#[derive(Debug)]
pub(crate) struct Permitted {
    /// The patterns of each rule, or none if one of them cannot be read. A path fits one of each.
    allowed: Option<Vec<Vec<GlobMatcher>>>,
    denied: Denied,
}

/// The files that a call must not use.
#[derive(Clone, Debug)]
pub(crate) struct Denied {
    /// The patterns, or none if one of them cannot be read: then every file is denied.
    patterns: Option<Vec<GlobMatcher>>,
}

impl Denied {
    /// Reads the scope of a call that reads files. None if it denies nothing.
    pub(crate) fn to_read(ctx: &ToolContext) -> Option<Self> {
        let denied = Self::by(ctx, &["denied_read_paths"]);
        let denies = denied
            .patterns
            .as_ref()
            .is_none_or(|patterns| !patterns.is_empty());
        denies.then_some(denied)
    }

    /// Reads these parameters of the scope.
    fn by(ctx: &ToolContext, parameters: &[&str]) -> Self {
        let rules = parameters.iter().flat_map(|name| ctx.scope().texts(name));
        Self {
            patterns: matchers(&rules.flatten().cloned().collect::<Vec<_>>(), true),
        }
    }

    /// Checks whether a path is denied.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.has_candidate(&Candidate::new(path))
    }

    fn has_candidate(&self, path: &Candidate<'_>) -> bool {
        let patterns = self.patterns.as_ref();
        patterns.is_none_or(|patterns| fits(patterns, path))
    }
}

impl Permitted {
    /// Reads the scope of a call that changes files.
    pub(crate) fn to_write(ctx: &ToolContext) -> Self {
        let allowed = ctx.scope().texts("allowed_write_paths");
        Self {
            allowed: allowed.map(|rule| matchers(rule, false)).collect(),
            denied: Denied::by(ctx, &["denied_write_paths", "denied_read_paths"]),
        }
    }

    /// Checks whether a path may be written.
    pub(crate) fn permits(&self, path: &str) -> bool {
        let Some(allowed) = &self.allowed else {
            return false;
        };
        let candidate = Candidate::new(path);
        !allowed.is_empty()
            && allowed.iter().all(|rule| fits(rule, &candidate))
            && !self.denied.has_candidate(&candidate)
            && !is_protected(path)
    }
}

/// Returns the path of a name in a folder.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        return name.to_owned();
    }
    format!("{folder}/{name}")
}

/// Checks whether a path fits one of the patterns.
fn fits(patterns: &[GlobMatcher], path: &Candidate<'_>) -> bool {
    let mut patterns = patterns.iter();
    patterns.any(|pattern| pattern.is_match_candidate(path))
}

/// Compiles patterns: `*` and `?` match within a name, `**` any number of names, and everything else itself.
fn matchers(patterns: &[String], ignores_case: bool) -> Option<Vec<GlobMatcher>> {
    let patterns = patterns.iter().map(|pattern| {
        let glob = GlobBuilder::new(&literal(pattern))
            .literal_separator(true)
            .case_insensitive(ignores_case)
            .backslash_escape(false)
            .build()
            .ok()?;
        Some(glob.compile_matcher())
    });
    patterns.collect()
}

/// Encloses the characters that only the library gives a meaning to.
fn literal(pattern: &str) -> String {
    let mut literal = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        match c {
            '[' | ']' | '{' | '}' => {
                literal.push('[');
                literal.push(c);
                literal.push(']');
            }
            c => literal.push(c),
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(allowed: &[&[&str]], denied: &[&str]) -> Permitted {
        let owned =
            |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect::<Vec<_>>();
        Permitted {
            allowed: allowed
                .iter()
                .map(|rule| matchers(&owned(rule), false))
                .collect(),
            denied: Denied {
                patterns: matchers(&owned(denied), true),
            },
        }
    }

    #[test]
    fn a_path_fits_every_rule_and_nothing_that_is_denied() {
        let scope = permitted(
            &[&["src/**", "a[1].md"], &["**"]],
            &["src/secrets/**", "**/*.KEY"],
        );
        for path in ["src/a.rs", "src/b/c/d.rs", "a[1].md"] {
            assert!(scope.permits(path), "{path}");
        }
        for path in [
            "a1.md",
            "src",
            "docs/a.md",
            "src/secrets/x",
            "SRC/a.rs",
            "src/SECRETS/x",
            "src/a.key",
            "src/.git/config",
            "src/toolwright.toml",
        ] {
            assert!(!scope.permits(path), "{path}");
        }
        assert!(!permitted(&[], &[]).permits("a"), "no rule permits nothing");
        assert!(!permitted(&[&["*"]], &[]).permits("a/b"));
    }
}
