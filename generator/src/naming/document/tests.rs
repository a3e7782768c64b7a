//! Tests of names that the document decides.

use toolwright_model::{MAX_TOOL_NAME, Method, ServiceName, ToolName};

use super::names_of;
use crate::{
    language::facts::{OperationFacts, QueryParameterFacts},
    naming::Naming,
};

/// Reads an operation: `GET /items listItems`, with the operation id if there is one.
fn operation(line: &str) -> OperationFacts {
    let mut parts = line.split(' ');
    let method = parts.next().and_then(Method::from_word).unwrap();
    let mut facts = OperationFacts::new(method, parts.next().unwrap());
    facts.operation_id = parts.next().map(str::to_owned);
    facts
}

fn named(operations: &[(OperationFacts, Option<ToolName>)]) -> Vec<Naming> {
    names_of(&ServiceName::new("svc").unwrap(), operations)
}

fn names(lines: &[&str]) -> Vec<String> {
    let operations: Vec<_> = lines.iter().map(|line| (operation(line), None)).collect();
    let name = |naming: Naming| {
        naming
            .name
            .map_or_else(|error| error.to_string(), String::from)
    };
    named(&operations).into_iter().map(name).collect()
}

#[test]
fn the_words_that_tell_operations_apart_are_added() {
    for (first, second, expected) in [
        // the one without a further word keeps the base name
        (
            "GET /account",
            "GET /account/{id}",
            ["get-svc-account", "get-svc-account-by-id"],
        ),
        (
            "GET /team_memberships",
            "GET /teams/{id}/memberships",
            ["list-svc-team-memberships", "list-svc-memberships-by-team"],
        ),
        // the version of both
        (
            "GET /v2/items",
            "GET /v3/items",
            ["list-svc-items-v2", "list-svc-items-v3"],
        ),
        (
            "GET /v1/items",
            "GET /v2/items",
            ["list-svc-items-v1", "list-svc-items-v2"],
        ),
        (
            "GET /items",
            "GET /v2/items",
            ["list-svc-items", "list-svc-items-v2"],
        ),
        // a part of the path that base names leave out
        (
            "GET /api/items",
            "GET /rest/items",
            ["list-svc-api-items", "list-svc-rest-items"],
        ),
        // the method
        (
            "GET /items/search",
            "POST /items/search",
            ["search-svc-items", "query-svc-items"],
        ),
        (
            "PATCH /items/{id}",
            "POST /items/{id}/update",
            ["update-svc-item", "update-svc-item-using-post"],
        ),
        // the spelling of the path
        (
            "POST /role",
            "POST /roles",
            ["create-svc-role", "create-svc-roles"],
        ),
        // synonyms of the verb
        (
            "POST /login",
            "POST /signin",
            ["login-svc-user", "login-svc-signin-user"],
        ),
        // the parameter, if operation ids show that both are meant
        (
            "GET /folders/{folderId} getById",
            "GET /folders/{folderPath} getByPath",
            ["get-svc-folder-by-id", "get-svc-folder-by-path"],
        ),
    ] {
        assert_eq!(names(&[first, second]), expected, "{first}, {second}");
        assert_eq!(
            names(&[second, first]),
            [expected[1], expected[0]],
            "{second}, {first}"
        );
    }
}

#[test]
fn a_query_parameter_or_a_slash_tells_two_paths_apart() {
    let mut listing = operation("GET /map/teams/");
    let plain = operation("GET /map/teams");
    let both = [(plain.clone(), None), (listing.clone(), None)];
    let named_as = |operations: &[_]| -> Vec<String> {
        let names = named(operations)
            .into_iter()
            .map(|naming| naming.name.unwrap().into());
        names.collect()
    };
    assert_eq!(
        named_as(&both),
        ["list-svc-map-teams", "list-svc-map-teams-with-slash"]
    );
    listing.query_parameters.push(QueryParameterFacts {
        name: "list".to_owned(),
        required: true,
        values: Vec::new(),
    });
    let both = [(plain, None), (listing, None)];
    assert_eq!(
        named_as(&both),
        ["list-svc-map-teams", "list-svc-map-teams-with-list"]
    );
}

#[test]
fn a_name_that_is_too_long_is_shortened() {
    let parents = "/admin/realms/{realm}";
    let of_client = format!("PUT {parents}/clients/{{id}}/roles/{{name}}/management/permissions-x");
    let of_realm = format!("PUT {parents}/roles/{{name}}/management/permissions-x");
    let named = names(&[&of_client, &of_realm]);
    for name in &named {
        assert!(name.len() <= MAX_TOOL_NAME, "{name}");
    }
    let service = ServiceName::new("notificationconfigurationservice").unwrap();
    let naming = names_of(&service, &[(operation("POST /configuration"), None)]).remove(0);
    assert_eq!(
        naming.name.unwrap().as_str(),
        "update-notificationconfigurationservice-config"
    );
}

