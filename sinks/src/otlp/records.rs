//! Events as log records and spans, with the semantic conventions for tools of generative AI and MCP.

use std::collections::HashMap;

use jiff::Timestamp;
use opentelemetry_proto::tonic::{
    collector::{logs::v1::ExportLogsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{AnyValue, KeyValue, any_value::Value as Any},
    logs::v1::{LogRecord, ResourceLogs, ScopeLogs, SeverityNumber},
    trace::v1::{ResourceSpans, ScopeSpans, Span, Status, span::SpanKind, status::StatusCode},
};
use serde_json::{Map, Value};
use toolwright_audit::TailEvent;

use super::values::{attribute, resource, scope, text};

/// The greatest number of calls whose trace is remembered.
const MOST_TRACES: usize = 10_000;

/// The fields that have a semantic convention.
const CONVENTIONS: [(&str, &str); 8] = [
    ("tool", "gen_ai.tool.name"),
    ("correlation_id", "gen_ai.tool.call.id"),
    ("agent", "gen_ai.agent.name"),
    ("session", "mcp.session.id"),
    ("error", "error.type"),
    ("host", "host.name"),
    ("process", "process.pid"),
    ("peer", "client.address"),
];

/// The fields that are not attributes, because the record has them in another form.
const OTHERS: [&str; 5] = ["prev", "mac", "v", "time", "event"];

/// Converts events. The ids of spans follow from those of calls, so an event that is sent twice makes
/// the same span.
#[derive(Default)]
pub(super) struct Records {
    /// The traces of calls that other calls made.
    traces: HashMap<String, Vec<u8>>,
}

impl Records {
    /// Returns the events as log records.
    pub(super) fn logs(&self, instance: &str, events: &[TailEvent]) -> ExportLogsServiceRequest {
        let records = events.iter().map(|event| self.log(event)).collect();
        ExportLogsServiceRequest {
            resource_logs: vec![ResourceLogs {
                resource: Some(resource(vec![text("service.instance.id", instance)])),
                scope_logs: vec![ScopeLogs {
                    scope: Some(scope()),
                    log_records: records,
                    ..ScopeLogs::default()
                }],
                ..ResourceLogs::default()
            }],
        }
    }

    /// Returns the calls that have ended as spans; none if there are none.
    pub(super) fn spans(
        &mut self,
        instance: &str,
        events: &[TailEvent],
    ) -> Option<ExportTraceServiceRequest> {
        let mut spans = Vec::new();
        for event in events {
            let fields = fields(event);
            self.follow(&fields);
            spans.extend(self.span(&fields));
        }
        if spans.is_empty() {
            return None;
        }
        Some(ExportTraceServiceRequest {
            resource_spans: vec![ResourceSpans {
                resource: Some(resource(vec![text("service.instance.id", instance)])),
                scope_spans: vec![ScopeSpans {
                    scope: Some(scope()),
                    spans,
                    ..ScopeSpans::default()
                }],
                ..ResourceSpans::default()
            }],
        })
    }

    /// Remembers the trace of a call that another call made.
    fn follow(&mut self, fields: &Map<String, Value>) {
        if let (Some(call), Some(_)) = (string(fields, "correlation_id"), string(fields, "parent"))
        {
            if self.traces.len() >= MOST_TRACES {
                self.traces.clear();
            }
            if let Some(trace) = self.trace(fields) {
                self.traces.insert(call.to_owned(), trace);
            }
        }
    }

    /// Returns the trace of a call: the id of the outermost call that led to it.
    fn trace(&self, fields: &Map<String, Value>) -> Option<Vec<u8>> {
        let call = string(fields, "correlation_id")?;
        match string(fields, "parent") {
            Some(parent) => match self.traces.get(parent) {
                Some(trace) => Some(trace.clone()),
                None => id(parent),
            },
            None => id(call),
        }
    }

    fn log(&self, event: &TailEvent) -> LogRecord {
        let fields = fields(event);
        let mut attributes = attributes(&fields);
        attributes.push(text("log.record.uid", event.hash.to_string()));
        let (severity, word) = if is_notable(&fields) {
            (SeverityNumber::Warn, "WARN")
        } else {
            (SeverityNumber::Info, "INFO")
        };
        let kind = string(&fields, "event").unwrap_or("unknown");
        LogRecord {
            time_unix_nano: time(&fields),
            observed_time_unix_nano: nanoseconds(Timestamp::now()),
            severity_number: severity.into(),
            severity_text: word.to_owned(),
            body: Some(AnyValue {
                value: Some(Any::StringValue(event.line.clone())),
            }),
            attributes,
            event_name: format!("toolwright.{kind}"),
            trace_id: self.trace(&fields).unwrap_or_default(),
            span_id: span_id(&fields, "correlation_id").unwrap_or_default(),
            ..LogRecord::default()
        }
    }

    /// Returns the span of a call that has ended, or was refused.
    fn span(&self, fields: &Map<String, Value>) -> Option<Span> {
        let outcome = string(fields, "outcome")?;
        let tool = string(fields, "tool")?;
        let end = time(fields);
        let duration = fields.get("duration_ms").and_then(Value::as_u64);
        let duration = duration.unwrap_or_default().saturating_mul(1_000_000);
        let mut attributes = attributes(fields);
        let status = if outcome == "ok" {
            Status::default()
        } else {
            let error = string(fields, "error").or_else(|| string(fields, "reason"));
            let error = error.unwrap_or(outcome);
            if !fields.contains_key("error") {
                attributes.push(text("error.type", error));
            }
            Status {
                message: error.to_owned(),
                code: StatusCode::Error.into(),
            }
        };
        Some(Span {
            trace_id: self.trace(fields)?,
            span_id: span_id(fields, "correlation_id")?,
            parent_span_id: span_id(fields, "parent").unwrap_or_default(),
            name: format!("execute_tool {tool}"),
            kind: SpanKind::Internal.into(),
            start_time_unix_nano: end.saturating_sub(duration),
            end_time_unix_nano: end,
            attributes,
            status: Some(status),
            ..Span::default()
        })
    }
}

fn fields(event: &TailEvent) -> Map<String, Value> {
    serde_json::from_str(&event.line).unwrap_or_default()
}

fn string<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    fields.get(key)?.as_str()
}

