//! The spans of calls and requests: their names and fields, and no secret in them.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
    sync::{Arc, Mutex},
};

use serde_json::json;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    instrument::WithSubscriber,
    span::{Attributes, Id, Record},
    subscriber::{Interest, set_global_default},
};

use crate::{
    sent::tool,
    support::{Service, answer, auth_file, redirect, view_of},
};

type Fields = BTreeMap<String, String>;

/// Keeps every span with its fields.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<(String, Fields)>>>);

struct Into<'a>(&'a mut Fields);

impl Visit for Into<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut all = self.0.lock().unwrap();
        let mut fields = Fields::new();
        span.record(&mut Into(&mut fields));
        all.push((span.metadata().name().to_owned(), fields));
        Id::from_u64(all.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut all = self.0.lock().unwrap();
        let index = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut Into(&mut all[index].1));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    /// The events of other crates, such as of the HTTP client, are kept as spans without end.
    fn event(&self, event: &Event<'_>) {
        if event.metadata().target().starts_with("toolwright") {
            let mut fields = Fields::new();
            event.record(&mut Into(&mut fields));
            self.0.lock().unwrap().push(("event".to_owned(), fields));
        }
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Records nothing, and keeps every place of a span asking. Without it, a place that another test
/// reaches first, on a thread without a subscriber, can be taken for one that nobody records.
struct Asleep;

impl Subscriber for Asleep {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Spans {
    /// Returns the fields of the one span of a name.
    #[track_caller]
    fn one(&self, name: &str) -> Fields {
        let all = self.0.lock().unwrap();
        let mut found = all.iter().filter(|(one, _)| one == name);
        let fields = found.next().expect("there is such a span").1.clone();
        assert!(found.next().is_none());
        fields
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, fields) in self.0.lock().unwrap().iter() {
            write!(text, "{name} {fields:?} ").unwrap();
        }
        text
    }
}

async fn call(url: &str, name: &str) -> Spans {
    // The other tests of this file have set it if this one cannot.
    let _ = set_global_default(Asleep);
    let spans = Spans::default();
    let (_folder, credentials) = auth_file(&json!({"api_token": "tk-s3cret"}));
    let (view, _) = view_of(tool(url), credentials);
    let arguments = json!({"id": "7", "pin": "hunter2", "accessToken": "hunter3"});
    let called = view.call_json(name, arguments);
    let _ = called.with_subscriber(spans.clone()).await;
    spans
}

fn has(fields: &Fields, expected: &[(&str, &str)]) {
    for (name, value) in expected {
        assert_eq!(
            fields.get(*name).map(String::as_str),
            Some(*value),
            "`{name}` of {fields:?}"
        );
    }
}

#[tokio::test]
async fn a_call_and_its_request_have_the_names_of_the_conventions() {
    let service = Service::json(200, json!({})).await;
    let spans = call(&service.url, "get-depot-item").await;
    let port = service.url.rsplit(':').next().unwrap().to_owned();
    has(
        &spans.one("execute_tool"),
        &[
            ("otel.name", "execute_tool get-depot-item"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "get-depot-item"),
        ],
    );
    let request = spans.one("request");
    has(
        &request,
        &[
            ("otel.kind", "client"),
            ("http.request.method", "GET"),
            ("server.address", "127.0.0.1"),
            ("server.port", &port),
            ("http.response.status_code", "200"),
        ],
    );
    assert!(request["url.full"].starts_with(&format!("{}/items/7?number=", service.url)));
    assert!(!request.contains_key("error.type"));
}

#[tokio::test]
async fn no_span_has_a_secret() {
    let service = Service::json(200, json!({})).await;
    let redirecting = Service::start(|seen| async move {
        if seen.target.starts_with("/items") {
            redirect(302, "/next?token=tk-s3cret")
        } else {
            answer(500, "text/plain", "tk-s3cret")
        }
    })
    .await;
    for (url, name) in [
        (&service.url, "get-depot-item"),
        (&redirecting.url, "get-depot-item"),
    ] {
        let text = call(url, name).await.text();
        assert!(text.contains("url.full"), "{text}");
        for secret in ["tk-s3cret", "hunter2", "hunter3"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

#[tokio::test]
async fn a_failure_has_its_type() {
    let broken = Service::json(503, json!({})).await;
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    for (url, of_call, of_request) in [
        (&broken.url, "service_error", "503"),
        (&closed, "connect_failed", "connect_failed"),
    ] {
        let spans = call(url, "get-depot-item").await;
        let failed = |kind| [("error.type", kind), ("otel.status_code", "ERROR")];
        has(&spans.one("execute_tool"), &failed(of_call));
        has(&spans.one("request"), &failed(of_request));
    }
    let spans = call(&broken.url, "get-depot-nothing").await;
    let refused = spans.one("execute_tool");
    has(&refused, &[("error.type", "tool_not_permitted")]);
    assert!(!spans.text().contains("url.full"), "nothing was sent");
}

#[tokio::test]
async fn a_followed_redirect_is_counted() {
    let service = Service::start(|seen| async move {
        if seen.target.starts_with("/items") {
            redirect(302, "/next")
        } else {
            answer(200, "application/json", "{}")
        }
    })
    .await;
    let spans = call(&service.url, "get-depot-item").await;
    has(&spans.one("request"), &[("http.request.resend_count", "1")]);
}
