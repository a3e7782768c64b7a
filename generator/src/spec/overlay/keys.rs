//! The keys that an overlay may have.

/// At the root.
pub(super) const ROOT: &[&str] = &[
    "service",
    "base_url",
    "include",
    "exclude",
    "pin",
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
    "pin",
    "category",
    "effect",
    "approval_required",
    "enabled_by_default",
    "hints",
    "reason",
];

/// In a pin.
pub(super) const PIN: &[&str] = &["constant", "value"];

/// In `hints`.
pub(super) const HINTS: &[&str] = &["read_only", "destructive", "idempotent", "open_world"];
