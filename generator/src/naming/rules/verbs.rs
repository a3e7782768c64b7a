//! The rules of the verb.

use crate::naming::{
    rule::{Apply::Verb, Rule},
    verb,
};

/// The rule `spelt-out`.
pub(super) const SPELT_OUT: Rule = Rule {
    id: "spelt-out",
    says: "The path spells out a call after a full stop or a colon.",
    examples: &[
        ("POST /documents.archive", "", "archive-svc-document"),
        ("POST /{name}:cancel", "", "cancel-svc-name"),
    ],
    apply: Verb(verb::spelt_out),
};

/// The rule `last-step`.
pub(super) const LAST_STEP: Rule = Rule {
    id: "last-step",
    says: "The path ends in a verb, with or without the key that selects its object. A word that is also a noun is a verb if the key is that of the step before it. `read` after an item, or with a text that marks, marks it as read if the operation changes something.",
    examples: &[
        (
            "POST /events/{id}/read eventRead",
            "Mark an event as read",
            "mark-svc-event-read",
        ),
        (
            "POST /messages/read markMessagesRead",
            "",
            "mark-svc-message-read",
        ),
        ("POST /items/{id}/archive", "", "archive-svc-item"),
        ("POST /keys/rotate/{name}", "", "rotate-svc-key"),
        (
            "POST /deployment/pause/{deploymentId} PostDeploymentPause",
            "",
            "pause-svc-deployment",
        ),
        (
            "POST /definitions/list_private",
            "",
            "list-svc-private-definitions",
        ),
        (
            "POST /trackers/{id}/updatePositions updateDevicePositions",
            "",
            "update-svc-device-positions",
        ),
        ("GET /tag-list", "Get the tags", "list-svc-tags"),
        ("GET /getStations getStations", "", "list-svc-stations"),
        (
            "GET /files/{id}/download getFileDownload",
            "",
            "download-svc-file",
        ),
    ],
    apply: Verb(verb::last_step),
};

/// The rule `agent`.
pub(super) const AGENT: Rule = Rule {
    id: "agent",
    says: "A POST to a tool that validates, converts or the like does so, if no text does something to the tool.",
    examples: &[("POST /license/validator", "", "validate-svc-license")],
    apply: Verb(verb::agent),
};

/// The rule `leading-step`.
pub(super) const LEADING_STEP: Rule = Rule {
    id: "leading-step",
    says: "A step before the thing is a verb, and the operation id or the summary has it too.",
    examples: &[("GET /search/users", "Search users", "search-svc-users")],
    apply: Verb(verb::leading_step),
};

/// The rule `upsert`.
pub(super) const UPSERT: Rule = Rule {
    id: "upsert",
    says: "A POST or PUT that creates or updates is an `upsert`.",
    examples: &[
        ("POST /items createOrUpdateItem", "", "upsert-svc-item"),
        ("PUT /items/{id} createOrUpdateItem", "", "upsert-svc-item"),
    ],
    apply: Verb(verb::upsert),
};

/// The rule `text`.
pub(super) const TEXT: Rule = Rule {
    id: "text",
    says: "The operation id or the summary has a verb that tells more than the method, or the description if these have none. What is removed from nothing else is deleted. What a thing is marked as follows it.",
    examples: &[
        (
            "PATCH /threads/{id}",
            "Mark a thread as read",
            "mark-svc-thread-as-read",
        ),
        (
            "PUT /teams/{id}/members/{user}",
            "Add a member to the team",
            "add-svc-team-member",
        ),
        (
            "DELETE /teams/{id}/members/{user}",
            "Remove a member",
            "remove-svc-team-member",
        ),
        ("DELETE /pages/{id}", "Remove a page", "delete-svc-page"),
        (
            "GET /files/{id} getFile",
            "Download a file",
            "download-svc-file",
        ),
        (
            "POST /designs/{id}",
            "Duplicate SVG design",
            "copy-svc-svg-design",
        ),
        (
            "DELETE /users/{id}/likes/{tweet_id} usersIdUnlike",
            "",
            "unlike-svc-user-tweet",
        ),
        (
            "PATCH /plans/{id}/status",
            "Cancel a plan",
            "cancel-svc-plan",
        ),
    ],
    apply: Verb(verb::text),
};

/// The rule `method`.
pub(super) const METHOD: Rule = Rule {
    id: "method",
    says: "The method and the form of the path: GET gets one, lists many, or checks what the path or the operation id asks; POST creates, PUT and PATCH update, DELETE deletes.",
    examples: &[
        ("PATCH /items/{id}", "", "update-svc-item"),
        (
            "GET /items/{id}/is-compressed",
            "",
            "check-svc-item-is-compressed",
        ),
        ("GET /rate-issued isRateIssued", "", "check-svc-rate-issued"),
    ],
    apply: Verb(verb::method),
};
