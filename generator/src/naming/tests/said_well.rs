//! Natural names, and distinctions between otherwise equal names.

use toolwright_model::StatusPattern;

use super::*;
use crate::language::facts::{AnswerFacts, AnswerShape};

#[test]
fn what_is_sent_for_is_the_verb() {
    for (line, expected) in [
        // the number of them
        ("GET /users/{id}/groups/count", "count-svc-user-groups"),
        ("GET /item/count", "get-svc-item-count"),
        // what is downloaded
        ("GET /files/{id}/download", "download-svc-file"),
        ("GET /files/{id}/download-url", "get-svc-file-download-url"),
        // found by something
        (
            "GET /pet/findByStatus findPetsByStatus",
            "find-svc-pet-by-status",
        ),
        // done with PATCH
        ("PATCH /items/{id}/restore", "restore-svc-item"),
        (
            "PATCH /users/{id}/resetPassword resetUserPassword",
            "reset-svc-user-password",
        ),
        (
            "PATCH /plugins/{id}/activate plugins_activate_partial_update",
            "update-svc-plugin-activate",
        ),
        // a list that is changed is a thing
        (
            "PUT /boards/{id}/prefs/emailList updateEmailList",
            "replace-svc-board-prefs-email-list",
        ),
        ("POST /files/begin_upload", "start-svc-files-upload"),
        (
            "POST /payments/{id}/cancelOrRefund",
            "cancel-svc-payment-or-refund",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn a_word_that_says_what_the_method_does_is_not_said() {
    for (line, expected) in [
        ("GET /agents/{id}/get/config", "get-svc-agent-config"),
        (
            "POST /areas/polygon-query search_areas",
            "query-svc-areas-polygon",
        ),
        // the method after `using`
        (
            "GET /statistics/inheritanceType/{speciesTypeKey}/{dateFromYYYYMMDD}/{dateToYYYYMMDD} getInheritanceTypeDiffUsingGET",
            "get-svc-inheritance-type-diff",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
    assert_eq!(
        name_with("POST /areas/polygon-query", "Retrieve areas"),
        "query-svc-areas-polygon"
    );
}

#[test]
fn the_number_of_things_is_that_of_what_is_meant() {
    for (line, expected) in [
        // one is created
        ("POST /users/create createUser", "create-svc-user"),
        // kinds have no plural
        (
            "GET /items/{id}/unadopted listUnadopted",
            "list-svc-item-unadopted",
        ),
        (
            "POST /templates/list-scheduled",
            "list-svc-scheduled-templates",
        ),
        ("GET /collections/featured", "list-svc-featured-collections"),
        // neither have keys
        (
            "GET /totals/by-contributor list_totals",
            "list-svc-totals-by-contributor",
        ),
        // a batch of a word with one form
        ("POST /sms/send-bulk", "send-svc-sms-batch"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
    assert_eq!(
        name_with("POST /reviews saveReviews", "Create multiple reviews"),
        "create-svc-reviews"
    );
    assert_eq!(name("POST /items bulkCreateItems"), "create-svc-items");
    assert_eq!(
        name("POST /companies/list listAllCompanies"),
        "list-svc-all-companies"
    );
    assert_eq!(
        name_with("PUT /schemes/{id}/level", "Add security levels"),
        "replace-svc-scheme-levels"
    );
}

#[test]
fn many_are_listed_although_their_word_says_little() {
    for (line, expected) in [
        (
            "GET /app/settings App_ListSettings",
            "list-svc-app-settings",
        ),
        (
            "GET /actions/{appId} actions_getPage",
            "list-svc-actions-by-app",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
    for (summary, expected) in [
        (
            "Retrieves the collection of rule totals",
            "list-svc-rule-statistics",
        ),
        ("Retrieves rule statistics", "get-svc-rule-statistics"),
    ] {
        assert_eq!(name_with("GET /rule-statistics", summary), expected);
    }
    for (path, summary, shape, expected) in [
        (
            "/notification",
            "Get notifications filtered by type",
            AnswerShape::Object,
            "list-svc-notifications",
        ),
        (
            "/GamesByDate/{date}",
            "Games by date",
            AnswerShape::Array,
            "list-svc-games-by-date",
        ),
    ] {
        let mut facts = OperationFacts::new(Method::Get, path);
        facts.summary = Some(summary.to_owned());
        facts.answers.push(AnswerFacts {
            status: StatusPattern::Exact(200),
            description: String::new(),
            media_types: Vec::new(),
            shape,
        });
        let service = ServiceName::new("svc").unwrap();
        let naming = name_of(&service, &facts, NameHints::default());
        assert_eq!(naming.name.unwrap().as_str(), expected, "{path}");
    }
}

#[test]
fn a_parameter_says_no_more_than_is_needed() {
    for (line, expected) in [
        // an identifier or a name
        ("GET /projects/{projectIdOrKey}", "get-svc-project"),
        ("GET /status/{idOrName}", "get-svc-status"),
        // two parameters, of which the second is not an item
        ("GET /channels/{type}/{id}", "get-svc-channel-by-type-id"),
        (
            "GET /channels/{type}/{id}/messages",
            "list-svc-channel-messages",
        ),
        // what others have too
        ("GET /events/{eventType}", "get-svc-event-by-type"),
        ("GET /users/{userEmail}", "get-svc-user-by-email"),
        // no part of the word by chance
        ("GET /geoip/{ip}", "get-svc-geoip-by-ip"),
        // the owner is already in the name
        (
            "DELETE /version/{versionId}/link deleteLinksByVersionId",
            "delete-svc-version-links",
        ),
        // the thing's own identifier
        (
            "DELETE /providers/{id}/services/employers/employees/leave-absences/{absenceId} deleteLeaveAbsenceByAbsenceId",
            "delete-svc-provider-employees-leave-absence",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn a_prefix_is_left_out_wherever_a_version_follows() {
    assert_eq!(
        name("GET /controller/api/v1/branches"),
        "list-svc-controller-branches"
    );
    assert_eq!(name("GET /stores/api/keys"), "list-svc-stores-api-keys");
    for (line, expected) in [
        // a version, however it is written
        ("GET /v{version}/items", "list-svc-items"),
        ("GET /{api_version}/items", "list-svc-items"),
        ("GET /admin/v/4/items", "list-svc-admin-items-v4"),
        ("GET /api/v/1/items", "list-svc-items"),
        // how the answer is written
        ("GET /{format}/items", "list-svc-items"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn what_the_path_does_not_name_is_named_by_the_operation_id() {
    for (line, expected) in [
        ("PUT /{uuid} updateCall", "replace-svc-call"),
        ("POST /import importSnapshot", "import-svc-snapshot"),
        // one of them, of one parent each
        (
            "DELETE /v1/{name} monitoring.projects.dashboards.delete",
            "delete-svc-monitoring-project-dashboard",
        ),
        (
            "GET /v1/{name} transfer.transferOperations.list",
            "list-svc-transfer-operations",
        ),
        ("GET /search get_search", "search-svc-service"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn what_makes_one_where_there_is_none_upserts() {
    for (line, summary, expected) in [
        (
            "POST /users/{id}",
            "Updates the user or adds one",
            "upsert-svc-user",
        ),
        ("POST /users/{id}", "Updates the user", "update-svc-user"),
        (
            "POST /rules/{id} writeRule",
            "Create or update a rule",
            "write-svc-rule",
        ),
        (
            "POST /items/search searchItems1",
            "Search items",
            "query-svc-items",
        ),
    ] {
        assert_eq!(name_with(line, summary), expected, "{line}");
    }
}

#[test]
fn a_relation_is_told_after_its_thing() {
    for (line, expected) in [
        (
            "POST /#X-Amz-Target=A.DeregisterTaskFromPlannedMaintenanceWindow",
            "deregister-svc-task-from-window",
        ),
        (
            "POST /v1/quotes/createQuoteWithAutomaticallyGeneratedReference",
            "create-svc-quote-with-reference",
        ),
        (
            "GET /#Action=EnableAvailabilityZonesForLoadBalancer GET_EnableAvailabilityZonesForLoadBalancer",
            "enable-svc-zones-for-load-balancer-using-get",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}
