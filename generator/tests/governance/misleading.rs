//! Misleading operations with bodies, parameters, scopes and answers.

use toolwright_generator::internals::{
    AnswerFacts, AnswerShape, BodyFacts, OperationFacts, QueryParameterFacts, SchemaNames,
    classify, classify_all,
};
use toolwright_model::{EvidenceSource, Kind, Method, StatusPattern};

fn operation(method: Method, path: &str, id: &str, summary: &str) -> OperationFacts {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut facts = OperationFacts::new(method, path);
    facts.operation_id = text(id);
    facts.summary = text(summary);
    facts
}

fn with_body(mut facts: OperationFacts, properties: &[&str]) -> OperationFacts {
    facts.body = Some(BodyFacts {
        properties: properties.iter().map(|name| (*name).to_owned()).collect(),
        ..BodyFacts::default()
    });
    facts
}

fn with_answer(mut facts: OperationFacts, status: u16, shape: AnswerShape) -> OperationFacts {
    let has_content = shape != AnswerShape::Unknown;
    facts.answers.push(AnswerFacts {
        status: StatusPattern::Exact(status),
        description: String::new(),
        media_types: has_content
            .then(|| "application/json".to_owned())
            .into_iter()
            .collect(),
        shape,
    });
    facts
}

fn page(facts: OperationFacts, name: &str) -> OperationFacts {
    let mut facts = with_answer(facts, 200, AnswerShape::ObjectWithList);
    facts.schemas = SchemaNames {
        answer: Some(name.to_owned()),
        ..facts.schemas
    };
    facts
}

fn with_query(mut facts: OperationFacts, names: &[&str]) -> OperationFacts {
    facts.query_parameters = names
        .iter()
        .map(|name| QueryParameterFacts {
            name: (*name).to_owned(),
            required: false,
            values: Vec::new(),
        })
        .collect();
    facts
}

fn is_safe(kind: Kind) -> bool {
    kind <= Kind::Derive
}

#[test]
fn operations_that_look_like_reads_are_not() {
    let post = |path, id, summary| operation(Method::Post, path, id, summary);
    let get = |path, id, summary| operation(Method::Get, path, id, summary);
    let unsafe_ones = [
        // a derived result that is written somewhere
        with_body(
            post("/items/export", "exportItems", "Exports items"),
            &["outputConfig"],
        ),
        with_body(
            post("/items/export", "exportItems", "Exports items"),
            &["s3Bucket"],
        ),
        with_body(
            post("/items/export", "exportItems", "Exports items"),
            &["bucket", "format"],
        ),
        with_body(
            post("/items/analyze", "analyzeItems", "Analyzes items"),
            &["destination"],
        ),
        with_query(
            post("/items/export", "exportItems", "Exports items"),
            &["destinationUri"],
        ),
        post(
            "/items/export",
            "exportItems",
            "Exports items to an S3 location",
        ),
        post(
            "/files/extract",
            "extractFiles",
            "Extracts the archive into a directory",
        ),
        post(
            "/content/inspect",
            "inspectContent",
            "Inspect content and store findings to a log",
        ),
        // credentials, keys and ways in
        post(
            "/keys/export",
            "exportPrivateKey",
            "Exports the private key",
        ),
        post(
            "/keys/get",
            "getDecryptedApiKey",
            "Returns the key in decrypted form",
        ),
        post(
            "/secrets/get",
            "getSecretValue",
            "Retrieves the value of a secret",
        ),
        post(
            "/instances/get",
            "getInstanceAccess",
            "Returns temporary SSH keys you can use",
        ),
        post(
            "/domains/code",
            "retrieveDomainAuthCode",
            "Returns the authorization code",
        ),
        get(
            "/federation/sso",
            "getSignInUrl",
            "Gets a single sign-on URL for the console",
        ),
        get(
            "/users/{id}/login-link",
            "getUserLoginLink",
            "Get the login link of a user",
        ),
        get(
            "/roles/credentials",
            "getRoleCredentials",
            "Returns the short-term credentials of a role",
        ),
        // imperatives
        post("/orders/{id}/items", "", "Return all or part of an order"),
        post("/orders/{id}", "", "Return the order"),
        // enumerations
        post(
            "/accounts/batch",
            "accounts.custombatch",
            "Retrieves, inserts, updates, and deletes accounts.",
        ),
        get(
            "/accounts",
            "getAccounts",
            "Lists, creates or deletes accounts",
        ),
        post(
            "/accounts/list",
            "listAccounts",
            "List, create and delete accounts",
        ),
        // proxies and operations that a parameter names
        get(
            "/pods/{name}/proxy/{path}",
            "getPodProxy",
            "Get a pod by proxy",
        ),
        get(
            "/search/{index}/{operation}",
            "get search",
            "Performs a search",
        ),
        post(
            "/search/{index}/{operation}",
            "post search",
            "Performs a search",
        ),
        get("/devices/{id}/{command}", "getDevice", "Get a device"),
        post("/gateway/{function}", "queryGateway", "Query the gateway"),
        // archives
        post(
            "/tapes/retrieve",
            "retrieveTape",
            "Retrieves a tape from the archive to a gateway",
        ),
        post(
            "/objects/get",
            "getObject",
            "Gets an object out and restores it from the backup",
        ),
        // names of operations are not descriptions
        post(
            "/devices/microsoft.example.wipe",
            "devices.wipe",
            "Invoke action wipe",
        ),
        post("/devices/example.retire", "", "Invoke function retire"),
        post(
            "/invitations/{id}",
            "acceptInvitation",
            "Accepts an invitation and returns it",
        ),
    ];
    assert!(unsafe_ones.len() >= 30);
    for facts in unsafe_ones {
        let found = classify(&facts);
        assert!(
            !is_safe(found.kind),
            "{} {:?}: {found:#?}",
            facts.path,
            facts.summary
        );
    }
}