#[test]
fn a_long_name_keeps_what_tells_what_the_thing_is() {
    let service = ServiceName::new("helpdesk").unwrap();
    let operations = [
        (
            "DELETE /CompanyWebhooks/{parentId}/ExcludedResources/{id}",
            "delete-helpdesk-company-webhook-excluded-rsrc",
        ),
        (
            "DELETE /TicketWebhooks/{parentId}/ExcludedResources/{id}",
            "delete-helpdesk-ticket-webhook-excluded-resource",
        ),
        (
            "GET /ContractServiceBundleUnits/entityInformation/fields",
            "list-helpdesk-contract-svc-bundle-unit-fields",
        ),
        (
            "GET /Expenses/{parentId}/Items/entityInformation/fields",
            "list-helpdesk-item-fields-by-expense",
        ),
        (
            "GET /ExpenseItems/entityInformation/fields",
            "list-helpdesk-expense-item-entity-info-fields",
        ),
    ];
    let given = operations.map(|(line, _)| (operation(line), None));
    let named = names_of(&service, &given);
    for (naming, (line, expected)) in named.iter().zip(operations) {
        assert_eq!(naming.name.as_ref().unwrap().as_str(), expected, "{line}");
    }
}

#[test]
fn a_pinned_name_stays_and_a_newcomer_gets_the_further_words() {
    let pinned = ToolName::new("list-svc-items").unwrap();
    let operations = [
        (operation("GET /v1/items"), None),
        (operation("GET /v2/items"), Some(pinned.clone())),
    ];
    let named = named(&operations);
    assert_eq!(named[1].name.as_ref(), Ok(&pinned));
    assert_eq!(
        named[0].name.as_ref().unwrap().as_str(),
        "list-svc-items-v1"
    );
}

#[test]
fn operations_that_are_equal_in_every_respect_have_one_name() {
    let named = names(&["GET /items/{id}", "GET /items/{name}", "GET /v2/items/{id}"]);
    assert_eq!(named[0], named[1]);
    assert_ne!(named[0], named[2]);
}

#[test]
fn the_same_words_in_another_order_give_other_names() {
    let parents = "/users/{user-id}/calendarGroups/{calendarGroup-id}/calendars/{calendar-id}";
    let parents = format!("POST {parents}/calendarView/{{event-id}}");
    let call = "microsoft.graph.tentativelyAccept";
    let named = names(&[
        &format!("{parents}/exceptionOccurrences/{{event-id1}}/instances/{{event-id2}}/{call}"),
        &format!("{parents}/instances/{{event-id1}}/exceptionOccurrences/{{event-id2}}/{call}"),
    ]);
    assert_ne!(named[0], named[1]);
    for name in named {
        assert!(ToolName::new(name.as_str()).is_ok(), "{name}");
    }
}

#[test]
fn a_word_of_the_texts_is_left_out_if_nothing_tells_two_paths_apart() {
    let mut first = operation("GET /startup/first-user getFirstUser");
    let mut second = operation("GET /startup/user getFirstUser");
    for operation in [&mut first, &mut second] {
        operation.summary = Some("Gets the first user at startup.".to_owned());
        operation.tags.push("Startup users".to_owned());
    }
    let named = named(&[(first, None), (second, None)]);
    let names = named.iter().map(|naming| naming.name.as_ref().unwrap());
    let names: Vec<&str> = names.map(ToolName::as_str).collect();
    assert_eq!(
        names,
        ["get-svc-startup-first-user", "get-svc-startup-user"]
    );
}

#[test]
fn no_number_and_no_hash_of_an_operation_id_is_added() {
    let named = names(&[
        "GET /items/{id}/a a_get_1",
        "GET /items/{name}/a a_get-1cbd",
    ]);
    for name in named {
        assert!(!name.contains("1"), "{name}");
    }
}

#[test]
fn the_derivation_shows_both_steps() {
    let operations = ["GET /items/search", "POST /items/search"];
    let operations = operations.map(|line| (operation(line), None));
    let steps = &named(&operations)[1].derivation;
    assert_eq!(
        steps[steps.len() - 2..],
        [
            "the document decides: `search-svc-items` is also the name of `GET /items/search`",
            "the verb is `query` and not `search`: the method",
        ]
    );
}
