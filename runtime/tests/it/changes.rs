//! The approver of an update is shown the current values of what it changes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::response::Response;
use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright::{
    Kind, Registry, ToolSpec,
    approval::{ApprovalRequest, ApproverKey, ApproverKeys, Change, Changes, Decision, Verdict},
    audit::{MemoryAudit, What},
    config::Config,
};
use toolwright_state::{State, testing::TestPlace};

use crate::support::{
    Seen, Service, answer, at, auth_file, builder, call_of, decisions, get_item, last_reason, role,
    spec, with_binding,
};

const UPDATE: &str = "update-depot-item";
const TOKEN: &str = "token-0123456789abcdef";

/// `PATCH /items/{item}`, whose calls a person must approve.
pub(crate) fn update_item() -> ToolSpec {
    let mut update = spec(
        UPDATE,
        Kind::Overwrite,
        json!({
            "method": "PATCH", "path": "/items/{item}",
            "parameters": [
                {"name": "item", "location": "path", "value": {"argument": "item"},
                 "required": true, "style": "simple", "explode": false},
            ],
            "body": {"media_type": "application/json", "content": "json", "required": true,
                     "shape": {"fields": [
                         {"name": "name", "value": {"argument": "name"}},
                         {"name": "pin", "value": {"argument": "pin"}},
                         {"name": "owner", "value": {"argument": "owner"}},
                         {"name": "item", "value": {"argument": "item_code"}},
                         {"name": "tenant", "value": {"constant": "tenant"}},
                     ]}},
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}],
        }),
        json!({
            "type": "object",
            "properties": {
                "item": {"type": "string"}, "name": {"type": "string"},
                "pin": {"type": "string", "writeOnly": true},
                "owner": {"type": "object"}, "item_code": {"type": "string"},
            },
            "required": ["item"],
            "additionalProperties": false,
        }),
    );
    update.approval_required = true;
    update
}

pub(crate) fn item() -> Value {
    json!({
        "id": "7", "name": "Bolt", "pin": "hunter2-before", "item": "B-7",
        "owner": {"name": "ann", "phone": "+1-555-0100"}, "secret": "other", "tenant": "t",
        "note": TOKEN,
    })
}

/// A service, and a registry with the two tools of the same thing.
pub(crate) struct Shop {
    pub(crate) service: Service,
    registry: Registry,
    audit: Arc<MemoryAudit>,
    _folder: tempfile::TempDir,
}

impl Shop {
    async fn new(
        policy: &str,
        answered: impl Fn(Seen) -> Response + Clone + Send + Sync + 'static,
    ) -> Self {
        Self::of([update_item(), get_item()], policy, answered).await
    }

    pub(crate) async fn of(
        specs: impl IntoIterator<Item = ToolSpec>,
        policy: &str,
        answered: impl Fn(Seen) -> Response + Clone + Send + Sync + 'static,
    ) -> Self {
        let service = Service::start(move |seen| {
            let answered = answered(seen);
            async move { answered }
        })
        .await;
        let text = format!("[tools]\nenable = [\"*\"]\n{policy}");
        let config = Config::parse("w/toolwright.toml".as_ref(), &text).unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let (folder, credentials) = auth_file(&json!({"api_token": TOKEN, "tenant": "t"}));
        let specs = specs.into_iter().map(|spec| at(spec, &service.url));
        let registry = builder(&audit)
            .specs(specs)
            .config(config)
            .credentials(credentials)
            .build()
            .unwrap();
        Self {
            service,
            registry,
            audit,
            _folder: folder,
        }
    }

    pub(crate) async fn call(&self, arguments: Value) -> String {
        let view = self.registry.for_agent(&role("clerk"));
        let called = view.call_json(UPDATE, arguments).await;
        called.map_or_else(|error| error.code().to_owned(), |_| "ok".to_owned())
    }

    async fn waiting(&self) -> ApprovalRequest {
        let pending = self.registry.approvals().pending(Timestamp::now()).await;
        pending.unwrap().remove(0)
    }

    pub(crate) async fn approve(&self) {
        let now = Timestamp::now();
        let decision = Decision::new(Verdict::Approved, "ann", now).unwrap();
        let handle = self.waiting().await.handle;
        self.registry.decide(handle, decision).await.unwrap();
    }

    /// Calls the update, and returns the reason why the current values are unknown. The call waits
    /// and passes as any other.
    async fn unread(&self) -> String {
        let arguments = json!({"item": "7", "name": "Nut"});
        assert_eq!(self.call(arguments.clone()).await, "approval_required");
        let changes = self.waiting().await.changes;
        self.approve().await;
        let updates = || {
            self.methods()
                .iter()
                .filter(|method| *method == "PATCH")
                .count()
        };
        assert_eq!(updates(), 0);
        self.call(arguments).await;
        assert_eq!(updates(), 1, "the approved call was sent");
        match changes {
            Some(Changes::Unread { reason }) => reason,
            other => panic!("{other:?}"),
        }
    }

