//! Misleading operations of our own: rare verbs, unsuitable methods, short descriptions.

use toolwright_generator::internals::{OperationFacts, classify};
use toolwright_model::{Kind, Method};

/// Verbs that change something, with any method.
const CHANGES: &str = "\
    accept ack activate approve archive arm ban begin block book boot broadcast burn cancel capture \
    charge checkout claim clear clone close commit compact confirm consume cordon deactivate decline \
    dequeue detach disable disarm dismiss drain eject enable enroll evict execute expire flush fork \
    generate halt impersonate import install invite invoke issue join kick kill launch lease leave \
    lock login logout mark merge mint mount move mute next-and-delete notify nuke open pause pay pop \
    poweroff promote publish pull purge push reboot rebuild recalculate receive redeem refresh \
    refund regenerate register reindex reject release reload renew replay reprocess requeue resend \
    reset restart restore resume retry revoke rollback rotate run save scale schedule seal send set \
    shutdown sign snooze split start stop subscribe suspend switch sync tag terminate toggle touch \
    transfer trigger truncate unarchive uncordon undelete unlink unlock unseal unsubscribe upgrade \
    upload vacuum vote verify void wake wipe withdraw";

/// Operations that change something despite their appearance: method, path, operation id, summary.
const NOT_SAFE: &[(Method, &str, &str, &str)] = &[
    // GETs whose words describe a change
    (Method::Get, "/logout", "getLogout", ""),
    (
        Method::Get,
        "/notes",
        "listNotes",
        "Rotate the keys of all notes",
    ),
    (
        Method::Get,
        "/notes",
        "listNotes",
        "Send all notes to everyone",
    ),
    (
        Method::Get,
        "/unsubscribe",
        "getUnsubscribe",
        "Unsubscribe from the newsletter",
    ),
    (Method::Get, "/verify-email", "", ""),
    (Method::Get, "/confirm", "", "Confirm the registration"),
    (
        Method::Get,
        "/callback",
        "oauthCallback",
        "The callback of a login",
    ),
    (
        Method::Get,
        "/queue/messages",
        "getMessages",
        "Receives messages and deletes them",
    ),
    (
        Method::Get,
        "/files/{id}",
        "getFile",
        "Returns the file and removes it afterwards",
    ),
    (Method::Get, "/files/{id}/download-and-delete", "", ""),
    (Method::Get, "/send/{hex}", "getSend", "Sends a transaction"),
    (
        Method::Get,
        "/faucet",
        "getFaucet",
        "Withdraws coins to an address",
    ),
    (
        Method::Get,
        "/items/{id}/clone",
        "getItemsClone",
        "Clone an item",
    ),
    (
        Method::Get,
        "/device/{id}/on",
        "deviceOn",
        "Turn the device on",
    ),
    (Method::Get, "/device/{id}/turnOff", "", ""),
    (
        Method::Get,
        "/items/{id}/mark-read",
        "markRead",
        "Mark as read",
    ),
    (Method::Get, "/settings", "updateSettings", ""),
    (
        Method::Get,
        "/views.open",
        "views_open",
        "Open a view for a user.",
    ),
    (Method::Get, "/cron", "", "Run scheduled jobs"),
    (
        Method::Get,
        "/messages",
        "listMessages",
        "Lists the messages. It also removes them from the queue.",
    ),
    (
        Method::Post,
        "/messages/unread",
        "getUnread",
        "Get unread messages and mark them as read",
    ),
    // GETs that give a power
    (
        Method::Get,
        "/credentials/programmatic",
        "GetProgrammaticCredentials",
        "Request programmatic credentials to use with the service.",
    ),
    (Method::Get, "/token", "", ""),
    (
        Method::Get,
        "/oauth/token",
        "getToken",
        "Get an access token",
    ),
    (
        Method::Get,
        "/integrations/token",
        "getIntegrationsToken",
        "Generate a new access token",
    ),
    (
        Method::Get,
        "/{mount}/creds/{name}",
        "request-credentials",
        "",
    ),
    // calls by name
    (
        Method::Get,
        "/#Action=DecreaseReplicaCount",
        "GET_DecreaseReplicaCount",
        "",
    ),
    (Method::Get, "/#Action=ModifyConfiguration", "", ""),
    (
        Method::Get,
        "/#Action=SetAlarmState",
        "",
        "Temporarily sets the state of an alarm",
    ),
    (
        Method::Get,
        "/#Action=SwitchoverReadReplica",
        "",
        "Switches over a standby database",
    ),
    (
        Method::Get,
        "/#Action=OptInPhoneNumber",
        "",
        "Use this request to opt in a number",
    ),
    (Method::Get, "/rest?method=photos.frobnicate", "", ""),
    // POSTs that look like reads
    (
        Method::Post,
        "/stock/count/",
        "stock_count_create",
        "Count stock",
    ),
    (Method::Post, "/payments/{id}/returns", "", "Return payment"),
    (
        Method::Post,
        "/items/list",
        "listItems",
        "Deletes what it lists",
    ),
    (Method::Post, "/jobs/{id}/evaluate", "PostJobEvaluate", ""),
    (
        Method::Post,
        "/invoices/{id}/validate",
        "validateInvoice",
        "Validate an invoice",
    ),
    (
        Method::Post,
        "/orders/{id}/delivered",
        "",
        "Confirms that an order was delivered",
    ),
    (
        Method::Post,
        "/recipe/step",
        "Recipe_GetSteps",
        "Stores recipe step and returns it",
    ),
    (
        Method::Post,
        "/jobs",
        "PollForJobs",
        "Returns information about any jobs to act on",
    ),
    (
        Method::Post,
        "/auth/portal-access/{app}",
        "get_portal_access",
        "Get portal access",
    ),
    (
        Method::Post,
        "/notifications/batch/read",
        "readNotifications",
        "",
    ),
    (
        Method::Post,
        "/items/{id}/export",
        "exportItem",
        "Export the item to an S3 bucket",
    ),
    (Method::Post, "/graphql", "graphql", "Execute a query"),
    (Method::Post, "/sql", "sql", "Run a statement"),
    (Method::Post, "/items/process", "", "Get things done"),
    // other languages, and no language at all
    (Method::Get, "/usuarios/{id}/eliminar", "", ""),
    (
        Method::Get,
        "/eliminar/{id}",
        "eliminarUsuario",
        "Eliminar usuario",
    ),
    (Method::Post, "/consultar", "consultar", "Consultar"),
    (Method::Post, "/x1", "op17", ""),
];

