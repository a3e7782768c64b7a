//! Sequences of calls over a real local service.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    extract::{Path, State},
    routing::{get, post},
};
use serde_json::{Value, json};
use toolwright::testing::TestView;

use crate::world::{World, code};

/// The requests that the service has received.
type Received = Arc<Mutex<Vec<String>>>;

async fn item(State(received): State<Received>, Path(id): Path<String>) -> Json<Value> {
    received.lock().unwrap().push(format!("GET {id}"));
    Json(json!({"id": id, "price": 7, "parts": ["a", "b"]}))
}

async fn order(State(received): State<Received>, Json(body): Json<Value>) -> Json<Value> {
    received.lock().unwrap().push(format!("POST {body}"));
    Json(json!({"order": 1}))
}

/// Starts the service, and returns its URL and its record.
async fn service() -> (String, Received) {
    let received = Received::default();
    let router = Router::new()
        .route("/items/{id}", get(item))
        .route("/orders", post(order))
        .with_state(Arc::clone(&received));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, received)
}

fn get_item(url: &str) -> String {
    format!(
        "name = \"get-shop-item\"\nline = \"Gets an item.\"\ncategory = \"observe\"\n\
         [arguments.item]\ntype = \"string\"\ndescription = \"The item.\"\n\
         [scope.allowed_items]\ncheck = \"pattern\"\nargument = \"item\"\n\
         [http]\nmethod = \"GET\"\nbase_url = \"{url}\"\npath = \"/items/{{item}}\"\n"
    )
}

fn write_order(url: &str, effect: &str) -> String {
    format!(
        "name = \"place-shop-order\"\nline = \"Orders an item.\"\ncategory = \"execute\"\neffect = \"{effect}\"\n\
         [arguments.item]\ntype = \"string\"\ndescription = \"The item.\"\n\
         [arguments.price]\ntype = \"integer\"\ndescription = \"The price.\"\n\
         [scope.allowed_orders]\ncheck = \"pattern\"\nargument = \"item\"\noptional = true\n\
         [http]\nmethod = \"POST\"\nbase_url = \"{url}\"\npath = \"/orders\"\nbody = {{ item = \"{{item}}\", price = \"{{price}}\" }}\n"
    )
}

fn reorder(effect: &str) -> String {
    format!(
        "name = \"reorder-shop-item\"\nline = \"Orders an item again.\"\ncategory = \"execute\"\neffect = \"{effect}\"\n\
         returns = {{ order = \"{{{{order#/order}}}}\", price = \"{{{{found#/price}}}}\" }}\n\
         [arguments.wanted]\ntype = \"string\"\ndescription = \"The item.\"\n\
         [scope.allowed_reorders]\ncheck = \"pattern\"\nargument = \"wanted\"\n\
         [[steps]]\nid = \"found\"\ntool = \"get-shop-item\"\narguments = {{ item = \"{{{{wanted}}}}\" }}\n\
         [[steps]]\nid = \"order\"\ntool = \"place-shop-order\"\n\
         arguments = {{ item = \"{{{{found#/id}}}}\", price = \"{{{{found#/price}}}}\" }}\n"
    )
}

const POLICY: &str = r#"
[roles.clerk]
profiles = ["own"]
[profiles.own]
tools = ["service:shop"]
[[profiles.own.scopes]]
allowed_items = ["[a-z]+"]
[[profiles.own.scopes]]
allowed_reorders = ["[a-q]+"]
"#;

async fn run(view: &TestView, item: &str) -> Result<Value, toolwright::ToolError> {
    view.call("reorder-shop-item", json!({"wanted": item}))
        .await
}

pub(crate) async fn each_step_is_a_call_of_the_caller() {
    let (url, received) = service().await;
    let world = World::new(&[]);
    let tools = [
        get_item(&url),
        write_order(&url, "update"),
        reorder("update"),
    ];
    let tools: Vec<_> = tools.iter().map(String::as_str).collect();
    let view = world.view(&tools, POLICY);
    let result = run(&view, "lamp").await.unwrap();
    assert_eq!(
        result,
        json!({"result": {"order": 1, "price": 7}, "calls": 2})
    );
    let requests = received.lock().unwrap().clone();
    assert_eq!(
        requests,
        ["GET lamp", "POST {\"item\":\"lamp\",\"price\":7}"]
    );
    let events: Vec<Value> = view
        .events()
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    let of = |tool: &str| -> Vec<&Value> {
        events
            .iter()
            .filter(|event| event["tool"] == tool)
            .collect()
    };
    let own = of("reorder-shop-item")[0]["correlation_id"].clone();
    assert!(own.is_string());
    for step in ["get-shop-item", "place-shop-order"] {
        let calls = of(step);
        assert!(!calls.is_empty());
        assert!(calls.iter().all(|event| event["parent"] == own), "{step}");
    }
}

