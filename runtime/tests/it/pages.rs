//! All pages of a list, for every kind of pagination, over real HTTP.

use std::{collections::BTreeMap, sync::Arc};

use axum::response::Response;
use serde_json::{Value, json};
use toolwright::{
    EmbeddedTools, Kind, Paged, ScopedToolView, ToolCall, ToolError, ToolSpec, Undocumented,
    audit::MemoryAudit,
    codec::{Codec, Reader},
    pages::Continuation,
};

use crate::support::{Seen, Service, answer, at, no_credentials, spec, view_of};

/// The unchanged arguments.
struct ListDepotItems(Value);

impl Codec for ListDepotItems {
    fn read(value: Value, _: &mut Reader) -> Self {
        Self(value)
    }

    fn encode(&self) -> Value {
        self.0.clone()
    }
}

impl ToolCall for ListDepotItems {
    const NAME: &'static str = "list-depot-items";
    const TOOLS: EmbeddedTools = EmbeddedTools::new("depot", "{}");
    type Output = Value;
    type Failure = Undocumented;
}

impl Paged for ListDepotItems {
    type Item = Value;
}

/// `GET /items` with these pages.
fn list(pagination: Value) -> ToolSpec {
    let names = ["cursor", "page", "offset", "limit", "starting_after"];
    let parameters: Vec<_> = names
        .iter()
        .map(|name| {
            json!({"name": name, "location": "query", "value": {"argument": name},
                   "style": "form", "explode": true})
        })
        .collect();
    let mut spec = spec(
        ListDepotItems::NAME,
        Kind::Read,
        json!({"method": "GET", "path": "/items", "parameters": parameters}),
        json!({"type": "object", "additionalProperties": false, "properties": {
            "cursor": {"type": "string"}, "starting_after": {"type": "string"},
            "page": {"type": "integer"}, "offset": {"type": "integer"}, "limit": {"type": "integer"}}}),
    );
    spec.pagination = Some(serde_json::from_value(pagination).unwrap());
    spec
}