    fn methods(&self) -> Vec<String> {
        let seen = self.service.seen().into_iter();
        seen.map(|seen| seen.method).collect()
    }
}

fn json_answer(value: &Value) -> Response {
    answer(200, "application/json", value.to_string())
}

fn change(field: &str, before: Option<Value>, after: Value) -> Change {
    let value = json!({"field": field, "after": after});
    let mut change: Change = serde_json::from_value(value).unwrap();
    change.before = before;
    change
}

pub(crate) const CLERK: &str = "[roles.clerk]\ngrant = [\"*\"]\n";

#[tokio::test]
async fn the_approver_sees_what_an_update_changes() {
    let shop = Shop::new(CLERK, |_| json_answer(&item())).await;
    let arguments = json!({
        "item": "7", "name": "Nut", "pin": "hunter2-after", "owner": {"name": "bob"},
        "item_code": "N-7",
    });
    for _ in 0..2 {
        assert_eq!(shop.call(arguments.clone()).await, "approval_required");
    }
    let request = shop.waiting().await;
    let Some(Changes::Read {
        tool,
        time,
        fields,
        further,
        ..
    }) = &request.changes
    else {
        panic!("{request:?}");
    };
    assert_eq!((tool.as_str(), *further), ("get-depot-item", 0));
    assert!(*time <= request.expires);
    assert_eq!(
        fields[0],
        change("/name", Some(json!("Bolt")), json!("Nut"))
    );
    assert_eq!(
        fields[2],
        change("/owner/name", Some(json!("ann")), json!("bob"))
    );
    assert_eq!(
        fields[3],
        change("/item_code", Some(json!("B-7")), json!("N-7"))
    );
    assert_eq!((fields.len(), fields[1].field.as_str()), (4, "/pin"));
    let text = json!(request).to_string();
    for hidden in ["hunter2", "+1-555-0100", "other", TOKEN] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let masked = fields[1].before.as_ref().unwrap().as_str().unwrap();
    assert!(masked.starts_with("(masked: 14 characters"), "{masked}");

    // The read was made once, with the rights of the role, for the update.
    let seen = shop.service.one();
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str()),
        ("GET", "/items/7")
    );
    let events = shop.audit.events();
    let of = |tool: &str, index: usize| {
        let mut calls = events.iter().map(call_of).filter(|call| call.tool == tool);
        calls.nth(index).unwrap().clone()
    };
    assert_eq!(
        of("get-depot-item", 0).parent,
        Some(of(UPDATE, 0).correlation_id)
    );
    assert_eq!(
        of("get-depot-item", 1).parent,
        Some(of(UPDATE, 0).correlation_id)
    );
    assert_eq!(of("get-depot-item", 0).role, role("clerk"));

    shop.approve().await;
    assert_eq!(shop.call(arguments).await, "ok");
    assert_eq!(shop.methods(), ["GET", "PATCH"]);
}

#[tokio::test]
async fn an_update_is_recognised_by_its_method_or_its_effect() {
    let with = |method: &str, kind: Kind| {
        let mut update = with_binding(update_item(), |binding| {
            binding.method = serde_json::from_value(json!(method)).unwrap();
        });
        update.effect = kind.effect();
        update
    };
    for (update, expected) in [
        (with("PUT", Kind::Action), true),
        (with("PATCH", Kind::Action), true),
        (with("POST", Kind::Overwrite), true),
        (with("POST", Kind::Action), false),
        (with("DELETE", Kind::Delete), false),
    ] {
        let shop = Shop::of([update, get_item()], CLERK, |_| json_answer(&item())).await;
        let arguments = json!({"item": "7", "name": "Nut"});
        assert_eq!(shop.call(arguments).await, "approval_required");
        let changes = shop.waiting().await.changes;
        assert_eq!(
            matches!(changes, Some(Changes::Read { .. })),
            expected,
            "{changes:?}"
        );
        assert_eq!(changes.is_some(), expected);
    }
}

#[tokio::test]
async fn no_part_of_a_credential_is_shown() {
    let long = format!("{}{TOKEN}{}", "x".repeat(990), "y".repeat(500));
    let answered = json!({"name": long, "owner": {TOKEN: "a"}});
    let shop = Shop::new(CLERK, move |_| json_answer(&answered)).await;
    let arguments = json!({"item": "7", "name": long, "owner": {TOKEN: "b", "name": TOKEN}});
    assert_eq!(shop.call(arguments).await, "approval_required");
    let request = shop.waiting().await;
    let text = json!(request.changes).to_string();
    assert!(text.contains("/name") && text.contains("xxx"), "{text}");
    assert!(!text.contains("token-01"), "{text}");
    assert!(!text.contains("masked"), "a digest of it is: {text}");
}

