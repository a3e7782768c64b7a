//! One table a rule: what an operation is, and its name.

mod said_well;
mod told;

use super::*;
use toolwright_model::Method;

fn naming(line: &str, hints: NameHints<'_>) -> Naming {
    let mut cells = line.split(' ');
    let (method, path) = (cells.next().unwrap(), cells.next().unwrap());
    let mut facts = OperationFacts::new(Method::from_word(method).unwrap(), path);
    facts.operation_id = cells.next().map(str::to_owned);
    name_of(&ServiceName::new("svc").unwrap(), &facts, hints)
}

/// The name of an operation with this summary.
fn name_with(line: &str, summary: &str) -> String {
    let mut cells = line.split(' ');
    let (method, path) = (cells.next().unwrap(), cells.next().unwrap());
    let mut facts = OperationFacts::new(Method::from_word(method).unwrap(), path);
    facts.operation_id = cells.next().map(str::to_owned);
    facts.summary = Some(summary.to_owned());
    let service = ServiceName::new("svc").unwrap();
    let naming = name_of(&service, &facts, NameHints::default());
    naming.name.unwrap().to_string()
}

fn name(line: &str) -> String {
    let naming = naming(line, NameHints::default());
    naming
        .name
        .map_or_else(|error| error.to_string(), |name| name.to_string())
}

