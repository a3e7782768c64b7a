//! Distinctions between operations with equal or similar paths.

use toolwright_model::StatusPattern;

use super::*;
use crate::language::facts::{AnswerFacts, AnswerShape, BodyFacts};

#[test]
fn what_the_path_calls_is_said_whole() {
    for (line, expected) in [
        // all of them, or many at once
        ("POST /alerts/closeAll", "close-svc-all-alerts"),
        ("POST /listAllPads", "list-svc-all-pads"),
        ("POST /BatchGetStreamKey", "get-svc-stream-keys"),
        ("POST /StartBuildBatch", "start-svc-build-batch"),
        ("DELETE /items/bulkDelete", "delete-svc-items"),
        ("POST /entity/bulk bulkCreateEntity", "create-svc-entities"),
        // not until it is done
        ("PUT /pulls/{id}/merge-async", "merge-svc-pull-async"),
        // what is asked of many things
        ("POST /items/query", "query-svc-items"),
        ("POST /items/query/count", "count-svc-items"),
        // the operation id has the same call
        (
            "POST /items/{id}/setLabels items.setLabels",
            "set-svc-item-labels",
        ),
        (
            "PATCH /orders/confirmPayment confirmPayment2",
            "confirm-svc-orders-payment",
        ),
        // GET is not repeated
        ("GET /items/{id}/getPolicy", "get-svc-item-policy"),
        // a method of a remote procedure
        ("GET /rest?method=svc.photos.search", "search-svc-photos"),
        (
            "POST /#X-Amz-Target=Queue_2015.SendMessage",
            "send-svc-message",
        ),
        ("DELETE /items/{id}#ClientToken", "delete-svc-item"),
        (
            "GET /items?lat={lat}&lon={lon}",
            "list-svc-items-by-lat-lon",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn two_methods_of_one_call_are_told_apart() {
    for (line, expected) in [
        ("GET /listItems listItemsUsingGET", "list-svc-items"),
        ("POST /listItems listItemsUsingPOST", "query-svc-items"),
        ("POST /deleteItem deleteItemUsingPOST", "delete-svc-item"),
        (
            "GET /deleteItem deleteItemUsingGET",
            "delete-svc-item-using-get",
        ),
        (
            "GET /#Action=DescribeAlarms GET_DescribeAlarms",
            "describe-svc-alarms-using-get",
        ),
        ("GET /search get_search", "search-svc-service"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
    let mut facts = OperationFacts::new(Method::Post, "/reports.get_totals");
    facts.body = Some(BodyFacts {
        media_types: vec!["application/x-www-form-urlencoded".to_owned()],
        ..Default::default()
    });
    facts.answers.push(answer(AnswerShape::Object));
    let service = ServiceName::new("svc").unwrap();
    let naming = name_of(&service, &facts, NameHints::default());
    assert_eq!(naming.name.unwrap().as_str(), "query-svc-report-totals");
}

#[test]
fn a_thing_is_no_call() {
    for (line, summary, expected) in [
        (
            "PUT /envelopes/{id}/lock",
            "Updates the lock of an envelope",
            "replace-svc-envelope-lock",
        ),
        (
            "POST /envelopes/{id}/lock",
            "Locks an envelope",
            "lock-svc-envelope",
        ),
        (
            "POST /repos/{id}/deploy-keys",
            "Add a deploy key",
            "create-svc-repo-deploy-key",
        ),
        (
            "GET /accounts/{id}/connect/logs Connect_GetLogs",
            "Gets the logs",
            "list-svc-account-connect-logs",
        ),
        (
            "PUT /statefulsets/{name}/scale replaceStatefulSetScale",
            "Replaces the scale",
            "scale-svc-stateful-set",
        ),
        // what is there still is not deleted
        (
            "DELETE /tokens/{id} revokeToken",
            "Revoke a token",
            "revoke-svc-token",
        ),
        // the summary calls
        (
            "POST /designs/{id}",
            "Duplicate a design",
            "copy-svc-design",
        ),
        ("POST /users", "Upsert users", "upsert-svc-user"),
    ] {
        assert_eq!(name_with(line, summary), expected, "{line}");
    }
}

#[test]
fn the_operation_id_tells_variants_apart() {
    for (line, expected) in [
        ("GET /teams/{id} teams/get-legacy", "get-svc-team-legacy"),
        ("GET /items listItemsPaginated", "list-svc-items-paginated"),
        ("GET /v2/items list_3", "list-svc-items-v2"),
        ("GET /v2/items list", "list-svc-items"),
        ("GET /legacy/items listLegacyItems", "list-svc-legacy-items"),
        (
            "DELETE /items/properties/{key} bulkDeleteItemProperty",
            "delete-svc-items-property-bulk",
        ),
        (
            "GET /companies/{id}/notes/{id} CompanyNotesChild_Query",
            "get-svc-company-note-child",
        ),
        ("GET /api_key findCurrentApiKey", "get-svc-current-api-key"),
        (
            "GET /users/{id}/images/{imageType}/{imageIndex}",
            "get-svc-user-image-by-index",
        ),
        (
            "GET /files/{file}/images/{systemKey} getImages",
            "list-svc-file-images-by-system",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn how_an_answer_is_written_is_not_said() {
    for (line, expected) in [
        ("GET /records.{format}", "list-svc-records"),
        ("GET /records/{id}.{format}", "get-svc-record"),
        ("GET /user{mediaTypeExtension}", "get-svc-user"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn words_that_say_little_are_left_out_first() {
    for (line, expected) in [
        (
            "GET /articleTicketAssociations/entityInformation/fields",
            "list-svc-article-ticket-associations-fields",
        ),
        (
            "GET /companies/{id}/siteConfigurations/entityInformation",
            "get-svc-company-site-configurations-information",
        ),
        (
            "GET /user/installations/{installation_id}/grantedrepositories",
            "list-svc-user-installation-grantedrepositories",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

/// The answer to a success.
fn answer(shape: AnswerShape) -> AnswerFacts {
    AnswerFacts {
        status: StatusPattern::Exact(200),
        description: String::new(),
        media_types: vec!["application/json".to_owned()],
        shape,
    }
}
