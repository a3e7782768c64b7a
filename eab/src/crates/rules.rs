//! The rules for manifests.

use serde::Serialize;
use toml::{Table, Value};
use toolwright_model::eab::Severity;

use super::manifest::Manifest;
use crate::protocol::{Diagnostic, Location};

/// A rule.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    category: &'static str,
    severity: Severity,
    about: &'static str,
}

const SYNTAX: Rule = Rule {
    name: "syntax",
    category: "syntax_error",
    severity: Severity::Blocking,
    about: "A manifest is TOML.",
};
const KIND: Rule = Rule {
    name: "package-or-workspace",
    category: "completeness",
    severity: Severity::Blocking,
    about: "A manifest has the table `package`, `workspace`, or both.",
};
const NAME: Rule = Rule {
    name: "package-name",
    category: "constraint_violation",
    severity: Severity::Blocking,
    about: "A package has a name of ASCII letters, digits, `-` and `_` that begins with a letter.",
};
const VERSION: Rule = Rule {
    name: "package-version",
    category: "constraint_violation",
    severity: Severity::Blocking,
    about: "A version is three numbers, optionally followed by `-` or `+` and more.",
};
const LICENCE: Rule = Rule {
    name: "licence",
    category: "completeness",
    severity: Severity::Warning,
    about: "A package that may be published declares its licence.",
};
const DESCRIPTION: Rule = Rule {
    name: "description",
    category: "completeness",
    severity: Severity::Warning,
    about: "A package has a description.",
};
const EDITION: Rule = Rule {
    name: "edition",
    category: "completeness",
    severity: Severity::Warning,
    about: "A package declares its edition; without it the oldest applies.",
};
const SPACE: Rule = Rule {
    name: "trailing-space",
    category: "style_violation",
    severity: Severity::Informational,
    about: "No line ends with space.",
};
/// A dependency by its path is there.
pub(super) const PATH: Rule = Rule {
    name: "dependency-path",
    category: "dependency_error",
    severity: Severity::Blocking,
    about: "The `path` of a dependency leads to a package of the repository.",
};
/// A dependency declares its accepted versions.
pub(super) const ANY_VERSION: Rule = Rule {
    name: "dependency-version",
    category: "dependency_error",
    severity: Severity::Warning,
    about: "A dependency declares its accepted versions; `*` accepts any.",
};

/// Every rule.
pub(super) const ALL: &[Rule] = &[
    SYNTAX,
    KIND,
    NAME,
    VERSION,
    LICENCE,
    DESCRIPTION,
    EDITION,
    SPACE,
    PATH,
    ANY_VERSION,
];

impl Rule {
    /// Returns the diagnostic of a broken rule.
    pub(super) fn diagnostic(self, location: Location, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: self.severity,
            category: self.category,
            message: format!("{} ({})", message.into(), self.name),
            location: Some(location),
        }
    }
}

/// Everything that is wrong with a manifest by itself.
pub(super) fn check(manifest: &Manifest) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    match &manifest.content {
        Err((location, message)) => found.push(SYNTAX.diagnostic(location.clone(), message)),
        Ok(content) => {
            if !["package", "workspace"]
                .iter()
                .any(|key| content.contains_key(*key))
            {
                let message = "the manifest has neither `package` nor `workspace`";
                found.push(KIND.diagnostic(manifest.location_of("manifest"), message));
            }
        }
    }
    if let Some(package) = manifest.table("package") {
        check_package(manifest, package, &mut found);
    }
    if let Some(line) = manifest
        .text
        .lines()
        .position(|line| line.trim_end() != line)
    {
        let location = Location {
            path: manifest.path.clone(),
            line: Some(line + 1),
            ..Location::default()
        };
        found.push(SPACE.diagnostic(location, "the line ends with space"));
    }
    found
}

fn check_package(manifest: &Manifest, package: &Table, found: &mut Vec<Diagnostic>) {
    let mut report = |rule: Rule, element: &str, message: &str| {
        found.push(rule.diagnostic(manifest.location_of(element), message));
    };
    match package.get("name").map(Value::as_str) {
        Some(Some(name)) if is_name(name) => {}
        Some(_) => report(NAME, "package.name", "the name is invalid"),
        None => report(NAME, "package.name", "the package has no name"),
    }
    let version = package.get("version");
    if version.is_some_and(|version| !is_inherited(version) && !is_version(version)) {
        report(VERSION, "package.version", "the version is invalid");
    }
    let says = |key: &str| package.contains_key(key);
    let is_private = package.get("publish").and_then(Value::as_bool) == Some(false);
    if !is_private && !says("license") && !says("license-file") {
        report(LICENCE, "package.license", "the package has no licence");
    }
    if !says("description") {
        report(
            DESCRIPTION,
            "package.description",
            "the package has no description",
        );
    }
    if !says("edition") {
        report(EDITION, "package.edition", "the package has no edition");
    }
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(plain)
}

/// Returns whether the value is inherited from the workspace.
fn is_inherited(value: &Value) -> bool {
    let workspace = value.get("workspace").and_then(Value::as_bool);
    workspace == Some(true)
}

fn is_version(value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return false;
    };
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    core.split('.').count() == 3 && core.split('.').all(is_number)
}