/// Operations that change nothing: method, path, operation id, summary.
const SAFE: &[(Method, &str, &str, &str)] = &[
    (Method::Post, "/items/query", "queryItems", "Query items"),
    (
        Method::Post,
        "/transfer/list",
        "transferList",
        "List transfers",
    ),
    (Method::Post, "/items/search", "searchItems", "Search items"),
    (
        Method::Post,
        "/items/lookup",
        "lookupItems",
        "Look up items",
    ),
    (
        Method::Post,
        "/items:batchGet",
        "items.batchGet",
        "Returns several items",
    ),
    (
        Method::Post,
        "/items/count",
        "countItems",
        "Returns the number of items",
    ),
    (
        Method::Post,
        "/items/preview",
        "previewItem",
        "Preview an item",
    ),
    (Method::Post, "/items/check", "checkItems", "Check items"),
    (
        Method::Post,
        "/items/diff",
        "diffItems",
        "Compare two items",
    ),
    (
        Method::Post,
        "/items/calculate",
        "calculatePrice",
        "Calculate the price",
    ),
    (
        Method::Post,
        "/items/estimate",
        "estimateCosts",
        "Estimate the costs",
    ),
    (
        Method::Post,
        "/items/validate",
        "validateItem",
        "Validate an item",
    ),
    (Method::Post, "/items/export", "exportItems", "Export items"),
    (
        Method::Post,
        "/users/exists",
        "userExists",
        "Check whether a user exists",
    ),
    (
        Method::Post,
        "/token/introspect",
        "introspectToken",
        "Introspect a token",
    ),
    (
        Method::Post,
        "/documents.deleted",
        "",
        "List all deleted documents",
    ),
    (
        Method::Get,
        "/#Action=DescribeAlarms",
        "GET_DescribeAlarms",
        "Describes the alarms",
    ),
    (Method::Get, "/rest?method=photos.getInfo", "", ""),
    (Method::Get, "/seal-status", "seal-status", ""),
    (
        Method::Get,
        "/config/auto-tidy",
        "read-auto-tidy-configuration",
        "",
    ),
    (
        Method::Get,
        "/blocks/{id}/releases",
        "listReleases",
        "List releases",
    ),
    (
        Method::Get,
        "/logins/{id}",
        "getLogin",
        "Returns a login object",
    ),
    (
        Method::Get,
        "/licensing/token",
        "getLicenseToken",
        "Get license token.",
    ),
    (Method::Get, "/tokens/{id}", "getToken", "Get a token"),
    (Method::Get, "/items/{id}/history", "", ""),
    (
        Method::Get,
        "/usuarios/{id}",
        "obtenerUsuario",
        "Obtener usuario",
    ),
];

#[test]
fn verbs_that_change_something_are_never_safe() {
    let mut safe = Vec::new();
    for verb in CHANGES.split_whitespace() {
        let path = format!("/items/{{id}}/{verb}");
        let id = format!("{verb}Item");
        for (method, id, summary) in [
            (Method::Get, "", String::new()),
            (Method::Get, id.as_str(), String::new()),
            (Method::Get, id.as_str(), format!("{verb} the item")),
            (Method::Post, "", String::new()),
            (Method::Post, id.as_str(), String::new()),
            (Method::Post, id.as_str(), format!("{verb} the item")),
        ] {
            let kind = kind(method, &path, id, &summary);
            if reads(kind) {
                safe.push(format!("{method} {path} [{id}] {summary}: {kind}"));
            }
        }
    }
    assert!(safe.is_empty(), "wrongly safe:\n{}", safe.join("\n"));
}

#[test]
fn misleading_operations_are_not_safe() {
    let safe = operations_that(NOT_SAFE, true);
    assert!(safe.is_empty(), "wrongly safe:\n{}", safe.join("\n"));
}

#[test]
fn reads_are_safe_with_any_method() {
    let others = operations_that(SAFE, false);
    assert!(
        others.is_empty(),
        "not seen as reads:\n{}",
        others.join("\n")
    );
}

/// Those of the operations that are reads, or are none.
fn operations_that(operations: &[(Method, &str, &str, &str)], wanted: bool) -> Vec<String> {
    operations
        .iter()
        .map(|&(method, path, id, summary)| {
            let kind = kind(method, path, id, summary);
            (kind, format!("{method} {path} [{id}] {summary}: {kind}"))
        })
        .filter(|(kind, _)| reads(*kind) == wanted)
        .map(|(_, said)| said)
        .collect()
}

fn reads(kind: Kind) -> bool {
    matches!(kind, Kind::Read | Kind::Derive)
}

fn kind(method: Method, path: &str, id: &str, summary: &str) -> Kind {
    let said = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut facts = OperationFacts::new(method, path);
    facts.operation_id = said(id);
    facts.summary = said(summary);
    classify(&facts).kind
}
