//! P9: each layer refuses what it must, also with the other one switched off. The service is real,
//! and counts its connections.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Router, serve::ListenerExt};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwright_model::{Role, ToolSpec};

use super::{Layer, switches::switch_off};
use crate::{
    Credentials, Registry, ScopedToolView,
    audit::{MemoryAudit, Reason, RefusalReason, What},
    config::Config,
};

const POLICY: &str = "\
[roles.clerk]
profiles = [\"items\"]
[profiles.items]
tools = [\"get-shop-item\"]
[[profiles.items.scopes]]
arguments.id = { values = [\"1\"] }
allowed_urls = [\"{url}/items/\"]
[[forbid]]
tools = \"get-shop-item\"
when.mode = { values = [\"raw\"] }
";

fn spec(name: &str, path: &str, url: &str) -> ToolSpec {
    let argument = |name: &str, location: &str| {
        let style = if location == "path" { "simple" } else { "form" };
        json!({"name": name, "location": location, "value": {"argument": name},
               "required": location == "path", "style": style, "explode": false})
    };
    serde_json::from_value(json!({
        "name": name, "service": "shop", "title": "t", "short": "t", "description": "t",
        "section": "t", "category": "observe", "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": true},
        "enabled_by_default": true,
        "input_schema": {"type": "object", "required": ["id"],
                         "properties": {"id": {"type": "string"}, "mode": {"type": "string"}}},
        "binding": {"http": {
            "method": "GET", "path": path, "base_url": url,
            "parameters": [argument("id", "path"), argument("mode", "query")],
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}],
        }},
        "origin": {"document": "t", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

/// A service on the loopback interface, with the number of its connections.
async fn service() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let listener = listener.tap_io(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let app = Router::new().fallback(|| async { axum::Json(json!({"ok": true})) });
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, connections)
}

struct Shop {
    view: ScopedToolView,
    audit: Arc<MemoryAudit>,
    connections: Arc<AtomicUsize>,
}

impl Shop {
    async fn open() -> Self {
        let (url, connections) = service().await;
        let audit = Arc::new(MemoryAudit::new());
        let policy = POLICY.replace("{url}", &url);
        let registry = Registry::builder()
            .specs([
                spec("get-shop-item", "/items/{id}", &url),
                spec("get-shop-secret", "/secrets/{id}", &url),
            ])
            .config(Config::parse(Path::new("toolwright.toml"), &policy).unwrap())
            .approvals(Arc::new(crate::approval::MemoryApprovals::new()))
            .credentials(Credentials::new("/nowhere").with_variables(|_| None))
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        Self {
            view: registry.for_agent(&Role::new("clerk").unwrap()),
            audit,
            connections,
        }
    }

    async fn call(&self, tool: &str, arguments: Value) -> bool {
        self.view.call_json(tool, arguments).await.is_ok()
    }

    fn last_reason(&self) -> Reason {
        let events = self.audit.events().into_iter().rev();
        let mut reasons = events.filter_map(|event| match event.what {
            What::Decision(decision) => Some(decision.reason),
            _ => None,
        });
        reasons.next().unwrap()
    }
}

/// The calls that must be refused, with the reason by each layer.
fn refused() -> [(&'static str, Value, Option<Reason>, Option<Reason>); 4] {
    [
        (
            "get-shop-secret",
            json!({"id": "1"}),
            Some(Reason::Policy(RefusalReason::NotGranted)),
            Some(Reason::Policy(RefusalReason::ScopeMissing)),
        ),
        (
            "get-shop-item",
            json!({"id": "2"}),
            None,
            Some(Reason::Policy(RefusalReason::ScopeViolation)),
        ),
        (
            "get-shop-item",
            json!({"id": "1", "mode": "raw"}),
            None,
            Some(Reason::Policy(RefusalReason::Forbidden)),
        ),
        (
            "get-shop-none",
            json!({"id": "1"}),
            Some(Reason::Policy(RefusalReason::UnknownTool)),
            Some(Reason::Policy(RefusalReason::UnknownTool)),
        ),
    ]
}

#[tokio::test]
async fn with_the_first_layer_off_the_second_refuses_the_same_calls() {
    let shop = Shop::open().await;
    for layer in [None, Some(Layer::Offer)] {
        switch_off(layer);
        for (tool, arguments, by_offer, by_scope) in refused() {
            assert!(
                !shop.call(tool, arguments.clone()).await,
                "{layer:?} {tool} {arguments}"
            );
            let expected = if layer.is_none() {
                by_offer.or(by_scope)
            } else {
                by_scope
            };
            assert_eq!(
                Some(shop.last_reason()),
                expected,
                "{layer:?} {tool} {arguments}"
            );
        }
        assert_eq!(shop.connections.load(Ordering::SeqCst), 0);
    }
    assert_eq!(shop.view.specs().len(), 2, "the switch has an effect");
    assert!(shop.call("get-shop-item", json!({"id": "1"})).await);
    switch_off(None);
    assert_eq!(shop.view.specs().len(), 1);
}

#[tokio::test]
async fn with_the_second_layer_off_the_first_refuses_what_it_does_not_offer() {
    let shop = Shop::open().await;
    switch_off(Some(Layer::Scope));
    for (tool, arguments, by_offer, _) in refused() {
        let passed = shop.call(tool, arguments.clone()).await;
        assert_eq!(passed, by_offer.is_none(), "{tool} {arguments}");
        let expected = by_offer.unwrap_or(Reason::Granted);
        assert_eq!(shop.last_reason(), expected, "{tool} {arguments}");
    }
    switch_off(None);
    let (tool, arguments, ..) = refused()[1].clone();
    assert!(!shop.call(tool, arguments).await, "the layer is on again");
}
