//! A service with the contexts of a platform, in memory.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State},
    http::{StatusCode, header::AUTHORIZATION},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The token of the service.
pub(crate) const TOKEN: &str = "ctx-0123456789";

/// The time of everything.
const NOW: &str = "2026-03-14T09:26:53Z";

/// A context with its facts.
#[derive(Clone)]
struct Context {
    fields: Value,
    facts: BTreeMap<String, Value>,
}

#[derive(Clone, Default)]
struct Contexts(Arc<Mutex<BTreeMap<String, Context>>>);

#[derive(Deserialize)]
struct Page {
    state: Option<String>,
    limit: Option<usize>,
    cursor: Option<usize>,
}

#[derive(Deserialize)]
struct Prefix {
    prefix: Option<String>,
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

/// The reason why there is no answer.
struct Refusal(StatusCode, &'static str);

type Answer = Result<Response, Refusal>;

/// Starts the service. Returns its address.
pub(crate) async fn start() -> SocketAddr {
    let app = Router::new()
        .route("/v1/contexts", get(list).post(create))
        .route("/v1/contexts/{id}", get(read).patch(update))
        .route("/v1/contexts/{id}/close", post(close))
        .route("/v1/contexts/{id}/facts", get(list_facts))
        .route(
            "/v1/contexts/{id}/facts/{key}",
            get(read_fact).put(set_fact).delete(delete_fact),
        )
        .route("/v1/systems", get(list_systems))
        .route("/v1/systems/{name}", get(read_system))
        .layer(from_fn(authenticate))
        .with_state(Contexts::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

async fn authenticate(request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION);
    if given.is_some_and(|given| given == &format!("Bearer {TOKEN}")) {
        return next.run(request).await;
    }
    Refusal(StatusCode::UNAUTHORIZED, "unauthorized").into_response()
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Self(status, code) = self;
        let body = json!({"code": code, "message": format!("the request failed: {code}")});
        (status, Json(body)).into_response()
    }
}

const NOT_FOUND: Refusal = Refusal(StatusCode::NOT_FOUND, "not_found");

impl Contexts {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Context>> {
        self.0.lock().unwrap()
    }

    /// Changes an open context.
    fn change(&self, id: &str, change: impl FnOnce(&mut Context) -> Answer) -> Answer {
        let mut all = self.all();
        let context = all.get_mut(id).ok_or(NOT_FOUND)?;
        if context.fields["state"] == "closed" {
            return Err(Refusal(StatusCode::CONFLICT, "closed"));
        }
        change(context)
    }
}

impl Context {
    fn shown(&self) -> Value {
        let mut shown = self.fields.clone();
        shown["facts"] = self.facts.len().into();
        shown
    }

    fn answer(&self) -> Answer {
        Ok(Json(self.shown()).into_response())
    }
}

async fn list(State(contexts): State<Contexts>, Query(page): Query<Page>) -> Response {
    let all = contexts.all();
    let wanted = |context: &&Context| {
        page.state
            .as_ref()
            .is_none_or(|state| context.fields["state"] == *state)
    };
    let found: Vec<Value> = all.values().filter(wanted).map(Context::shown).collect();
    let (start, limit) = (page.cursor.unwrap_or(0), page.limit.unwrap_or(20));
    let next = (start + limit < found.len()).then(|| (start + limit).to_string());
    let contexts: Vec<Value> = found.into_iter().skip(start).take(limit).collect();
    Json(json!({"contexts": contexts, "next_cursor": next})).into_response()
}

async fn create(State(contexts): State<Contexts>, Json(new): Json<Value>) -> Response {
    if new["title"].as_str().is_none_or(str::is_empty) {
        return Refusal(StatusCode::UNPROCESSABLE_ENTITY, "invalid").into_response();
    }
    let mut all = contexts.all();
    let id = format!("00000000-0000-4000-8000-{:012}", all.len());
    let fields = json!({
        "id": id, "title": new["title"], "work_item": new["work_item"],
        "summary": new["summary"].as_str().unwrap_or_default(), "state": "open", "created_at": NOW,
    });
    let context = Context {
        fields,
        facts: BTreeMap::new(),
    };
    let shown = context.shown();
    all.insert(id, context);
    (StatusCode::CREATED, Json(shown)).into_response()
}

async fn read(State(contexts): State<Contexts>, Path(id): Path<String>) -> Answer {
    contexts.all().get(&id).ok_or(NOT_FOUND)?.answer()
}

async fn update(
    State(contexts): State<Contexts>,
    Path(id): Path<String>,
    Json(changes): Json<Value>,
) -> Answer {
    contexts.change(&id, |context| {
        for (key, value) in changes.as_object().unwrap() {
            context.fields[key] = value.clone();
        }
        context.answer()
    })
}

async fn close(State(contexts): State<Contexts>, Path(id): Path<String>) -> Answer {
    contexts.change(&id, |context| {
        context.fields["state"] = "closed".into();
        context.answer()
    })
}

async fn list_facts(
    State(contexts): State<Contexts>,
    Path(id): Path<String>,
    Query(Prefix { prefix }): Query<Prefix>,
) -> Answer {
    let prefix = prefix.unwrap_or_default();
    let all = contexts.all();
    let facts = &all.get(&id).ok_or(NOT_FOUND)?.facts;
    let found = facts.iter().filter(|(key, _)| key.starts_with(&prefix));
    let found: Vec<&Value> = found.map(|(_, fact)| fact).collect();
    Ok(Json(found).into_response())
}

async fn read_fact(
    State(contexts): State<Contexts>,
    Path((id, key)): Path<(String, String)>,
) -> Answer {
    let all = contexts.all();
    let fact = all.get(&id).and_then(|context| context.facts.get(&key));
    Ok(Json(fact.ok_or(NOT_FOUND)?).into_response())
}

async fn set_fact(
    State(contexts): State<Contexts>,
    Path((id, key)): Path<(String, String)>,
    Json(new): Json<Value>,
) -> Answer {
    contexts.change(&id, |context| {
        let fact = json!({
            "key": key, "value": new["value"], "stated_by": new["stated_by"], "stated_at": NOW,
        });
        context.facts.insert(key, fact.clone());
        Ok(Json(fact).into_response())
    })
}

async fn delete_fact(
    State(contexts): State<Contexts>,
    Path((id, key)): Path<(String, String)>,
) -> Answer {
    contexts.change(&id, |context| match context.facts.remove(&key) {
        Some(_) => Ok(StatusCode::NO_CONTENT.into_response()),
        None => Err(NOT_FOUND),
    })
}

fn systems() -> Vec<Value> {
    vec![
        json!({"name": "issues", "kind": "tracker", "url": "https://issues.example", "healthy": true}),
        json!({"name": "wiki", "kind": "documents", "url": "https://wiki.example", "healthy": false}),
    ]
}

async fn list_systems(Query(Kind { kind }): Query<Kind>) -> Response {
    let mut systems = systems();
    systems.retain(|system| kind.as_ref().is_none_or(|kind| system["kind"] == *kind));
    Json(systems).into_response()
}

async fn read_system(Path(name): Path<String>) -> Answer {
    let found = systems().into_iter().find(|system| system["name"] == name);
    Ok(Json(found.ok_or(NOT_FOUND)?).into_response())
}