#[tokio::test]
async fn the_current_values_decide_nothing() {
    let asked = Arc::new(std::sync::atomic::AtomicUsize::default());
    let shop = Shop::new(CLERK, move |_| {
        let count = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        json_answer(&json!({"name": count.to_string()}))
    })
    .await;
    let arguments = json!({"item": "7", "name": "Nut"});
    assert_eq!(shop.call(arguments.clone()).await, "approval_required");
    let first = shop.waiting().await;
    let other = shop.registry.for_agent(&role("clerk"));
    other
        .call_json("get-depot-item", json!({"id": "7"}))
        .await
        .unwrap();
    shop.approve().await;
    assert_eq!(shop.call(arguments.clone()).await, "ok");
    // The same call waits again, with other current values and the same digest.
    assert_eq!(shop.call(arguments).await, "approval_required");
    let second = shop.waiting().await;
    assert_eq!(first.digest(), second.digest());
    assert_ne!(first.changes, second.changes);
}

#[tokio::test]
async fn a_role_that_may_not_read_is_shown_nothing_more() {
    let only_update = format!("[roles.clerk]\ngrant = [\"{UPDATE}\"]\n");
    let off = format!("{CLERK}[[forbid]]\ntools = \"get-*\"\n");
    for policy in [only_update, off] {
        let shop = Shop::new(&policy, |_| json_answer(&item())).await;
        let reason = shop.unread().await;
        assert!(
            reason.contains("the role may not call the tool"),
            "{reason}"
        );
        assert_eq!(shop.methods(), ["PATCH"]);
        let mut calls = shop.audit.events().into_iter();
        assert!(calls.all(|event| event.call.is_none_or(|call| call.tool == UPDATE)));
    }
    let shop = Shop::new(CLERK, |_| json_answer(&item())).await;
    let view = shop
        .registry
        .for_agent(&role("clerk"))
        .narrowed_to([UPDATE]);
    let called = view
        .call_json(UPDATE, json!({"item": "7", "name": "Nut"}))
        .await;
    assert_eq!(called.unwrap_err().code(), "approval_required");
    assert_eq!(shop.methods(), [""; 0], "an allow-list narrows");
}

