//! Classes of errors that were found by reading operations of documents that no rule was written for.

use toolwright_generator::internals::{
    AnswerFacts, AnswerShape, BodyFacts, OperationFacts, classify,
};
use toolwright_model::{Kind, Method, StatusPattern};

/// An operation: its method, path, operation id, summary and description.
type Row = (
    Method,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

fn operation(&(method, path, id, summary, description): &Row) -> OperationFacts {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut facts = OperationFacts::new(method, path);
    facts.operation_id = text(id);
    facts.summary = text(summary);
    facts.description = text(description);
    facts
}

/// Checks that each operation reads, or that none does.
fn check(rows: &[Row], reads: bool) {
    for row in rows {
        let found = classify(&operation(row));
        assert_eq!(found.kind <= Kind::Derive, reads, "{row:?}: {found:#?}");
    }
}

const GET: Method = Method::Get;
const POST: Method = Method::Post;

#[test]
fn the_noun_of_a_get_is_no_verb() {
    check(
        &[
            (
                GET,
                "/transfer",
                "getTransfer",
                "",
                "Returns a Transfer object with the use of this month.",
            ),
            (
                GET,
                "/items/{id}/bump",
                "",
                "View available bump tiers of an item",
                "",
            ),
            (
                GET,
                "/feed/customize",
                "",
                "Get your feed customization options",
                "",
            ),
            (
                GET,
                "/team/sync",
                "getTeamSync",
                "Get team sync configurations",
                "",
            ),
            (
                GET,
                "/logins/{id}",
                "getLogin",
                "Login View",
                "Returns an object about a login.",
            ),
            (
                GET,
                "/move-target",
                "move_target_list",
                "List move targets",
                "",
            ),
            (
                GET,
                "/StopPoint/{id}/Route",
                "StopPoint_Route",
                "Returns the sections of a line",
                "",
            ),
            (
                GET,
                "/files",
                "UpdateSystem_GetCachedFiles",
                "Get a list of files",
                "",
            ),
            (
                GET,
                "/updateStates/$count",
                "Get.Count.updateStates-a1b2",
                "Get the number of the resource",
                "",
            ),
            (
                GET,
                "/items/{id}/AddOnResults",
                "ListItemAddOnResult",
                "List results",
                "",
            ),
            (
                GET,
                "/search/startBasic",
                "startBasicSearch",
                "Starts a basic search in the items",
                "",
            ),
        ],
        true,
    );
    check(
        &[
            (GET, "/transfer", "", "", ""),
            (GET, "/transfer", "transfer", "Transfer the balance", ""),
            (GET, "/cache/flush", "getCacheFlush", "", ""),
            (
                GET,
                "/oauth/authorize",
                "",
                "",
                "Displays an authorization form to the user.",
            ),
            (GET, "/users/delete", "", "Get the deleted users", ""),
            (
                GET,
                "/items/{id}/write",
                "Items_GetSas",
                "Get writable shared access signature",
                "",
            ),
            (
                GET,
                "/items/{id}/startUrl",
                "getStartUrl",
                "Get Start URL",
                "",
            ),
            (GET, "/login", "", "Logs in the user", ""),
        ],
        false,
    );
}

#[test]
fn a_description_of_what_is_got_is_no_command() {
    check(
        &[
            (
                GET,
                "/settings/mirage",
                "getMirage",
                "Get the mirage setting",
                "Enable it to load images faster.",
            ),
            (
                GET,
                "/items/{id}/similar",
                "",
                "Retrieve similar items",
                "This endpoint provides a list of items.",
            ),
            (
                GET,
                "/keys/{key}/usage",
                "KeyUsage",
                "Usage",
                "Reports the number of calls.",
            ),
        ],
        true,
    );
    check(
        &[
            (
                GET,
                "/items/next",
                "getNext",
                "Get the next item",
                "Deletes the item.",
            ),
            (
                GET,
                "/items/next",
                "getNext",
                "Get the next item",
                "This endpoint removes the item.",
            ),
            (GET, "/items/next", "", "", "Remove the next item."),
        ],
        false,
    );
}

#[test]
fn keys_of_an_item_are_handed_out() {
    check(
        &[
            (
                POST,
                "/accounts/{name}/listKeys",
                "Accounts_ListKeys",
                "",
                "Lists the keys of an account.",
            ),
            (
                POST,
                "/accounts/{name}/readonlykeys",
                "Accounts_ListReadOnlyKeys",
                "Lists the keys",
                "",
            ),
            (
                POST,
                "/functions/{name}/listsecrets",
                "ListFunctionSecrets",
                "Get function secrets",
                "",
            ),
            (
                POST,
                "/jobs/{name}/listCredentials",
                "ListCredentials",
                "Gets the secrets of the job.",
                "",
            ),
            (
                POST,
                "/stores/{name}/listConnectionStrings",
                "",
                "Lists the connection strings.",
                "",
            ),
        ],
        false,
    );
    check(
        &[
            (
                POST,
                "/accounts/list",
                "listAccounts",
                "Lists the accounts.",
                "",
            ),
            (
                POST,
                "/devices/{name}/publicEncryptionKey",
                "getPublicEncryptionKey",
                "Returns the public key.",
                "",
            ),
        ],
        true,
    );
}

#[test]
fn a_result_that_is_kept_is_a_change() {
    check(
        &[
            (
                POST,
                "/contacts/exports",
                "ExportContact",
                "Export contacts",
                "",
            ),
            (
                POST,
                "/numbers/verify",
                "verifyNumber",
                "Validates the code. If successful this will overwrite the number.",
                "",
            ),
        ],
        false,
    );
}

#[test]
fn an_answer_is_computed_from_the_request() {
    let answered = |row: &Row, status: u16| {
        let mut facts = operation(row);
        facts.body = Some(BodyFacts::default());
        facts.schemas.body = Some("Input".to_owned());
        facts.schemas.answer = Some("Output".to_owned());
        facts.answers.push(AnswerFacts {
            status: StatusPattern::Exact(status),
            description: String::new(),
            media_types: vec!["application/json".to_owned()],
            shape: AnswerShape::Object,
        });
        classify(&facts).kind
    };
    let detect = (
        POST,
        "/detect-faces",
        "DetectFaces",
        "Detects faces in an image",
        "",
    );
    assert_eq!(answered(&detect, 200), Kind::Derive);
    assert!(answered(&detect, 202) > Kind::Derive);
    for row in [
        (POST, "/detect-faces", "DetectFaces", "", ""),
        (
            POST,
            "/images/{id}/detect",
            "DetectFaces",
            "Detects faces in an image",
            "",
        ),
        (
            POST,
            "/convert-backup",
            "ConvertBackup",
            "Converts a backup to a volume",
            "",
        ),
        (POST, "/test-alarm", "TestAlarm", "Tests an alarm", ""),
    ] {
        assert!(answered(&row, 200) > Kind::Derive, "{row:?}");
    }
    let ratio = (
        POST,
        "/assets/ratio",
        "",
        "Ratio",
        "Compute the ratio of several assets.",
    );
    assert_eq!(answered(&ratio, 200), Kind::Derive);
}
