//! The examples of the rules, and the page that is made from them.

use std::{fmt::Write, path::Path};

use expect_test::expect_file;
use toolwright_model::{Method, StatusPattern};

use super::{
    rule::{Apply, Rule},
    rules::RULES,
    verb::{Does, METHODS, VerbForm, VerbRow},
    *,
};
use crate::language::facts::{AnswerFacts, AnswerShape, QueryParameterFacts};

/// Returns the name of an operation: method, path and operation id, and the summary.
fn name(line: &str, summary: &str) -> String {
    let mut cells = line.split(' ');
    let (method, path) = (cells.next().unwrap(), cells.next().unwrap());
    let mut facts = OperationFacts::new(Method::from_word(method).unwrap(), path);
    facts.operation_id = cells.next().map(str::to_owned);
    facts.summary = Some(summary.to_owned()).filter(|summary| !summary.is_empty());
    let service = ServiceName::new("svc").unwrap();
    let naming = name_of(&service, &facts, NameHints::default());
    let name = naming.name.map(|name| name.to_string());
    name.unwrap_or_else(|error| error.to_string())
}

#[test]
fn every_example_of_a_rule_has_its_name() {
    let mut wrong = Vec::new();
    for Rule { id, examples, .. } in RULES {
        assert!(!examples.is_empty(), "{id}");
        for (line, summary, expected) in *examples {
            let found = name(line, summary);
            if found != *expected {
                wrong.push(format!(
                    "{id}: {line} [{summary}] is {found}, not {expected}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The operation ids are those that Django REST framework gives.
#[test]
fn all_operations_of_a_framework_on_a_thing_have_the_same_noun() {
    for (line, expected) in [
        (
            "GET /dcim/console-ports dcim_console_ports_list",
            "list-svc-dcim-console-ports",
        ),
        (
            "POST /dcim/console-ports dcim_console_ports_create",
            "create-svc-dcim-console-port",
        ),
        (
            "PATCH /dcim/console-ports dcim_console_ports_bulk_partial_update",
            "update-svc-dcim-console-ports",
        ),
        (
            "GET /dcim/console-ports/{id} dcim_console_ports_retrieve",
            "get-svc-dcim-console-port",
        ),
        (
            "PUT /dcim/console-ports/{id} dcim_console_ports_update",
            "update-svc-dcim-console-port",
        ),
        (
            "PATCH /dcim/console-ports/{id} dcim_console_ports_partial_update",
            "update-svc-dcim-console-port",
        ),
        (
            "DELETE /dcim/console-ports/{id} dcim_console_ports_destroy",
            "delete-svc-dcim-console-port",
        ),
        (
            "DELETE /dcim/console-ports/{id} dcim_console_ports_delete",
            "delete-svc-dcim-console-port",
        ),
        (
            "PATCH /push_notifications/{id} push_notifications_partial_update",
            "update-svc-push-notification",
        ),
    ] {
        assert_eq!(name(line, ""), expected, "{line}");
    }
}

#[test]
fn the_rules_have_names_of_their_own() {
    let mut ids = rule_ids();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}

#[test]
fn a_query_parameter_is_a_key_if_a_text_has_it_after_by() {
    let asked = |query: &str| {
        let line = format!("GET /gifs?{query}");
        let mut facts = facts_with(&line, None, AnswerShape::Array, None);
        facts.operation_id = Some("getGifsByTag".to_owned());
        name_of_facts(&facts)
    };
    assert_eq!(asked("tags"), "list-svc-gifs-by-tag");
    assert_eq!(asked("limit"), "list-svc-gifs");
}

/// Returns the name of an operation with this body and this answer.
fn name_with(line: &str, body: Option<&str>, shape: AnswerShape, answer: Option<&str>) -> String {
    name_of_facts(&facts_with(line, body, shape, answer))
}

/// Returns the name of an operation.
fn name_of_facts(facts: &OperationFacts) -> String {
    let service = ServiceName::new("svc").unwrap();
    let naming = name_of(&service, facts, NameHints::default());
    naming.name.unwrap().to_string()
}

/// Returns the facts of an operation with this body and this answer.
fn facts_with(
    line: &str,
    body: Option<&str>,
    shape: AnswerShape,
    answer: Option<&str>,
) -> OperationFacts {
    let (method, rest) = line.split_once(' ').unwrap();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut facts = OperationFacts::new(Method::from_word(method).unwrap(), path);
    facts.schemas.body = body.map(str::to_owned);
    facts.schemas.answer = answer.map(str::to_owned);
    facts.answers.push(AnswerFacts {
        status: StatusPattern::Exact(200),
        description: String::new(),
        media_types: Vec::new(),
        shape,
    });
    facts
        .query_parameters
        .extend((!query.is_empty()).then(|| QueryParameterFacts {
            name: query.to_owned(),
            required: true,
            values: Vec::new(),
        }));
    facts
}

#[test]
fn texts_decide_between_one_and_many() {
    // the plural of another thing's items
    assert_eq!(
        name(
            "GET /permissions/{id}",
            "Returns the permissions for an issuer."
        ),
        "list-svc-permissions"
    );
    assert_eq!(
        name(
            "GET /permissions/{id}",
            "Returns the permission of an issuer."
        ),
        "get-svc-permission"
    );
    // a plural that is one thing
    assert_eq!(
        name("GET /alert-settings/{id}", "Get alert settings"),
        "get-svc-alert-settings"
    );
    assert_eq!(
        name("GET /alert-settings/{id}", "Get an alert setting"),
        "get-svc-alert-setting"
    );
}

#[test]
fn coordinates_are_keys() {
    for (path, expected) in [
        ("/parcels/{x}/{y}/owners", "list-svc-parcel-owners"),
        ("/points/{lon},{lat}/assets", "list-svc-point-assets"),
        ("/teams/{id}/{user}/keys", "list-svc-team-user-keys"),
    ] {
        assert_eq!(name(&format!("GET {path}"), ""), expected, "{path}");
    }
}

#[test]
fn what_is_related_by_a_participle_keeps_its_form() {
    let line = "GET /roles/{id}/used_by";
    assert_eq!(
        name_with(line, None, AnswerShape::Array, None),
        "list-svc-role-used-by"
    );
}

#[test]
fn the_summary_has_the_thing_of_a_path_of_keys() {
    for (line, summary, expected) in [
        ("GET /{id}", "Retrieve a sensor", "get-svc-sensor"),
        ("PUT /{id}", "Update a sensor", "update-svc-sensor"),
        ("DELETE /{id}", "", "delete-svc-id"),
    ] {
        assert_eq!(name(line, summary), expected, "{line} [{summary}]");
    }
}

#[test]
fn a_text_about_many_at_once_makes_a_plural() {
    let mut facts = facts_with(
        "PATCH /pools",
        Some("BulkBody_PoolBody_"),
        AnswerShape::Object,
        None,
    );
    facts.operation_id = Some("bulk_pools".to_owned());
    facts.summary = Some("Bulk Pools".to_owned());
    assert_eq!(name_of_facts(&facts), "update-svc-pools");
}

#[test]
fn a_slash_between_verbs_is_a_conjunction() {
    for summary in ["Add/update a note", "Add / update a note"] {
        assert_eq!(name("POST /notes", summary), "upsert-svc-note", "{summary}");
    }
}

#[test]
fn words_without_meaning_before_information_are_left_out_first() {
    assert_eq!(
        name(
            "GET /contact-subscription-excluded-items/entity-information",
            ""
        ),
        "get-svc-contact-subscription-excluded-item-info"
    );
}

#[test]
fn schemas_and_parameters_decide_between_one_and_many() {
    let object = AnswerShape::Object;
    let get = |line, answer| name_with(line, None, object, answer);
    assert_eq!(get("GET /vehicles", Some("Vehicle")), "get-svc-vehicle");
    assert_eq!(get("GET /vehicles", Some("Vehicles")), "list-svc-vehicles");
    assert_eq!(get("GET /jobs?jobId", None), "get-svc-job");
    assert_eq!(get("GET /jobs?status", None), "list-svc-jobs");
    let many = |line| name_with(line, None, AnswerShape::Array, None);
    assert_eq!(many("GET /rookies/{season}"), "list-svc-rookies-by-season");
    assert_eq!(many("GET /rookies/{id}"), "get-svc-rookie");
    let page = AnswerShape::ObjectWithList;
    let list = |line, answer, element| {
        let mut facts = facts_with(line, None, page, answer);
        facts.schemas.element = Some(String::from(element));
        name_of_facts(&facts)
    };
    let hosts = list("GET /vm/host", Some("HostListResponse"), "HostSummary");
    assert_eq!(hosts, "list-svc-vm-hosts");
    let host = list("GET /vm/host", Some("HostResponse"), "HostSummary");
    assert_eq!(host, "get-svc-vm-host");
    let add = |body| name_with("POST /filters", body, object, None);
    assert_eq!(add(Some("asset_filter")), "create-svc-filter");
}

#[test]
fn usual_abbreviations_come_before_the_loss_of_a_selected_parent() {
    let name = |path: &str| name(&format!("GET {path}"), "");
    assert_eq!(
        name("/organizations/{id}/environment-configurations/{id}"),
        "get-svc-organization-environment-configuration"
    );
    assert_eq!(
        name("/workspaces/{id}/environment-application-configurations/{id}"),
        "get-svc-workspace-environment-app-configuration"
    );
}

#[test]
fn clear_abbreviations_come_before_the_loss_of_a_part_of_the_nearest_parent() {
    let name = |path: &str, summary: &str| name(&format!("GET {path}"), summary);
    // two clear abbreviations lose less than `life` or `certificate`
    assert_eq!(
        name(
            "/life-insurance-policy-documents/{id}/signature-requests/{id}",
            ""
        ),
        "get-svc-life-insurance-policy-doc-signature-req"
    );
    // a parent of which the summary says nothing is left out
    let path = "/customers/{id}/accommodation-reservation-requests/{id}";
    assert_eq!(
        name(path, "Get a request"),
        "get-svc-accommodation-reservation-request"
    );
    assert_eq!(
        name(path, "Get a request of a customer"),
        "get-svc-cust-accommodation-reservation-request"
    );
}

#[test]
fn a_list_of_one_object_gets_it() {
    let name = |shape| {
        let mut facts = OperationFacts::new(Method::Get, "/version");
        facts.summary = Some("List the version".to_owned());
        facts.answers.push(AnswerFacts {
            status: StatusPattern::Exact(200),
            description: String::new(),
            media_types: Vec::new(),
            shape,
        });
        let service = ServiceName::new("svc").unwrap();
        let naming = name_of(&service, &facts, NameHints::default());
        naming.name.unwrap().to_string()
    };
    assert_eq!(name(AnswerShape::Object), "get-svc-version");
    assert_eq!(name(AnswerShape::Array), "list-svc-versions");
}

/// The sections of the page, with the rules of each.
type Section = (&'static str, fn(&Apply) -> bool);

const SECTIONS: [Section; 4] = [
    ("The path", |apply| matches!(apply, Apply::Path(_))),
    ("The steps", |apply| matches!(apply, Apply::Shape(_))),
    ("The verb", |apply| matches!(apply, Apply::Verb(_))),
    ("The noun", |apply| {
        matches!(apply, Apply::Choice(_) | Apply::Noun(_))
    }),
];

/// Returns the tables of rules.
fn tables() -> String {
    let mut text = String::new();
    for (title, of) in SECTIONS {
        let _ = write!(text, "### {title}\n\n| rule | | example |\n|---|---|---|\n");
        for rule in RULES.iter().filter(|rule| of(&rule.apply)) {
            let examples = rule.examples.iter().map(|(line, summary, name)| {
                let mut cells = line.splitn(3, ' ');
                let mut call = || cells.next().unwrap_or_default().to_owned();
                let (method, path, id) = (call(), call(), call());
                let told = [id.as_str(), summary]
                    .into_iter()
                    .filter(|told| !told.is_empty());
                let told: Vec<String> = told.map(|told| format!("`{told}`")).collect();
                let with = if told.is_empty() {
                    String::new()
                } else {
                    format!(" with {}", told.join(", "))
                };
                format!("`{method} {path}`{with} → `{name}`")
            });
            let examples: Vec<String> = examples.collect();
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                rule.id,
                rule.says,
                examples.join("<br>")
            );
        }
        text.push('\n');
    }
    text
}

/// Returns the table of the verbs of methods.
fn methods() -> String {
    let mut text = String::from("| method | verb |\n|---|---|\n");
    let mut rows = METHODS.iter().peekable();
    while let Some(first) = rows.next() {
        let mut verbs = vec![of_row(first)];
        while let Some(next) = rows.next_if(|row| row.method == first.method) {
            verbs.push(of_row(next));
        }
        let method = first.method.map_or("others", Method::word);
        let _ = writeln!(text, "| {method} | {} |", verbs.join(", or else "));
    }
    text
}

/// Returns the verb of a row and its condition.
fn of_row(row: &VerbRow) -> String {
    let form = match row.form {
        VerbForm::Many => " for many things",
        VerbForm::Item => " for one item",
        VerbForm::Settings => " for settings",
        VerbForm::Single => " for one thing",
        VerbForm::Any => "",
    };
    let does = match row.does {
        Does::Gets => " if it reads and the text gets something",
        Does::Reads => " if it reads",
        Does::Creates => " if it only creates",
        Does::Replaces => " if a text replaces",
        Does::Asks => " if it acts but the text gets something",
        Does::Runs => " if it acts without a body",
        Does::Acts => " if it acts",
        Does::Switches => " if it does one of two opposites",
        Does::Any => "",
    };
    format!("`{}`{form}{does}", row.verb)
}

/// Compares the tables of the page with those of the rules, or rewrites them.
#[test]
fn the_page_about_names_has_every_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/names.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let page = with_part(&page, "<!-- rules -->\n", &tables());
    let page = with_part(&page, "<!-- methods -->\n", &methods());
    expect_file![path].assert_eq(&page);
}

/// Replaces the part of a page between a mark and the next `<!-- end -->`.
fn with_part(page: &str, mark: &str, part: &str) -> String {
    const END: &str = "<!-- end -->";
    let (before, rest) = page.split_once(mark).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    format!("{before}{mark}\n{}\n\n{END}{after}", part.trim_end())
}
