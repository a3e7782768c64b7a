//! The event of a notification: what happened to a call that waits, for a person to read.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use toolwright_model::text::escape_invisible;
use uuid::Uuid;

pub use crate::audit::NotificationKind;
use crate::{
    approval::{ApprovalRequest, Decision, Shown, Verdict},
    audit::{Alert, bounded, bounded_name},
    verdict::ApprovalId,
};

/// The longest event, in bytes. A longer one is shortened.
const LONGEST: usize = 20 * 1024;

/// The longest summary, in characters.
const LONGEST_SUMMARY: usize = 256;

/// The most approvers that are named.
const MOST_APPROVERS: usize = 32;

/// The parts of an event that can be long.
const LONG_PARTS: [&str; 3] = ["arguments", "changes", "request"];

/// A notification about a call that waits, or of an alert, as it is delivered.
///
/// It contains what the approver is shown, with the same values masked. Invisible characters are
/// escaped within the strings: a program that prints them prints no terminal codes of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// The request that it is about; none for an alert.
    pub approval: Option<ApprovalId>,
    /// The id of the message. It is the same in all attempts, and for whoever sends it.
    pub id: String,
    /// What happened.
    pub kind: NotificationKind,
    /// The event: JSON with the fields `type`, `timestamp` and `data`.
    pub body: String,
}

impl Notification {
    /// A call has begun to wait.
    #[must_use]
    pub fn waiting(request: &ApprovalRequest) -> Self {
        let time = request.requested;
        Self::new(NotificationKind::Waiting, request, time, None)
    }

    /// A person has decided about the call.
    #[must_use]
    pub fn decided(request: &ApprovalRequest, decision: &Decision) -> Self {
        let kind = match decision.verdict {
            Verdict::Approved => NotificationKind::Approved,
            Verdict::Rejected => NotificationKind::Rejected,
        };
        Self::new(kind, request, decision.time, Some(&decision.person))
    }

    /// Nobody has decided about the call in time.
    #[must_use]
    pub fn expired(request: &ApprovalRequest) -> Self {
        let time = request.expires;
        Self::new(NotificationKind::Expired, request, time, None)
    }

    /// A rule of alerts was met.
    #[must_use]
    pub fn alert(alert: &Alert, time: Timestamp) -> Self {
        let kind = NotificationKind::Alert;
        let data = visible(&json!(alert));
        Self {
            approval: None,
            id: format!("msg_alert_{}", Uuid::new_v4().simple()),
            kind,
            body: json!({"type": "audit.alert", "timestamp": time, "data": data}).to_string(),
        }
    }

    /// Returns the id of the message.
    #[must_use]
    pub fn message_id(&self) -> String {
        self.id.clone()
    }

    fn new(
        kind: NotificationKind,
        request: &ApprovalRequest,
        time: Timestamp,
        person: Option<&str>,
    ) -> Self {
        let mut data = data(request);
        if let Some(person) = person {
            data.insert("person".to_owned(), bounded_name(person).into());
        }
        let mut body = encode(kind, time, &data);
        if body.len() > LONGEST {
            data.retain(|name, _| !LONG_PARTS.contains(&name.as_str()));
            data.insert("shortened".to_owned(), true.into());
            body = encode(kind, time, &data);
        }
        Self {
            approval: Some(request.id.clone()),
            id: format!("msg_{}_{}", request.id, kind.word()),
            kind,
            body,
        }
    }
}

fn encode(kind: NotificationKind, time: Timestamp, data: &Map<String, Value>) -> String {
    let kind = format!("approval.{}", kind.word());
    json!({"type": kind, "timestamp": time, "data": data}).to_string()
}

/// Returns what the event tells of a request.
fn data(request: &ApprovalRequest) -> Map<String, Value> {
    let shown = &request.shown;
    let Shown {
        service,
        workspace,
        summary,
        category,
        effect,
        destructive,
        ..
    } = shown;
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
    put("handle", json!(request.handle));
    put("approval", json!(request.id));
    put("role", bounded_name(request.role.as_str()).into());
    put("tool", json!(request.tool));
    put("service", json!(service));
    if let Some(workspace) = workspace {
        put("source_workspace", json!(workspace));
    }
    put("summary", bounded(summary, LONGEST_SUMMARY).into());
    put("category", json!(category));
    put("effect", json!(effect));
    put("destructive", json!(destructive));
    let context = [
        ("run", &shown.run),
        ("node", &shown.node),
        ("work_item", &shown.work_item),
        ("started_by", &shown.started_by),
    ];
    for (name, value) in context {
        if let Some(value) = value {
            put(name, bounded_name(value).into());
        }
    }
    if let Some(approvers) = &shown.approvers {
        let names = approvers.iter().take(MOST_APPROVERS);
        put("approvers", names.map(|name| bounded_name(name)).collect());
    }
    if let Some(sent) = &shown.request {
        let request = format!("{} {}", sent.method, sent.url);
        put("request", visible(&request.into()));
    }
    put("arguments", visible(&shown.arguments));
    if let Some(changes) = &request.changes {
        put("changes", visible(&json!(changes)));
    }
    put("digest", request.digest().into());
    put("requested", json!(request.requested));
    put("expires", json!(request.expires));
    data
}

/// Returns a value whose strings and keys contain no invisible characters.
fn visible(value: &Value) -> Value {
    let escape = |text: &str| escape_invisible(text).into_owned();
    match value {
        Value::String(text) => escape(text).into(),
        Value::Array(items) => items.iter().map(visible).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::Object(
                fields
                    .map(|(name, field)| (escape(name), visible(field)))
                    .collect(),
            )
        }
        scalar => scalar.clone(),
    }
}
