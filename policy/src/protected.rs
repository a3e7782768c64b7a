//! The paths of a workspace that no tool writes to, whatever a profile allows: the policy itself, custom tools, what
//! Toolwright keeps, credentials, and the repository.

use serde_json::{Map, Value};

use toolwright_model::text::remove_invisible;

use crate::{
    condition::argument,
    declaration::ScopeParameters,
    refusal::{Refusal, RefusalReason},
};

/// The place of the protected paths in messages.
pub(crate) const PLACE: &str = "the protected paths";

/// The folders, anywhere in a path. `git~1` is the short name of `.git` on Windows.
const FOLDERS: [&str; 4] = [".git", ".local", ".toolwright", "git~1"];

/// The files, in any folder.
const FILES: [&str; 4] = [
    "mcp.lock",
    "names.lock",
    "toolwright.policy.lock",
    "toolwright.toml",
];

/// Returns the argument that is a protected path.
pub(crate) fn protected_argument<'p>(
    parameters: &'p ScopeParameters,
    arguments: &Map<String, Value>,
) -> Option<&'p str> {
    let paths = parameters.values();
    let paths = paths.filter(|parameter| parameter.check.is_of_paths());
    let mut names = paths.filter_map(|parameter| parameter.argument.as_deref());
    names.find(|name| match argument(arguments, name) {
        Some(Value::String(path)) => is_protected(path),
        Some(Value::Array(paths)) => paths.iter().filter_map(Value::as_str).any(is_protected),
        _ => false,
    })
}

/// The folder, anywhere in a path, whose TOML files are custom tools.
const TOOLS: &str = "tools";

/// Returns the refusal of a call by a rule that names a protected path.
pub(crate) fn refusal(rule: impl Into<String>) -> Refusal {
    Refusal::by(RefusalReason::ProtectedPath, rule, PLACE)
}

/// Checks whether a path is protected, in any case, with any separators, and with the characters that
/// some file systems ignore.
#[must_use]
pub fn is_protected(path: &str) -> bool {
    let path = remove_invisible(path).to_lowercase();
    let segments = path.split(['/', '\\']).map(plain_segment);
    let mut segments = segments.rev();
    let file = segments.next().unwrap_or_default();
    let is_tool = file.ends_with(".toml") && segments.clone().next() == Some(TOOLS);
    is_tool
        || FILES.contains(&file)
        || FOLDERS.contains(&file)
        || segments.any(|one| FOLDERS.contains(&one))
}

/// Checks whether a folder is protected, or holds the files of custom tools.
#[must_use]
pub fn is_protected_folder(path: &str) -> bool {
    is_protected(path) || is_protected(&format!("{path}/new.toml"))
}

/// Returns a segment without the stream and the trailing dots and spaces that Windows ignores.
fn plain_segment(segment: &str) -> &str {
    let name = segment.split(':').next().unwrap_or_default();
    name.trim_end_matches(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::{ParameterCheck, ScopeParameter};

    #[test]
    fn the_policy_and_the_repository_are_protected() {
        for path in [
            "toolwright.toml",
            "./Toolwright.toml",
            "a/../toolwright.toml",
            "specs/depot/names.lock",
            "specs/files/mcp.lock",
            "tools/get-weather-report.toml",
            ".git/config",
            "sub\\.GIT\\hooks\\x",
            ".local/depot/admin-auth.json",
            ".g\u{200c}it/config",
            "GIT~1/hooks/x",
            "toolwright.toml. ",
            "toolwright.toml::$DATA",
            ".git./config",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for path in ["src/toolwright.rs", "a.git/x", "toolwright.toml.md"] {
            assert!(!is_protected(path), "{path}");
        }
    }

    #[test]
    fn a_path_in_a_part_of_an_argument_is_protected() {
        let parameter = ScopeParameter::required(ParameterCheck::AllowedPaths, "/file/path");
        let parameters = [("allowed_write_paths".to_owned(), parameter)].into();
        for (path, expected) in [(".git/config", Some("/file/path")), ("src/a", None)] {
            let arguments = serde_json::json!({"file": {"path": path}});
            let arguments = arguments.as_object().unwrap();
            assert_eq!(protected_argument(&parameters, arguments), expected);
        }
    }
}