pub(crate) async fn the_steps_decide_who_is_offered_it() {
    let (url, received) = service().await;
    let world = World::new(&[]);
    let tools = [
        get_item(&url),
        write_order(&url, "update"),
        reorder("update"),
    ];
    let tools: Vec<_> = tools.iter().map(String::as_str).collect();
    let granted = |names: &str| POLICY.replace("[\"service:shop\"]", names);
    for names in [
        "[\"get-shop-item\", \"reorder-shop-item\"]",
        "[\"place-shop-order\", \"reorder-shop-item\"]",
        "[\"reorder-shop-item\"]",
        "[\"get-shop-item\", \"place-shop-order\"]",
    ] {
        let policy = granted(names).replace(
            "[[profiles.own.scopes]]\nallowed_reorders = [\"[a-q]+\"]",
            "",
        );
        let policy = match names.contains("get-shop") {
            true => policy,
            false => policy.replace("[[profiles.own.scopes]]\nallowed_items = [\"[a-z]+\"]", ""),
        };
        let view = world.view(&tools, &policy);
        assert!(
            !view.names().contains(&"reorder-shop-item".to_owned()),
            "{names}"
        );
        assert_eq!(
            code(&run(&view, "lamp").await),
            "tool_not_permitted",
            "{names}"
        );
    }
    assert!(received.lock().unwrap().is_empty());
    let all = world.view(&tools, POLICY);
    assert!(all.names().contains(&"reorder-shop-item".to_owned()));
    // Its own scope parameter refuses, and so does its absence.
    assert_eq!(code(&run(&all, "zebra").await), "scope_violation");
    let unset = POLICY.replace("allowed_reorders = [\"[a-q]+\"]", "rate = \"9/minute\"");
    assert_eq!(
        code(&run(&world.view(&tools, &unset), "lamp").await),
        "scope_missing"
    );
    assert!(received.lock().unwrap().is_empty());
}

pub(crate) async fn a_step_out_of_scope_ends_it() {
    let (url, received) = service().await;
    let world = World::new(&[]);
    let tools = [
        get_item(&url),
        write_order(&url, "update"),
        reorder("update"),
    ];
    let tools: Vec<_> = tools.iter().map(String::as_str).collect();
    let narrow = format!("{POLICY}[[profiles.own.scopes]]\nallowed_orders = [\"chair\"]\n");
    let view = world.view(&tools, &narrow);
    let error = run(&view, "lamp").await.unwrap_err();
    assert_eq!(error.code(), "scope_violation");
    assert!(error.to_string().contains("`order`"), "{error}");
    assert_eq!(*received.lock().unwrap(), ["GET lamp"]);
}

pub(crate) async fn a_step_that_needs_an_approval_waits() {
    let (url, received) = service().await;
    let world = World::new(&[]);
    let tools = [
        get_item(&url),
        write_order(&url, "action"),
        reorder("action"),
    ];
    let tools: Vec<_> = tools.iter().map(String::as_str).collect();
    let view = world.view(&tools, POLICY);
    assert_eq!(code(&run(&view, "lamp").await), "approval_required");
    assert_eq!(*received.lock().unwrap(), ["GET lamp"]);
    assert_eq!(view.approve().await.unwrap(), 1);
    assert_eq!(run(&view, "lamp").await.unwrap()["result"]["order"], 1);
    assert_eq!(received.lock().unwrap().len(), 3);
}

pub(crate) async fn a_class_that_needs_an_approval_waits() {
    let (url, received) = service().await;
    let world = World::new(&[]);
    let tools = [
        get_item(&url),
        write_order(&url, "update"),
        reorder("action"),
    ];
    let tools: Vec<_> = tools.iter().map(String::as_str).collect();
    let view = world.view(&tools, POLICY);
    assert_eq!(code(&run(&view, "lamp").await), "approval_required");
    assert!(received.lock().unwrap().is_empty());
    assert_eq!(view.approve().await.unwrap(), 1);
    assert_eq!(run(&view, "lamp").await.unwrap()["result"]["order"], 1);
}
