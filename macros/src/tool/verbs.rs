//! What the first word of a tool's name promises.

use toolwright_model::Effect;

/// What a verb promises of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Promise {
    /// It changes nothing.
    Reads,
    /// It has this effect.
    Has(Effect),
    /// It changes something, in a way that the verb does not tell.
    Changes,
}

/// What the verb promises; nothing when it may mean this or that, or is a word of the program's
/// own domain.
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
