//! A server of GraphQL Yoga: queries, mutations, pages, unions, errors and partial results, through the
//! gates and with the audit.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};
use toolwright::{error::Done, pages};
use toolwright_generator::{
    generate::{self, Input, Options},
    load::Memory,
};
use toolwright_tests::real::{Real, RealService};

use crate::{desk::Desk, plain::Plain};

const SERVER: RealService = RealService {
    name: "server",
    port: 18731,
    path: "/schema",
    patience: Duration::from_secs(60),
};

/// The overlay of the service.
const OVERLAY: &str = "
[graphql]
scalars = { Labels = \"object\" }
";

/// An overlay with written operations.
const WRITTEN: &str = "
[graphql]
operations = [\"operations.graphql\"]
";

/// Written operations: aliases, fragments, variables with defaults, a union.
const OPERATIONS: &str = "
# The titles of some notes, and whatever has a word.
query Overview($most: Int = 3, $word: String!, $withAuthor: Boolean = false) {
  latest: notes(first: $most) { edges { node { ...Parts } } }
  hits: search(word: $word) { __typename ... on Thing { id } ... on Author { name } }
}
fragment Parts on Note { title author @include(if: $withAuthor) { name } }
";

fn generate(schema: &str, overlay: &str) -> Vec<toolwright::ToolSpec> {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let files = [
        file("schema.graphql", schema),
        file("overlay.toml", overlay),
        file("operations.graphql", OPERATIONS),
    ];
    let input = Input::new("schema.graphql")
        .service("board")
        .overlay("overlay.toml");
    let outcome = generate::run(&[input], Options::default(), &Memory(BTreeMap::from(files)));
    let catalog = outcome.catalog;
    let catalog = catalog.unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    catalog.tool_specs()
}

#[tokio::test]
async fn a_graphql_server_is_used_through_the_gates() {
    let Some(real) = Real::if_enabled_with("graphql") else {
        return;
    };
    let started = real.start(SERVER).unwrap();
    let plain = Plain::new(SERVER.url());
    let (_, schema) = plain.send(reqwest::Method::GET, "/schema", None).await;
    let specs = generate(&schema, OVERLAY);
    let names: BTreeSet<_> = specs.iter().map(|spec| spec.name.to_string()).collect();
    let expected = [
        "create-board-note",
        "delete-board-note",
        "get-board-note",
        "list-board-notes",
    ];
    for name in expected {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    let searches = names.iter().any(|name| name.starts_with("search-board"));
    assert!(searches, "{names:?}");
    for spec in specs
        .iter()
        .filter(|spec| spec.name.as_str().contains("list-board"))
    {
        assert_eq!(spec.effect, toolwright_model::Effect::Read, "{spec:?}");
    }
    let desk = Desk::new("board", &format!("{}/graphql", SERVER.url()), specs);
    reads(&desk).await;
    changes(&desk, &plain).await;
    failures(&desk, &plain).await;
    let (_, seen) = plain.get("/seen").await;
    let request = &seen["requests"][0];
    assert!(
        request["accept"]
            .as_str()
            .unwrap()
            .contains("application/graphql-response+json")
    );
    assert_eq!(request["type"], "application/json");

    let written = generate(&schema, WRITTEN);
    let desk = Desk::new("board", &format!("{}/graphql", SERVER.url()), written);
    let answer = desk.call("Overview", json!({"word": "Ida"})).await.unwrap();
    assert_eq!(
        answer.value["latest"]["edges"][0]["node"],
        json!({"title": "Note 1"})
    );
    assert_eq!(answer.value["latest"]["edges"].as_array().unwrap().len(), 3);
    let author = json!([{"__typename": "Author", "id": "a1", "name": "Ida"}]);
    assert_eq!(answer.value["hits"], author);
    let arguments = json!({"word": "Ida", "most": 1, "withAuthor": true});
    let answer = desk.call("Overview", arguments).await.unwrap();
    let node = &answer.value["latest"]["edges"][0]["node"];
    assert_eq!(node["author"]["name"], "Ida");
    drop(started);
}

async fn reads(desk: &Desk) {
    let note = desk.call("note", json!({"id": "1"})).await.unwrap().value;
    assert_eq!(note["note"]["title"], "Note 1");
    assert_eq!(note["note"]["labels"], json!({"weight": 1}));
    assert_eq!(note["note"]["author"], json!({"id": "a1", "name": "Ida"}));
    assert!(note.get("errors").is_none());
    let none = desk.call("note", json!({"id": "nothing"})).await.unwrap();
    assert_eq!(none.value, json!({"note": null}));

    // Arguments are variables: none of them becomes a part of the operation.
    let hostile = "1\") { id } broken note(id: \"2";
    let none = desk.call("note", json!({"id": hostile})).await.unwrap();
    assert_eq!(none.value, json!({"note": null}));

    let hits = desk.call("search", json!({"word": "Ida"})).await.unwrap();
    let author = json!([{"__typename": "Author", "id": "a1", "name": "Ida"}]);
    assert_eq!(hits.value["search"], author);

    let missing = desk.call("note", json!({})).await.unwrap_err();
    assert_eq!(missing.code(), "invalid_arguments");
    all_pages(desk).await;
}

async fn all_pages(desk: &Desk) {
    let mut titles = Vec::new();
    let mut arguments = json!({});
    for _ in 0..10 {
        let page = desk.call("notes", arguments.clone()).await.unwrap();
        for edge in page.value["notes"]["edges"].as_array().unwrap() {
            titles.push(edge["node"]["title"].as_str().unwrap().to_owned());
        }
        match page.next {
            pages::Continuation::With(next) => arguments.as_object_mut().unwrap().extend(next),
            _ => break,
        }
    }
    assert_eq!(titles, ["Note 1", "Note 2", "Note 3", "Note 4", "Note 5"]);
}

async fn changes(desk: &Desk, plain: &Plain) {
    let input = json!({"input": {"title": "Sixth", "labels": {"weight": 9}}});
    let made = desk.call_approved("createNote", input).await.unwrap();
    let note = &made.value["createNote"]["note"];
    assert_eq!(
        (&note["title"], &note["colour"]),
        (&json!("Sixth"), &json!("BLUE"))
    );
    let bad = json!({"input": {"title": "Sixth", "colour": "GREEN"}});
    let refused = desk.call("createNote", bad).await.unwrap_err();
    assert_eq!(refused.code(), "invalid_arguments");
    let id = note["id"].clone();
    let deleted = desk.call_approved("deleteNote", json!({"id": id})).await;
    assert_eq!(deleted.unwrap().value, json!({"deleteNote": true}));
    let query = json!({"query": "{ notes { totalCount } }"});
    let (_, counted) = plain
        .send(reqwest::Method::POST, "/graphql", Some(&query))
        .await;
    let counted: Value = serde_json::from_str(&counted).unwrap();
    assert_eq!(counted["data"]["notes"]["totalCount"], 5);
}

async fn failures(desk: &Desk, plain: &Plain) {
    // A part that is missing is reported in the result.
    let partial = desk.call("note", json!({"id": "2"})).await.unwrap().value;
    assert_eq!(partial["note"]["title"], "Note 2");
    assert_eq!(partial["note"]["secretPart"], Value::Null);
    let error = json!({
        "message": "you may not read this part",
        "path": ["note", "secretPart"],
        "code": "FORBIDDEN",
    });
    assert_eq!(partial["errors"], json!([error]));

    // An error without data is a failure, although the status is 200.
    let broken = desk.call("broken", json!({})).await.unwrap_err();
    assert_eq!(
        (broken.code(), broken.status()),
        ("service_error", Some(200))
    );
    assert!(
        broken.to_string().contains("the board is closed"),
        "{broken}"
    );
    let masked = desk.call("brokenWithStack", json!({})).await.unwrap_err();
    assert!(!masked.to_string().contains("board.js"), "{masked}");

    // A mutation that was executed and failed may have changed something.
    let late = desk.call("failLate", json!({})).await;
    let late = match late {
        Err(toolwright::ToolError::ApprovalRequired { .. }) => {
            desk.call_approved("failLate", json!({})).await.unwrap_err()
        }
        late => late.unwrap_err(),
    };
    assert_eq!(
        (late.code(), late.done()),
        ("service_error", Some(Done::Unknown))
    );
    assert!(!late.is_retryable());
    let (_, seen) = plain.get("/seen").await;
    assert_eq!(seen["late"], 1);
    let events = desk.audit.events();
    let mut calls = events.iter().filter_map(|event| event.call.as_ref());
    assert!(calls.any(|call| call.tool == "get-board-note"));
}