#[tokio::test]
async fn a_read_outside_of_the_scope_is_no_violation_of_the_agent() {
    let policy = format!(
        "[roles.clerk]\ngrant = [\"{UPDATE}\"]\nprofiles = [\"look\"]\n\
         [profiles.look]\ntools = [\"get-*\"]\n\
         [[profiles.look.scopes]]\narguments.id = {{ values = [\"8\"] }}\n\
         [policy]\nalert_after = 1\nhalt = true\n"
    );
    let shop = Shop::new(&policy, |_| json_answer(&item())).await;
    let reason = shop.unread().await;
    assert!(
        reason.contains("`get-depot-item` failed: scope_violation"),
        "{reason}"
    );
    let events = shop.audit.events();
    assert!(
        !events
            .iter()
            .any(|event| matches!(event.what, What::Alert(_)))
    );
    assert_eq!(
        decisions(&events).len(),
        3,
        "the refused read is in the audit"
    );
    let view = shop.registry.for_agent(&role("clerk"));
    let own = view.call_json("get-depot-item", json!({"id": "7"})).await;
    assert_eq!(own.unwrap_err().code(), "scope_violation");
    assert!(
        shop.audit
            .events()
            .iter()
            .any(|event| matches!(event.what, What::Alert(_)))
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_told() {
    let huge = json!({"name": "x".repeat(3 << 20)});
    for (status, value, expected) in [
        (404, json!({"error": "gone"}), "failed: service_error"),
        (200, json!([item()]), "did not answer with an object"),
        (200, huge, "is too long"),
    ] {
        let shop = Shop::new(CLERK, move |seen| {
            if seen.method == "GET" {
                return answer(status, "application/json", value.to_string());
            }
            json_answer(&item())
        })
        .await;
        let reason = shop.unread().await;
        assert!(reason.contains(expected), "{reason}");
    }
}

#[tokio::test]
async fn a_service_that_hangs_holds_the_update_up_for_a_few_seconds() {
    let service = Service::start(|seen: Seen| async move {
        if seen.method == "GET" {
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        json_answer(&item())
    })
    .await;
    let audit = Arc::new(MemoryAudit::new());
    let (_folder, credentials) = auth_file(&json!({"api_token": TOKEN, "tenant": "t"}));
    let registry = builder(&audit)
        .specs([
            at(update_item(), &service.url),
            at(get_item(), &service.url),
        ])
        .credentials(credentials)
        .enable("*")
        .grant("clerk", "*")
        .build()
        .unwrap();
    let begun = Instant::now();
    let view = registry.for_agent(&role("clerk"));
    let called = view
        .call_json(UPDATE, json!({"item": "7", "name": "Nut"}))
        .await;
    assert_eq!(called.unwrap_err().code(), "approval_required");
    assert!(begun.elapsed() < Duration::from_secs(8));
    let pending = registry
        .approvals()
        .pending(Timestamp::now())
        .await
        .unwrap();
    let changes = json!(pending[0].changes).to_string();
    assert!(changes.contains("did not answer within 5 s"), "{changes}");
}

#[tokio::test]
async fn only_a_tool_for_the_same_thing_reads_it() {
    let at_path = |path: &str| {
        let path = path.to_owned();
        with_binding(get_item(), |binding| binding.path = path)
    };
    let needs_more = with_binding(get_item(), |binding| binding.parameters[1].required = true);
    let elsewhere = with_binding(get_item(), |binding| {
        binding.base_url = Some("http://127.0.0.1:9".to_owned());
    });
    let by_post = with_binding(get_item(), |binding| {
        binding.method = serde_json::from_value(json!("POST")).unwrap();
    });
    let mut waits = get_item();
    waits.approval_required = true;
    for (reader, expected) in [
        (at_path("/items/{id}/more"), "no tool reads"),
        (at_path("/things/{id}"), "no tool reads"),
        (by_post, "no tool reads"),
        (waits, "no tool reads"),
        (needs_more, "needs further arguments"),
    ] {
        let shop = Shop::of([update_item(), reader], CLERK, |_| json_answer(&item())).await;
        let reason = shop.unread().await;
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(shop.methods(), ["PATCH"]);
    }
    let audit = Arc::new(MemoryAudit::new());
    let (_folder, credentials) = auth_file(&json!({"api_token": TOKEN, "tenant": "t"}));
    let registry = builder(&audit)
        .specs([at(update_item(), "http://127.0.0.1:9/other"), elsewhere])
        .credentials(credentials)
        .enable("*")
        .grant("clerk", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("clerk"));
    view.call_json(UPDATE, json!({"item": "7", "name": "Nut"}))
        .await
        .unwrap_err();
    let pending = registry
        .approvals()
        .pending(Timestamp::now())
        .await
        .unwrap();
    assert!(
        json!(pending[0].changes)
            .to_string()
            .contains("no tool reads")
    );
}

#[tokio::test]
async fn changed_current_values_void_the_decision() {
    for place in TestPlace::all().await {
        let key = ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap();
        let state = State::at(place.location.clone()).unwrap();
        let state = state.keys(ApproverKeys::Listed(vec![key.public()]));
        state.open().await.unwrap();
        let service = Service::json(200, item()).await;
        let audit = Arc::new(MemoryAudit::new());
        let (_folder, credentials) = auth_file(&json!({"api_token": TOKEN, "tenant": "t"}));
        let registry = builder(&audit)
            .specs([
                at(update_item(), &service.url),
                at(get_item(), &service.url),
            ])
            .credentials(credentials)
            .enable("*")
            .grant("clerk", "*")
            .approvals(Arc::new(state.clone()))
            .build()
            .unwrap();
        let view = registry.for_agent(&role("clerk"));
        let call = async || {
            let arguments = json!({"item": "7", "name": "Nut"});
            let called = view.call_json(UPDATE, arguments).await;
            called.map_or_else(|error| error.code().to_owned(), |_| "ok".to_owned())
        };
        assert_eq!(call().await, "approval_required");
        let approve = async || {
            let request = registry
                .approvals()
                .pending(Timestamp::now())
                .await
                .unwrap()
                .remove(0);
            let decision = Decision::new(Verdict::Approved, "ann", Timestamp::now()).unwrap();
            let decision = decision.signed(&key, &request);
            registry.decide(request.handle, decision).await.unwrap();
        };
        approve().await;
        let sql = "UPDATE approval SET request = REPLACE(request, '\"Bolt\"', '\"Nail\"')
            WHERE standing = 'approved'";
        place.tamper(sql).await;
        assert_eq!(call().await, "approval_required");
        assert_eq!(json!(last_reason(&audit)), "approval_invalid");
        approve().await;
        assert_eq!(call().await, "ok");
    }
}