#[test]
fn what_ends_in_read_may_mark_as_read() {
    for path in ["/accounts/{id}/chats/{chat}/read", "/messages/read"] {
        for (id, summary) in [("", ""), ("chatRead", ""), ("chats_read", "Прочитать чат")]
        {
            let mut facts = operation(Method::Post, path, id, summary);
            facts.scopes = vec!["messenger:read".to_owned()];
            assert!(!is_safe(classify(&facts).kind), "{path} {id} {summary}");
        }
    }
}

#[test]
fn a_scope_alone_makes_no_read() {
    let mut facts = operation(Method::Post, "/orders/{id}/items", "", "");
    facts.scopes = vec!["orders.readonly".to_owned()];
    assert_eq!(classify(&facts).kind, Kind::Action);
    facts.summary = Some("Watch the items of an order".to_owned());
    facts.operation_id = Some("watchItems".to_owned());
    assert!(classify(&facts).evidence.len() > 2);
}

#[test]
fn an_answer_without_content_derives_nothing() {
    let derive = |status, shape| {
        let facts = operation(
            Method::Post,
            "/items/evaluate",
            "evaluateItems",
            "Evaluates items",
        );
        let facts = with_body(facts, &["ids"]);
        let others = operation(Method::Get, "/items", "listItems", "");
        let all = [
            with_answer(facts, status, shape),
            with_answer(others.clone(), 200, AnswerShape::Array),
            with_answer(others, 200, AnswerShape::Array),
        ];
        classify_all(&all)[0].kind
    };
    assert_eq!(derive(200, AnswerShape::Object), Kind::Derive);
    assert!(!is_safe(derive(200, AnswerShape::Unknown)));
    assert!(!is_safe(derive(204, AnswerShape::Unknown)));
}

#[test]
fn the_page_of_another_operation_is_a_read() {
    let query = ["status", "limit", "cursor"];
    let get = operation(Method::Get, "/items", "listItems", "");
    let get = with_query(page(get, "ItemPage"), &query);
    let post = operation(Method::Post, "/items/browser", "itemBrowser", "");
    let post = with_body(page(post, "ItemPage"), &query);
    let found = classify_all(&[get.clone(), post.clone()]);
    assert_eq!(found[1].kind, Kind::Read, "{found:#?}");
    let sources: Vec<_> = found[1]
        .evidence
        .iter()
        .map(|evidence| evidence.source)
        .collect();
    assert!(sources.contains(&EvidenceSource::Document));
    assert_eq!(classify(&post).kind, Kind::Action);
    // a change stays one, whatever it answers
    for (id, summary) in [
        ("resetItems", ""),
        ("itemBrowser", "Deletes the items"),
        ("createItems", ""),
    ] {
        let mut post = post.clone();
        post.operation_id = Some(id.to_owned());
        post.summary = Some(summary.to_owned());
        let found = classify_all(&[get.clone(), post]);
        assert!(!is_safe(found[1].kind), "{id} {summary}");
    }
    // a page of something else proves nothing
    let other = with_body(page(post, "OrderPage"), &query);
    assert_eq!(classify_all(&[get, other])[1].kind, Kind::Action);
}

#[test]
fn functions_of_a_protocol_are_reads() {
    for (path, id, summary) in [
        (
            "/users/example.graph.delta()",
            "users.delta",
            "Invoke function delta",
        ),
        (
            "/users/{id}/example.graph.reminderView(Start='{Start}',End='{End}')",
            "reminderView",
            "Invoke function reminderView",
        ),
        (
            "/users/$count",
            "users.GetCount",
            "Get the number of the resource",
        ),
        ("/users/{id}/messages/$count", "", ""),
    ] {
        let found = classify(&operation(Method::Get, path, id, summary));
        assert_eq!(found.kind, Kind::Read, "{path}: {found:#?}");
    }
    for (path, id, summary) in [
        (
            "/users/example.graph.getByIds",
            "users.getByIds",
            "Invoke action getByIds",
        ),
        (
            "/users/{id}/example.checkMemberGroups",
            "users.checkMemberGroups",
            "Check for membership in groups",
        ),
        (
            "/v1/{resource}:testIamPermissions",
            "projects.testIamPermissions",
            "",
        ),
        ("/policies/isAuthorized", "isAuthorized", ""),
    ] {
        let found = classify(&with_body(
            operation(Method::Post, path, id, summary),
            &["ids"],
        ));
        assert!(is_safe(found.kind), "{path}: {found:#?}");
    }
}
