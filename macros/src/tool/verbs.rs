//! The promise of the first word of a tool's name.

use toolwright_model::Effect;

/// The promise of a verb about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    /// It changes nothing.
    Reads,
    /// It has this effect.
    Has(Effect),
    /// It changes something, in a way that the verb leaves open.
    Changes,
}

/// Returns the promise of the verb; none if it is ambiguous, or is a word of the program's own
/// domain.
pub(super) fn promise_of(verb: &str) -> Option<Promise> {
    VERBS
        .iter()
        .find(|(_, verbs)| verbs.contains(&verb))
        .map(|(promise, _)| *promise)
}

/// The verbs whose meaning is beyond doubt.
const VERBS: &[(Promise, &[&str])] = &[
    (
        Promise::Reads,
        &[
            "compare", "count", "describe", "diff", "estimate", "find", "get", "inspect", "list",
            "preview", "read", "search", "show", "simulate", "view",
        ],
    ),
    (Promise::Has(Effect::Create), &["create"]),
    (
        Promise::Has(Effect::Update),
        &["edit", "rename", "replace", "update"],
    ),
    (
        Promise::Has(Effect::Delete),
        &["archive", "delete", "destroy", "drop", "purge", "wipe"],
    ),
    (Promise::Has(Effect::Annotate), &["annotate"]),
    (
        Promise::Changes,
        &[
            "add",
            "apply",
            "assign",
            "cancel",
            "clear",
            "deploy",
            "disable",
            "dispatch",
            "enable",
            "import",
            "insert",
            "install",
            "merge",
            "move",
            "publish",
            "remove",
            "reset",
            "restart",
            "restore",
            "revert",
            "send",
            "set",
            "start",
            "stop",
            "uninstall",
            "upload",
            "write",
        ],
    ),
];