/// The query of a request.
fn query(seen: &Seen) -> BTreeMap<String, String> {
    let (_, query) = seen.target.split_once('?').unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Seven items, three a page; the number of the first that is asked for.
fn page(start: usize) -> (Vec<Value>, Option<usize>) {
    let items = (start..7).take(3).map(|id| json!({"id": format!("i{id}")}));
    (items.collect(), (start + 3 < 7).then_some(start + 3))
}

fn number(query: &BTreeMap<String, String>, name: &str, otherwise: usize) -> usize {
    let given = query
        .get(name)
        .map(|text| text.trim_start_matches('i').parse().unwrap());
    given.unwrap_or(otherwise)
}

/// Every way to go on: the record, and what the service does.
type Way = (Value, fn(&BTreeMap<String, String>) -> Response);

fn json_answer(value: &Value) -> Response {
    answer(200, "application/json", value.to_string())
}

fn all_ways() -> Vec<Way> {
    let url =
        json!([{"argument": "limit", "name": "limit"}, {"argument": "offset", "name": "offset"}]);
    vec![
        (
            json!({"next": {"cursor": {"argument": "cursor", "from": "/meta/next"}},
                   "items": "/items", "evidence": []}),
            |query| {
                let (items, next) = page(number(query, "cursor", 0));
                let next = next.map(|next| next.to_string());
                json_answer(&json!({"items": items, "meta": {"next": next}}))
            },
        ),
        (
            json!({"next": {"cursor": {"argument": "cursor", "from": "/next"}},
                   "items": "/items", "more": "/has_more", "evidence": []}),
            |query| {
                let (items, next) = page(number(query, "cursor", 0));
                let url = format!(
                    "https://elsewhere.example/items?cursor={}",
                    next.unwrap_or(99)
                );
                json_answer(&json!({"items": items, "next": url, "has_more": next.is_some()}))
            },
        ),
        (
            json!({"next": {"last-item": {"argument": "starting_after", "from": "id"}},
                   "items": "/data", "more": "/has_more", "evidence": []}),
            |query| {
                let after = query.contains_key("starting_after");
                let start = number(query, "starting_after", 0) + usize::from(after);
                let (items, next) = page(start);
                json_answer(&json!({"data": items, "has_more": next.is_some()}))
            },
        ),
        (
            json!({"next": {"page": {"argument": "page", "first": 1}}, "items": "", "evidence": []}),
            |query| {
                let (items, _) = page((number(query, "page", 1) - 1) * 3);
                json_answer(&items.into())
            },
        ),
        (
            json!({"next": {"page": {"argument": "page", "first": 0, "pages": "/pages"}},
                   "items": "/items", "evidence": []}),
            |query| {
                let (items, _) = page(number(query, "page", 0) * 3);
                json_answer(&json!({"items": items, "pages": 3}))
            },
        ),
        (
            json!({"next": {"offset": {"argument": "offset", "first": 0}}, "items": "/items",
                   "size": "limit", "evidence": []}),
            |query| {
                let (items, _) = page(number(query, "offset", 0));
                json_answer(&json!({"items": items}))
            },
        ),
        (
            json!({"next": {"url": {"from": "/next", "arguments": url}}, "items": "/results", "evidence": []}),
            |query| {
                let (items, next) = page(number(query, "offset", 0));
                let next = next.map(|next| format!("/api/items?limit=3&offset={next}&secret=x"));
                json_answer(&json!({"results": items, "next": next}))
            },
        ),
        (
            json!({"next": {"link": {"arguments": [{"argument": "page", "name": "page"}]}},
                   "items": "", "evidence": []}),
            |query| {
                let at = number(query, "page", 1);
                let (items, next) = page((at - 1) * 3);
                let mut answer = json_answer(&items.into());
                let relation = if next.is_some() { "next" } else { "last" };
                let link = format!("<http://x/items?page={}>; rel=\"{relation}\"", at + 1);
                answer.headers_mut().insert("link", link.parse().unwrap());
                answer
            },
        ),
    ]
}

async fn serve(way: Way) -> (Service, ScopedToolView, Arc<MemoryAudit>) {
    let (pagination, respond) = way;
    let service = Service::start(move |seen| async move { respond(&query(&seen)) }).await;
    let (view, audit) = view_of(at(list(pagination), &service.url), no_credentials());
    (service, view, audit)
}

#[tokio::test]
async fn every_way_leads_to_every_item_once() {
    for way in all_ways() {
        let record = way.0.clone();
        let (service, view, audit) = serve(way).await;
        let mut items = view.items(&ListDepotItems(json!({"limit": 3})));
        let mut ids = Vec::new();
        while let Some(item) = items.next().await {
            ids.push(item.unwrap()["id"].as_str().unwrap().to_owned());
        }
        assert_eq!(ids, ["i0", "i1", "i2", "i3", "i4", "i5", "i6"], "{record}");
        let calls = service.seen().len();
        assert!((3..=4).contains(&calls), "{record}: {calls}");
        assert_eq!(
            audit.events().len(),
            2 * calls,
            "{record}: each page is audited"
        );
        assert!(
            service
                .seen()
                .iter()
                .all(|seen| seen.target.contains("limit=3"))
        );
    }
}

#[tokio::test]
async fn a_call_returns_its_continuation() {
    for way in all_ways() {
        let record = way.0.clone();
        let (_service, view, _) = serve(way).await;
        let output = view
            .call_json(ListDepotItems::NAME, json!({}))
            .await
            .unwrap();
        let Continuation::With(more) = output.next else {
            panic!("{record}: {:?}", output.next);
        };
        assert!(!more.is_empty());
    }
}

#[tokio::test]
async fn pages_are_results() {
    for way in all_ways() {
        let (_service, view, _) = serve(way).await;
        let mut pages = view.pages(&ListDepotItems(json!({})));
        let first = pages.next().await.unwrap().unwrap();
        let items = first.as_array().or_else(|| {
            ["items", "data", "results"]
                .iter()
                .find_map(|key| first[*key].as_array())
        });
        assert_eq!(items.unwrap().len(), 3);
        let mut rest = 0;
        while let Some(page) = pages.next().await {
            page.unwrap();
            rest += 1;
        }
        assert!(rest >= 2);
    }
}

/// The error that ends the items of a service that gives every request this response.
async fn fault(pagination: Value, value: Value) -> (ToolError, usize) {
    let service = Service::json(200, value).await;
    let (view, _) = view_of(at(list(pagination), &service.url), no_credentials());
    let mut items = view.items(&ListDepotItems(json!({})));
    loop {
        match items.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                assert!(items.next().await.is_none());
                return (error, service.seen().len());
            }
            None => panic!("it ended without an error"),
        }
    }
}

#[tokio::test]
async fn pages_that_do_not_advance_are_an_error() {
    let cursor = json!({"next": {"cursor": {"argument": "cursor", "from": "/next"}},
                        "items": "/items", "more": "/more", "evidence": []});
    let page =
        json!({"next": {"page": {"argument": "page", "first": 1}}, "items": "", "evidence": []});
    for (pagination, value, calls, message) in [
        (
            &cursor,
            json!({"items": [1], "next": "a"}),
            2,
            "the next page is this page again",
        ),
        (
            &cursor,
            json!({"items": [1], "more": true}),
            1,
            "does not identify it",
        ),
        (&page, json!([1]), 2, "it repeats the previous page"),
        (
            &cursor,
            json!({"items": {}}),
            1,
            "its items are not an array",
        ),
    ] {
        let (error, made) = fault(pagination.clone(), value).await;
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(made, calls, "{message}");
    }
}
