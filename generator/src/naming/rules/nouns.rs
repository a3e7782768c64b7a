//! The rules of the noun.

use crate::naming::{
    key, modifiers, noun,
    rule::{
        Apply::{Choice, Leave, Noun},
        Rule,
    },
    unmentioned, verb,
};

/// The rule `basic-step`.
pub(super) const BASIC_STEP: Rule = Rule {
    id: "basic-step",
    says: "A verb that the name does not have is no part of the thing, nor is the name's own verb at its start.",
    examples: &[
        (
            "GET /street/find",
            "Geocode an address",
            "geocode-svc-street",
        ),
        (
            "POST /plugins/pull",
            "Install plugins",
            "install-svc-plugins",
        ),
        ("GET /items/{id}/get-history", "", "get-svc-item-history"),
        ("POST /share-file/share shareFile", "", "share-svc-file"),
    ],
    apply: Choice(verb::drop_basic),
};

/// The rule `modifier`.
pub(super) const MODIFIER: Rule = Rule {
    id: "modifier",
    says: "A plural before another noun is singular.",
    examples: &[
        ("GET /members-count", "", "get-svc-member-count"),
        (
            "DELETE /records-reports/{id}",
            "",
            "delete-svc-record-report",
        ),
    ],
    apply: Choice(modifiers::number_modifiers),
};

/// The rule `thing`.
pub(super) const THING: Rule = Rule {
    id: "thing",
    says: "The last step is the thing.",
    examples: &[("GET /items/{id}", "", "get-svc-item")],
    apply: Noun(noun::thing),
};

/// The rule `parent`.
pub(super) const PARENT: Rule = Rule {
    id: "parent",
    says: "Its parents are in the singular. One that only repeats words after it is left out.",
    examples: &[
        (
            "GET /projects/{id}/work-items/{id}/comments",
            "",
            "list-svc-project-work-item-comments",
        ),
        (
            "GET /documents/revisions",
            "",
            "list-svc-document-revisions",
        ),
        (
            "GET /users/{id}/regions/{id}/user-flags",
            "",
            "list-svc-region-user-flags",
        ),
        (
            "GET /leave/annual-leave-hours",
            "",
            "list-svc-annual-leave-hours",
        ),
    ],
    apply: Noun(noun::parents),
};

/// The rule `unneeded`.
pub(super) const UNNEEDED: Rule = Rule {
    id: "unneeded",
    says: "A parent that neither the operation id nor the summary mentions is left out if these name the thing: each one further away than the nearest; the nearest if it is the caller, owns all things (`accounts`), selects nothing or has the name of a parameter; before several words any nearest one that the description does not mention either. Only the summary counts, if there is one, for those further away, and before several words for one that selects nothing. The nearest parent of `status` and the like stays.",
    examples: &[
        (
            "GET /accounts/{id}/templates/{id}",
            "Fetch a template",
            "get-svc-template",
        ),
        (
            "GET /organizers/{id}/webinars/{id}/times",
            "Get webinar times",
            "list-svc-webinar-times",
        ),
        (
            "GET /recipes/{id}/notes",
            "List the notes",
            "list-svc-recipe-notes",
        ),
        (
            "GET /accounts/{id}/status",
            "Get the status",
            "get-svc-account-status",
        ),
    ],
    apply: Leave(unmentioned::leave_out),
};

/// The rule `current`.
pub(super) const CURRENT: Rule = Rule {
    id: "current",
    says: "A caller without a key is the current one, if the operation id or the summary is about the caller's own.",
    examples: &[(
        "GET /user/keys",
        "List your keys",
        "list-svc-current-user-keys",
    )],
    apply: Noun(noun::current),
};

/// The rule `all`.
pub(super) const ALL: Rule = Rule {
    id: "all",
    says: "`all`, if a call is done to all things.",
    examples: &[("POST /alerts/closeAll", "", "close-svc-all-alerts")],
    apply: Noun(noun::all),
};

/// The rule `key`.
pub(super) const KEY: Rule = Rule {
    id: "key",
    says: "A key that is not the usual one follows `by`, if the operation id or the summary has it: after `by`, if the operation changes something. A read without any text has it too. So does a key after `by` that a query parameter or the body has, if the path has none.",
    examples: &[
        ("GET /users/{email}", "", "get-svc-user-by-email"),
        ("GET /zones/{domain}", "Get a zone", "get-svc-zone"),
        (
            "DELETE /zones/{domain} deleteZoneByDomain",
            "",
            "delete-svc-zone-by-domain",
        ),
    ],
    apply: Noun(key::key),
};

/// The rule `id`.
pub(super) const ID: Rule = Rule {
    id: "id",
    says: "The operation id or the summary has the thing, if the path has none but `{id}` or `{name}`. Who logs in, logs out or registers is a user, if the path has no more than `auth`.",
    examples: &[
        ("POST /auth/login", "", "login-svc-user"),
        ("PUT /{id} updateInvoice", "", "update-svc-invoice"),
        (
            "DELETE /v1/{name} projects.dashboards.delete",
            "",
            "delete-svc-project-dashboard",
        ),
    ],
    apply: Noun(noun::of_id),
};