#[test]
fn resources() {
    for (line, expected) in [
        ("GET /api/v1/items", "list-svc-items"),
        ("GET /items/{id}", "get-svc-item"),
        ("POST /items", "create-svc-item"),
        ("PUT /items/{id}", "replace-svc-item"),
        ("PATCH /items/{id}", "update-svc-item"),
        ("DELETE /items/{id}", "delete-svc-item"),
        ("HEAD /items/{id}", "check-svc-item"),
        (
            "GET /projects/{id}/work-items/{id}/comments",
            "list-svc-project-work-item-comments",
        ),
        ("GET /status/leader", "get-svc-status-leader"),
        ("GET /settings", "get-svc-settings"),
        (
            "GET /projects/{id}/project-members",
            "list-svc-project-project-members",
        ),
        ("GET /users/me/keys", "list-svc-current-user-keys"),
        ("GET /svc/items", "list-svc-items"),
        ("GET /apis/batch/v2/jobs/{name}", "get-svc-batch-job-v2"),
        (
            "GET /repos/{owner}/{repo}/issues/{index}",
            "get-svc-repo-issue",
        ),
        ("GET /items/{project}-{number}", "get-svc-item-by-number"),
        ("GET /files/{id}/content.json", "get-svc-file-content"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn calls() {
    for (line, expected) in [
        ("POST /documents.info documentsInfo", "get-svc-document"),
        ("POST /documents.list documentsList", "list-svc-documents"),
        (
            "POST /documents.search documentsSearch",
            "search-svc-documents",
        ),
        ("POST /users.update usersUpdate", "update-svc-user"),
        (
            "POST /collections.add_user collectionsAddUser",
            "add-svc-collection-user",
        ),
        (
            "POST /job/{jobName}/dispatch PostJobDispatch",
            "dispatch-svc-job",
        ),
        ("POST /projects/{id}/archive", "archive-svc-project"),
        ("POST /jobs/parse", "parse-svc-jobs"),
        ("POST /orders/batch-retrieve", "get-svc-orders"),
        ("POST /v1/{name}:cancel items.cancel", "cancel-svc-item"),
        ("POST /keys/rotate/{name}", "rotate-svc-key"),
        ("GET /items/search", "search-svc-items"),
        ("GET /items/{id}/export", "get-svc-item-export"),
        ("GET /#Action=DescribeAlarms", "describe-svc-alarms"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn a_name_that_is_too_long_loses_its_furthest_parents() {
    for (line, expected) in [
        (
            "GET /workspaces/{id}/sections/projects/{id}/work-items/{id}/attachments/{id}",
            "get-svc-workspace-project-work-item-attachment",
        ),
        // the last words of a parent of three or more, if all are too long
        (
            "GET /domestic-scheduled-payment-consents/{ConsentId}/confirmation-of-all-funds",
            "list-svc-consent-confirmation-of-all-funds",
        ),
        // of a single word and its parent as much as there is room for
        (
            "GET /international-repeating-standing-invoices/{id}/attachments/{FileName}",
            "get-svc-standing-invoice-attachment-by-file",
        ),
    ] {
        let name = name(line);
        assert!(name.len() <= MAX_TOOL_NAME, "{name}");
        assert_eq!(name, expected, "{line}");
    }
    let long = "x".repeat(MAX_TOOL_NAME);
    let naming = naming(&format!("GET /{long}"), NameHints::default());
    assert!(matches!(naming.name, Err(NamingError::TooLong { .. })));
}

#[test]
fn a_name_that_is_too_long_is_that_of_the_operation_id() {
    let scope =
        "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/A.Web";
    for (line, expected) in [
        (
            "GET {scope}/sites/{name}/slots/{slot}/siteextensions Apps_ListSiteExtensionsSlot",
            "list-svc-app-site-extensions-slot",
        ),
        (
            "PUT {scope}/sites/{name}/slots/{slot}/backups Apps_CreateOrUpdateBackupSlot",
            "replace-svc-app-backup-slot",
        ),
        (
            "GET /zones/{id}/rulesets/phases/http_request_redirect/entrypoint rule-sets-list-a-rule-set",
            "list-svc-zone-http-request-redirect-entrypoints",
        ),
    ] {
        assert_eq!(name(&line.replace("{scope}", scope)), expected, "{line}");
    }
}

#[test]
fn what_the_operation_id_says_more_is_in_the_name() {
    for (line, expected) in [
        // how a word of the path is spelt
        (
            "GET /horizontalpodautoscalers/{name} readHorizontalPodAutoscaler",
            "get-svc-horizontal-pod-autoscaler",
        ),
        // the version, unless it is the first
        ("GET /v2/items listItemsV2", "list-svc-items-v2"),
        ("GET /v2/items listItems", "list-svc-items"),
        ("GET /v1/items listItemsV1", "list-svc-items"),
        // for the items of all owners
        (
            "GET /events listEventForAllNamespaces",
            "list-svc-all-events",
        ),
        // the key of an item whose name is not a plural
        ("GET /project/{id} getProjectById", "get-svc-project-by-id"),
        (
            "POST /project/{id}/rename renameProjectById",
            "rename-svc-project-by-id",
        ),
        // what of a thing is meant
        ("GET /task/ task_overview", "get-svc-task-overview"),
        // that there is another of the name
        (
            "GET /a/{id}/members/{id}/member-roles get_roles",
            "list-svc-a-member-roles",
        ),
        (
            "GET /a/{id}/members/{id}/member-roles get_roles_2",
            "list-svc-a-member-member-roles",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn many_are_listed_where_anything_says_so() {
    for (line, expected) in [
        ("GET /cluster listClusters", "list-svc-clusters"),
        ("GET /cluster queryClusterV1", "list-svc-clusters"),
        ("GET /query queryMetrics", "get-svc-query"),
        ("GET /object-list getObjectList", "get-svc-object-list"),
        ("GET /credentials readCredentials", "get-svc-credentials"),
        ("GET /credentials listCredentials", "list-svc-credentials"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
    assert_eq!(
        name("GET /cause-of-action getCausesOfAction"),
        "list-svc-cause-of-actions"
    );
    assert_eq!(
        name_with("GET /asset getAsset", "Asset collection"),
        "list-svc-assets"
    );
    assert_eq!(
        name_with("DELETE /template/", "Deletes multiple templates"),
        "delete-svc-templates"
    );
    let mut facts = OperationFacts::new(Method::Get, "/work-log");
    facts.summary = Some("Get work logs for an issue".to_owned());
    let service = ServiceName::new("svc").unwrap();
    let naming = name_of(&service, &facts, NameHints::default());
    assert_eq!(naming.name.unwrap().as_str(), "list-svc-work-logs");
}

#[test]
fn a_parameter_that_names_another_thing_is_that_thing() {
    for (line, expected) in [
        (
            "GET /stream/{video_id}/captions",
            "list-svc-stream-video-captions",
        ),
        ("GET /stream/{id}/captions", "list-svc-stream-captions"),
        ("GET /job/{jobName}", "get-svc-job"),
        (
            "PUT /files/upload_sessions/{upload_session_id}",
            "replace-svc-files-upload-session",
        ),
        (
            "POST /repos/{repo}/sync_fork/{branch}",
            "sync-svc-repo-fork-by-branch",
        ),
        (
            "GET /apis/node.k8s.io/ getNodeAPIGroup",
            "get-svc-node-api-group",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn what_is_called_is_the_verb() {
    for (line, expected) in [
        ("POST /stock/{id}/serialize", "serialize-svc-stock"),
        ("POST /labels/print labels_print_create", "print-svc-labels"),
        ("POST /books/{id}/check-in", "checkin-svc-book"),
        ("POST /stock/change_status", "update-svc-stock-status"),
        ("POST /user/{id}/set-password", "set-svc-user-password"),
        (
            "POST /certs/sign/{role} certs_sign",
            "sign-svc-certs-by-role",
        ),
        (
            "POST /keys/{id}/generate-and-download",
            "generate-svc-key-download",
        ),
        // the verb before the thing
        ("POST /lookup/entity entity-look-up", "find-svc-entity"),
        ("PUT /reconcile/summaries", "reconcile-svc-summaries"),
        (
            "POST /flows/{id}/activate/{type}/{resourceId} activateFlow",
            "activate-svc-flow-resource",
        ),
        // what undoes it
        (
            "DELETE /projects/{id}/archive unarchive_project",
            "unarchive-svc-project",
        ),
        (
            "DELETE /projects/{id}/archive",
            "delete-svc-project-archive",
        ),
        // a thing that is given or made
        ("POST /roles/{id}/tag writeRoleTag", "write-svc-role-tag"),
        (
            "POST /agents/upload_url createAgentUploadUrl",
            "create-svc-agents-upload-url",
        ),
        ("POST /pay-items createPayItem", "create-svc-pay-item"),
        // a parameter calls nothing
        (
            "PUT /meta/{model}/{lookup_value}",
            "replace-svc-meta-lookup-value",
        ),
        ("GET /login/flows getLoginFlow", "list-svc-login-flows"),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn the_text_says_what_a_method_does() {
    for (line, summary, expected) in [
        (
            "PUT /items createItems",
            "Creates items",
            "create-svc-items",
        ),
        (
            "PUT /items createOrUpdateItems",
            "Creates items",
            "replace-svc-items",
        ),
        (
            "POST /items updateOrCreateItems",
            "Updates or creates items",
            "upsert-svc-items",
        ),
        (
            "POST /items deleteItems",
            "Deletes items",
            "delete-svc-items",
        ),
        (
            "POST /users/{id}/impersonation",
            "Impersonate the user",
            "impersonate-svc-user",
        ),
        (
            "POST /files/upload_sessions post_upload_sessions",
            "Create upload session",
            "create-svc-files-upload-session",
        ),
        ("POST /config/access", "Access", "update-svc-config-access"),
        ("POST /items/bulk", "Create items", "create-svc-items"),
    ] {
        assert_eq!(name_with(line, summary), expected, "{line}");
    }
}

#[test]
fn the_words_stand_as_a_person_says_them() {
    for (line, expected) in [
        // in the order of the operation id
        ("GET /policies/acl listAclPolicies", "list-svc-acl-policies"),
        (
            "GET /policies/acl/{name} readAclPolicy",
            "get-svc-acl-policy",
        ),
        ("GET /settings/ssl getSslSetting", "get-svc-ssl-setting"),
        ("GET /policies/acl", "get-svc-policies-acl"),
        // an adjective before the thing
        ("GET /task/failed failed_list", "list-svc-failed-tasks"),
        ("GET /status/custom/{id}", "get-svc-custom-status"),
        // a kind of one thing
        ("GET /plugin/csi/{pluginID}", "get-svc-plugin-csi"),
        (
            "GET /deployment/allocations/{deploymentID}",
            "list-svc-deployment-allocations",
        ),
        // words of one form
        (
            "GET /roles/{id}/member-of listMemberOf",
            "list-svc-role-member-of",
        ),
        ("GET /creds/{name}", "get-svc-creds"),
        // additional words of the operation id
        (
            "POST /pet/{petId} updatePetWithForm",
            "update-svc-pet-with-form",
        ),
        (
            "POST /org/{org}/repos createRepoDeprecated",
            "create-svc-org-repo-deprecated",
        ),
        (
            "PATCH /devices/policy updateDefaultPolicy",
            "update-svc-devices-default-policy",
        ),
        (
            "GET /versions/{versionNumber}/users getUsersByNumber",
            "list-svc-version-users-by-number",
        ),
        (
            "GET /apis/events.example.io/v1/events",
            "list-svc-events-events",
        ),
    ] {
        assert_eq!(name(line), expected, "{line}");
    }
}

#[test]
fn the_overlay_decides_the_verb_the_noun_or_both() {
    let hints = NameHints {
        verb: Some("find"),
        noun: Some("tasks"),
    };
    let found = naming("GET /items", hints);
    assert_eq!(found.name.unwrap().as_str(), "find-svc-tasks");

    let unknown = NameHints {
        verb: Some("serch"),
        noun: None,
    };
    let similar = match naming("GET /items", unknown).name {
        Err(NamingError::UnknownVerb { similar, .. }) => similar,
        other => panic!("{other:?}"),
    };
    assert_eq!(similar, Some("search"));

    let grammar = NameHints {
        verb: None,
        noun: Some("Two words"),
    };
    let refused = naming("GET /items", grammar).name;
    assert!(matches!(refused, Err(NamingError::NounGrammar { .. })));
}

#[test]
fn the_derivation_names_what_was_left_out() {
    let steps = naming("GET /api/v2/items/{id}", NameHints::default()).derivation;
    assert_eq!(
        steps,
        [
            "`api` is left out: it is an API prefix",
            "`v2` is left out: it is a version",
            "the verb is `get`: by the method GET",
            "the noun is `item`: the resource of the path",
        ]
    );
}

#[test]
fn the_verbs_are_in_order_and_each_is_one_word() {
    assert!(VERBS.is_sorted());
    assert!(
        VERBS
            .iter()
            .all(|verb| verb.bytes().all(|b| b.is_ascii_lowercase()))
    );
}