/// Returns the scalar fields as attributes. The body of a record has all fields.
fn attributes(fields: &Map<String, Value>) -> Vec<KeyValue> {
    let mut attributes = Vec::new();
    for (key, value) in fields {
        if OTHERS.contains(&key.as_str()) {
            continue;
        }
        let value = match value {
            Value::String(value) => Any::StringValue(value.clone()),
            Value::Bool(value) => Any::BoolValue(*value),
            Value::Number(value) => match value.as_i64() {
                Some(value) => Any::IntValue(value),
                None => continue,
            },
            Value::Null | Value::Array(_) | Value::Object(_) => continue,
        };
        let mut conventions = CONVENTIONS.iter();
        let convention = conventions.find(|(field, _)| field == key);
        let name = convention.map_or_else(
            || format!("toolwright.{key}"),
            |(_, name)| (*name).to_owned(),
        );
        attributes.push(attribute(name, value));
    }
    if fields.contains_key("correlation_id") {
        attributes.push(text("gen_ai.operation.name", "execute_tool"));
        attributes.push(text("gen_ai.tool.type", "function"));
        if fields.contains_key("session") {
            attributes.push(text("mcp.method.name", "tools/call"));
        }
    }
    attributes
}

/// Checks whether an operator looks for an event: a refusal, a failure, an alert or a fault of the audit.
fn is_notable(fields: &Map<String, Value>) -> bool {
    let is = |key, word| string(fields, key) == Some(word);
    is("decision", "deny")
        || string(fields, "outcome").is_some_and(|outcome| outcome != "ok")
        || matches!(
            string(fields, "event"),
            Some(
                "alert" | "audit_gap" | "audit_reopened" | "notification_failed" | "login_refused"
            )
        )
}

/// Returns the bytes of the id of a call: 32 hexadecimal digits with hyphens.
fn id(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    if pairs.len() != 16 || !rest.is_empty() {
        return None;
    }
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.iter().map(byte).collect()
}

/// Returns the id of the span of a call: the second half of its id, which is random.
fn span_id(fields: &Map<String, Value>, key: &str) -> Option<Vec<u8>> {
    let id = id(string(fields, key)?)?;
    Some(id.get(8..)?.to_vec())
}

fn time(fields: &Map<String, Value>) -> u64 {
    let time = string(fields, "time").and_then(|time| time.parse().ok());
    time.map_or(0, nanoseconds)
}

/// Returns a time in nanoseconds since 1970.
pub(super) fn nanoseconds(time: Timestamp) -> u64 {
    time.as_nanosecond().try_into().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use toolwright_audit::Hash;

    use super::*;

    fn event(line: &str) -> TailEvent {
        TailEvent {
            seq: 1,
            hash: Hash::from_content(line.as_bytes()),
            line: line.to_owned(),
        }
    }

    #[test]
    fn calls_that_calls_made_are_in_the_trace_of_the_outermost() {
        let ids = [1, 2, 3].map(|number| format!("00000000-0000-4000-8000-00000000000{number}"));
        let line = |call: &str, parent: Option<&str>| {
            let parent = parent.map_or_else(String::new, |id| format!("\"parent\":\"{id}\","));
            format!(
                "{{\"event\":\"outcome\",\"time\":\"1970-01-01T00:00:02Z\",{parent}\"outcome\":\"ok\",\
                 \"duration_ms\":1500,\"tool\":\"get-depot-item\",\"correlation_id\":\"{call}\"}}"
            )
        };
        let [one, two, three] = &ids;
        let events = [
            event(&line(two, Some(one)).replace("outcome\":\"ok", "reason\":\"x")),
            event(&line(three, Some(two))),
            event(&line(two, Some(one))),
            event(&line(one, None)),
        ];
        let request = Records::default().spans("i", &events).unwrap();
        let spans = &request.resource_spans[0].scope_spans[0].spans;
        assert_eq!(spans.len(), 3);
        for span in spans {
            assert_eq!(span.trace_id, id(one).unwrap());
            assert_eq!(span.name, "execute_tool get-depot-item");
            assert_eq!(span.start_time_unix_nano, 500_000_000);
            assert_eq!(span.end_time_unix_nano, 2_000_000_000);
        }
        assert_eq!(spans[0].parent_span_id, spans[1].span_id);
        assert_eq!(spans[1].parent_span_id, spans[2].span_id);
        assert!(spans[2].parent_span_id.is_empty());
    }
}
