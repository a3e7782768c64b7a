//! The keys that an overlay may have.

/// At the root.
pub(super) const ROOT: &[&str] = &[
    "service",
    "base_url",
    "server",
    "include",
    "exclude",
    "pin",
    "hide",
    "operations",
];

/// In the entry of an operation.
pub(super) const OPERATION: &[&str] = &[
    "name",
    "verb",
    "noun",
    "title",
    "short",
    "description",
    "when_to_use",
    "section",
    "server",
    "pin",
    "hide",
    "category",
    "effect",
    "approval_required",
    "enabled_by_default",
    "hints",
    "reason",
];

/// In a pin.
pub(super) const PIN: &[&str] = &["constant", "value"];

/// In `server`.
pub(super) const SERVER: &[&str] = &["index", "url", "description", "variables"];

/// In `hints`.
pub(super) const HINTS: &[&str] = &["read_only", "destructive", "idempotent", "open_world"];
