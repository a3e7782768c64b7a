//! The rules of names, as a table: the page `docs/names.md` and the tests of the rules are made from it.

mod nouns;
mod verbs;

use super::{
    compound, related,
    rule::{
        Apply::{Path, Shape},
        Rule,
    },
    shape, told, unmentioned,
};
use crate::language::reading::{Step, StepSource, path::Dropped};

/// The rules, in the order in which they apply.
pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "prefix",
        says: "API prefixes are left out: at the start, and later if a version follows.",
        examples: &[
            ("GET /api/rest/items", "", "list-svc-items"),
            ("GET /store/api/v1/items", "", "list-svc-store-items"),
        ],
        apply: Path(|path| path.drops(Dropped::Prefix)),
    },
    Rule {
        id: "namespace",
        says: "A namespace and its marker are left out. Of a domain name the first label stays, of the name of a class the last two.",
        examples: &[
            (
                "GET /apis/batch.example.io/v1/jobs",
                "",
                "list-svc-batch-jobs",
            ),
            ("GET /providers/Example.Compute/disks", "", "list-svc-disks"),
        ],
        apply: Path(|path| {
            let group = |step: &Step| step.source == StepSource::Domain;
            path.drops(Dropped::Namespace) || path.steps.iter().any(group)
        }),
    },
    Rule {
        id: "version",
        says: "A version is left out, and so are numbers and opaque identifiers. A version may be a parameter.",
        examples: &[
            ("GET /v2/items", "", "list-svc-items"),
            ("GET /apis/batch/v2/jobs/{name}", "", "get-svc-batch-job"),
            ("GET /items/42", "", "list-svc-items"),
        ],
        apply: Path(|path| path.drops(Dropped::Version) || path.drops(Dropped::Opaque)),
    },
    Rule {
        id: "format",
        says: "The format of the response is left out: an extension, a segment or a parameter.",
        examples: &[
            ("GET /items.json", "", "list-svc-items"),
            ("GET /items/{id}.{format}", "", "get-svc-item"),
        ],
        apply: Path(|path| path.drops(Dropped::Format)),
    },
    Rule {
        id: "selects",
        says: "A parameter selects one item of the step before it, and so do several at the end.",
        examples: &[
            ("GET /items/{id}", "", "get-svc-item"),
            ("GET /zones/{area}/{id}", "", "get-svc-zone"),
            (
                "GET /zones/{area}/{place}/{region}",
                "",
                "get-svc-zone-by-region",
            ),
        ],
        apply: Path(|path| {
            path.steps
                .iter()
                .any(|step| !step.keys.is_empty() && step.source == StepSource::Literal)
        }),
    },
    Rule {
        id: "parameter-step",
        says: "A parameter names a thing itself if there is no step before it, or if it identifies something else than a singular and more follows, unless its name is one letter or it is one of several in a segment.",
        examples: &[
            (
                "DELETE /{username}/tokens/{id}",
                "",
                "delete-svc-user-token",
            ),
            (
                "GET /{owner}/{repo}/issues",
                "",
                "list-svc-owner-repo-issues",
            ),
            (
                "GET /stream/{video_id}/captions",
                "",
                "list-svc-stream-video-captions",
            ),
        ],
        apply: Path(|path| {
            path.steps
                .iter()
                .any(|step| step.source == StepSource::Parameter)
        }),
    },
    Rule {
        id: "service",
        says: "The service's own word is left out, also before a key if more follows.",
        examples: &[
            ("GET /svc/items", "", "list-svc-items"),
            ("GET /svcs/{id}/items", "", "list-svc-items"),
        ],
        apply: Shape(shape::drop_service),
    },
    Rule {
        id: "identifier",
        says: "After `id` or one letter, the key names the thing. The same holds after `actions` if a call follows.",
        examples: &[
            ("GET /users/id/{id}", "", "get-svc-user"),
            ("GET /b/{bucket}/folders", "", "list-svc-bucket-folders"),
            ("POST /actions/{deviceId}/restart", "", "restart-svc-device"),
        ],
        apply: Shape(related::drop_identifiers),
    },
    Rule {
        id: "fragment",
        says: "Words after a full stop or a colon that are no call are a part of the resource.",
        examples: &[("GET /files.revisions", "", "list-svc-file-revisions")],
        apply: Shape(shape::take_call),
    },
    Rule {
        id: "me",
        says: "`me` is the current user.",
        examples: &[
            ("GET /users/me/keys", "", "list-svc-current-user-keys"),
            (
                "PUT /carts/mine/billing-address",
                "",
                "update-svc-current-cart-billing-address",
            ),
            ("GET /{tenant}/me", "", "get-svc-tenant-current-user"),
        ],
        apply: Shape(shape::name_me),
    },
    Rule {
        id: "preposition",
        says: "Words that begin with a preposition follow the thing before them; at the start the preposition is left out.",
        examples: &[("GET /users/by-email/{email}", "", "get-svc-user-by-email")],
        apply: Shape(shape::join_prepositions),
    },
    Rule {
        id: "unmentioned",
        says: "Steps that select nothing and that no text mentions are left out, if a text names the thing.",
        examples: &[
            (
                "GET /controller/api/v1/projects getProjects",
                "",
                "list-svc-projects",
            ),
            (
                "GET /derived/holding-summary getHoldingSummary",
                "",
                "get-svc-holding-summary",
            ),
            (
                "GET /user/preferences/status getStatus",
                "",
                "get-svc-preferences-status",
            ),
        ],
        apply: Shape(unmentioned::drop_unmentioned),
    },
    Rule {
        id: "filter",
        says: "A parameter at the end that names no thing of the texts only filters the thing before it. The label of such a parameter follows `by`.",
        examples: &[(
            "GET /lines/mode/{modes}",
            "Gets the lines of a mode.",
            "list-svc-lines-by-mode",
        )],
        apply: Shape(related::drop_filters),
    },
    Rule {
        id: "part",
        says: "A last parameter that identifies another thing is that thing, if the operation id or the summary names it.",
        examples: &[("GET /trips/{id}/{legId}", "Get a leg", "get-svc-trip-leg")],
        apply: Shape(related::take_part),
    },
    Rule {
        id: "phrase",
        says: "The thing has the name that the operation id or the summary gives it, if the words of the path are part of it, and the other words are in two of the operation id, the summary and the names of schemas, or stand before the thing in the summary, unless they tell nothing (`entire`). `metadata` or `request` at the end of both makes another thing.",
        examples: &[
            (
                "GET /metrics/{name} getMetricMetadata",
                "Get metric metadata",
                "get-svc-metric-metadata",
            ),
            (
                "GET /forecast/hourly getHourlyForecast",
                "Get the hourly forecast.",
                "get-svc-hourly-forecast",
            ),
            (
                "GET /fees/{id}",
                "Get the details of a bank fee",
                "get-svc-bank-fee",
            ),
            (
                "POST /contracts createContract",
                "Create a smart contract",
                "create-svc-smart-contract",
            ),
        ],
        apply: Shape(told::take_phrase),
    },
    Rule {
        id: "adjective",
        says: "An adjective after a noun stands before it, and so does the thing whose state is read. One after an item has the noun that the operation id, the summary or the schema of the elements gives it, or describes the item if the answer is one or a text gets it.",
        examples: &[
            (
                "GET /orders/{id}/decoded",
                "Get order",
                "get-svc-decoded-order",
            ),
            ("GET /tasks/failed", "", "list-svc-failed-tasks"),
            (
                "GET /items/{id}/related",
                "Get related products",
                "list-svc-related-products",
            ),
            (
                "GET /groups/{id}/available",
                "Get available client-level roles",
                "list-svc-available-roles",
            ),
            (
                "GET /users/{id}/starred",
                "List repositories starred by a user",
                "list-svc-user-starred-repositories",
            ),
            ("GET /stats/devices/{id}", "", "get-svc-device-stats"),
            ("GET /steps-completed", "", "list-svc-completed-steps"),
            ("POST /sms/outgoing/send", "", "send-svc-outgoing-sms"),
        ],
        apply: Shape(shape::turn),
    },
    Rule {
        id: "order",
        says: "Two words are in the order of the operation id or the summary.",
        examples: &[
            (
                "DELETE /addresses/billing deleteBillingAddress",
                "",
                "delete-svc-billing-address",
            ),
            (
                "GET /report/activities",
                "Get the activity report",
                "get-svc-activity-report",
            ),
            ("GET /bids/rural", "List rural bids", "list-svc-rural-bids"),
        ],
        apply: Shape(shape::turn_as_told),
    },
    Rule {
        id: "owner",
        says: "A step that selects nothing follows the last one, if the summary has the one of the other.",
        examples: &[(
            "GET /usage/accounts/{id}",
            "Get the usage of an account",
            "get-svc-account-usage",
        )],
        apply: Shape(related::take_owner),
    },
    Rule {
        id: "listed",
        says: "The plural that the summary lists follows a singular: if it follows it in the summary too, or if the schema of the elements has its name.",
        examples: &[(
            "GET /timeline",
            "Get the timeline items",
            "list-svc-timeline-items",
        )],
        apply: Shape(related::take_listed),
    },
    Rule {
        id: "told",
        says: "The operation id and the summary have another thing than the path, or the summary alone has one of several words if the operation id only repeats the path.",
        examples: &[
            (
                "GET /federate/{instance} getAccessToken",
                "Get the access token.",
                "get-svc-access-token",
            ),
            ("GET /country-check", "Get VAT rates", "list-svc-vat-rates"),
            (
                "GET /transfers/{id} getTicketById",
                "Get a ticket by id",
                "get-svc-ticket",
            ),
        ],
        apply: Shape(told::take_other),
    },
    Rule {
        id: "state",
        says: "What the summary gets of the thing follows the thing: a state, unless the operation id and the answer have the thing alone; another thing, unless the operation id has the thing alone; or the number of things.",
        examples: &[
            (
                "GET /jobs/{id} getJob",
                "Get the status of a job",
                "get-svc-job-status",
            ),
            (
                "GET /sensors/{id}",
                "Get the schedule of a sensor",
                "get-svc-sensor-schedule",
            ),
            (
                "GET /clients get_clients",
                "The number of clients",
                "get-svc-client-count",
            ),
        ],
        apply: Shape(related::take_state),
    },
    Rule {
        id: "empty-step",
        says: "`all` after a thing means all of them; `actions` before a call, `query` before `count`, and `new` in a POST mean nothing.",
        examples: &[
            ("GET /orders/all", "", "list-svc-orders"),
            ("POST /orders/new", "", "create-svc-order"),
            ("GET /projects/{id}/all-files", "", "list-svc-project-files"),
            (
                "POST /surveys/{id}/actions/publish",
                "",
                "publish-svc-survey",
            ),
            (
                "POST /servers/{id}/actions/enable_backup",
                "",
                "enable-svc-server-backup",
            ),
        ],
        apply: Shape(shape::drop_empty),
    },
    Rule {
        id: "bulk",
        says: "`bulk` and its like make a plural.",
        examples: &[
            ("POST /items/bulk", "", "create-svc-items"),
            ("GET /items/multiple", "", "list-svc-items"),
        ],
        apply: Shape(shape::drop_bulk),
    },
    Rule {
        id: "compound",
        says: "A long or unknown word is split as the operation id, a text, a schema, a parameter or a tag spells it.",
        examples: &[
            (
                "GET /horizontalpodautoscalers/{name} readHorizontalPodAutoscaler",
                "",
                "get-svc-horizontal-pod-autoscaler",
            ),
            (
                "GET /pullrequests/{pull_request_id}",
                "",
                "get-svc-pull-request",
            ),
        ],
        apply: Shape(compound::split_compounds),
    },
    verbs::SPELT_OUT,
    verbs::LAST_STEP,
    verbs::AGENT,
    verbs::LEADING_STEP,
    verbs::UPSERT,
    verbs::TEXT,
    verbs::METHOD,
    nouns::BASIC_STEP,
    nouns::MODIFIER,
    nouns::THING,
    nouns::PARENT,
    nouns::UNNEEDED,
    nouns::CURRENT,
    nouns::ALL,
    nouns::KEY,
    nouns::ID,
];
