//! The standard methods: what they are called as tools, how they are classed, how long they take.

use toolwright_model::Kind;

/// The default time limit of a call, in seconds.
const TIMEOUT: u64 = 300;

/// A method that means the same in every domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StandardMethod {
    /// The method.
    pub method: &'static str,
    /// The verb of the tool's name.
    pub verb: &'static str,
    /// The noun of the tool's name, unless the document declares another.
    pub noun: &'static str,
    /// The row of the governance table.
    pub kind: Kind,
    /// The time limit of a call, in seconds, unless the document declares another.
    pub timeout_seconds: u64,
}

/// The standard methods. A service may lack any, and have others.
pub(crate) const STANDARD: &[StandardMethod] = &[
    standard("validate", "validate", "artifacts", Kind::Read),
    standard("normalise", "normalise", "artifacts", Kind::Overwrite),
    standard("review_rules", "review", "rules", Kind::Read),
    StandardMethod {
        timeout_seconds: 600,
        ..standard("simulate", "simulate", "artifacts", Kind::Derive)
    },
    standard("validate_deps", "validate", "dependencies", Kind::Read),
    standard("extract_interfaces", "extract", "interfaces", Kind::Read),
    standard("dependency_graph", "get", "dependency-graph", Kind::Read),
];

impl StandardMethod {
    /// The standard method of a name.
    #[must_use]
    pub(crate) fn find(method: &str) -> Option<&'static Self> {
        STANDARD.iter().find(|standard| standard.method == method)
    }

    /// Returns the time limit of a method without one in its document, in seconds.
    #[must_use]
    pub(crate) fn timeout_of(method: &str) -> u64 {
        Self::find(method).map_or(TIMEOUT, |standard| standard.timeout_seconds)
    }
}

const fn standard(
    method: &'static str,
    verb: &'static str,
    noun: &'static str,
    kind: Kind,
) -> StandardMethod {
    StandardMethod {
        method,
        verb,
        noun,
        kind,
        timeout_seconds: TIMEOUT,
    }
}
