//! The paths of a workspace that no tool writes to, whatever a profile allows: the policy itself, what
//! Toolwright keeps, credentials, and the repository.

use serde_json::{Map, Value};

use crate::declaration::{ParameterCheck, ScopeParameters};

/// The folders, anywhere in a path.
const FOLDERS: [&str; 3] = [".git", ".local", ".toolwright"];

/// The files, in any folder.
const FILES: [&str; 3] = ["names.lock", "toolwright.policy.lock", "toolwright.toml"];

/// Returns the argument that is a protected path.
pub(crate) fn protected_argument<'p>(
    parameters: &'p ScopeParameters,
    arguments: &Map<String, Value>,
) -> Option<&'p str> {
    let paths = parameters.values().filter(|parameter| {
        matches!(
            parameter.check,
            ParameterCheck::AllowedPaths | ParameterCheck::DeniedPaths
        )
    });
    let mut names = paths.map(|parameter| parameter.argument.as_str());
    names.find(|name| match arguments.get(*name) {
        Some(Value::String(path)) => is_protected(path),
        Some(Value::Array(paths)) => paths.iter().filter_map(Value::as_str).any(is_protected),
        _ => false,
    })
}

/// Checks whether a path is protected, in any case and with any separators.
fn is_protected(path: &str) -> bool {
    let path = path.to_lowercase();
    let mut segments = path.split(['/', '\\']);
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    FILES.contains(&file) || segments.any(|segment| FOLDERS.contains(&segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_and_the_repository_are_protected() {
        for path in [
            "toolwright.toml",
            "./Toolwright.toml",
            "a/../toolwright.toml",
            "specs/depot/names.lock",
            ".git/config",
            "sub\\.GIT\\hooks\\x",
            ".local/depot/admin-auth.json",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for path in ["src/toolwright.rs", "a.git/x", "toolwright.toml.md"] {
            assert!(!is_protected(path), "{path}");
        }
    }
}
