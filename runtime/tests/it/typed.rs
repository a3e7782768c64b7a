//! A typed call and a call by JSON are one path.

use serde_json::{Value, json};
use toolwright::{
    EmbeddedTools, ToolCall, ToolError, Undocumented,
    audit::{AuditEvent, Ending},
    codec::{self, Codec, Extra, Reader},
};

use crate::support::{Service, answer, at, get_item, no_credentials, outcomes, view_of};

/// A hand-written copy of the generated code of `get-depot-item`.
struct GetDepotItem {
    id: String,
    limit: Option<Value>,
}

#[derive(Debug, PartialEq)]
struct Item {
    name: String,
}

impl Codec for GetDepotItem {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        Self {
            id: fields.take("id"),
            limit: fields.take("limit"),
        }
    }

    fn encode(&self) -> Value {
        codec::object(
            &[("id", &self.id), ("limit", &self.limit)],
            &Extra::default(),
        )
    }
}

impl Codec for Item {
    fn read(value: Value, reader: &mut Reader) -> Self {
        let mut fields = reader.object(value);
        Self {
            name: fields.take("name"),
        }
    }

    fn encode(&self) -> Value {
        codec::object(&[("name", &self.name)], &Extra::default())
    }
}

impl ToolCall for GetDepotItem {
    const NAME: &'static str = "get-depot-item";
    const TOOLS: EmbeddedTools = EmbeddedTools::new("depot", "{}");
    type Output = Item;
    type Failure = Undocumented;
}

/// An event without what differs from call to call.
fn comparable(event: &AuditEvent) -> Value {
    let mut event = serde_json::to_value(event).unwrap();
    let fields = event.as_object_mut().unwrap();
    fields.retain(|name, _| !["time", "correlation_id", "duration_ms"].contains(&name.as_str()));
    event
}

#[tokio::test]
async fn typed_and_dynamic_calls_send_the_same_and_record_the_same() {
    let service = Service::json(200, json!({"name": "bolt", "more": 1})).await;
    let (view, audit) = view_of(at(get_item(), &service.url), no_credentials());
    let call = |limit| GetDepotItem {
        id: "a b".to_owned(),
        limit,
    };
    let typed = view.call(call(Some(json!(3)))).await.unwrap();
    assert_eq!(
        typed,
        Item {
            name: "bolt".to_owned()
        }
    );
    let arguments = json!({"id": "a b", "limit": 3});
    let dynamic = view.call_json(GetDepotItem::NAME, arguments).await.unwrap();
    assert_eq!(Item::decode(dynamic.value).unwrap(), typed);

    view.call(call(Some(json!(0)))).await.unwrap_err();
    view.call_json(GetDepotItem::NAME, json!({"id": "a b", "limit": 0}))
        .await
        .unwrap_err();

    let events: Vec<_> = audit.events().iter().map(comparable).collect();
    assert_eq!(events[0..2], events[2..4]);
    assert_eq!(events[4], events[5]);
    assert_eq!(events.len(), 6);
    let seen = service.seen();
    let sent = |index: usize| {
        (
            &seen[index].method,
            &seen[index].target,
            &seen[index].headers,
            &seen[index].body,
        )
    };
    assert_eq!(sent(0), sent(1));
    assert_eq!(seen.len(), 2);
}

#[tokio::test]
async fn an_answer_of_another_type_is_an_error_after_the_call() {
    let service = Service::json(200, json!({"name": 4711})).await;
    let (view, audit) = view_of(at(get_item(), &service.url), no_credentials());
    let call = GetDepotItem {
        id: "1".to_owned(),
        limit: None,
    };
    let error = view.call(call).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the service's answer is not of the expected type: at `/name`: expected a string, found a number"
    );
    assert_eq!(error.status(), Some(200));
    assert_eq!(outcomes(&audit.events())[0].outcome, Ending::Ok);
}

#[tokio::test]
async fn an_answer_that_is_too_large_has_no_type() {
    let service =
        Service::start(|_| async { answer(200, "application/json", " ".repeat(2 << 20)) }).await;
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    let call = GetDepotItem {
        id: "1".to_owned(),
        limit: None,
    };
    let error = view.call(call).await.unwrap_err();
    assert!(
        matches!(
            error,
            ToolError::AnswerTooLarge {
                status: 200,
                limit: 1_048_576,
                size: Some(2_097_152),
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "the service's answer is larger than the limit of 1048576 bytes: it has 2097152 bytes; ask \
         for less of it, such as a page or fewer fields, or save it to a file with `toolwright call \
         --output FILE`"
    );
}
