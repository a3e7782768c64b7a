//! The audit trail, read from its file as any program would read it.

use std::{fs, path::Path};

use anstyle::AnsiColor;
use serde_json::Value;

use crate::{
    Failure,
    output::{Cell, Table},
};

/// The events in the file, the oldest first.
pub(super) fn read(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))?;
    let events: Result<_, _> = text.lines().map(serde_json::from_str).collect();
    events.map_err(|error| {
        Failure::new(format!(
            "`{}` is not an audit file: {error}",
            file.display()
        ))
    })
}

/// Returns a field of an event as a string, or an empty one if the field is absent.
pub(super) fn text<'a>(event: &'a Value, field: &str) -> &'a str {
    event.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The events as a table.
pub(super) fn table(events: &[Value]) -> Table {
    let mut table = Table::new(["CALL", "ROLE", "TOOL", "EVENT", "WHAT", "REASON AND RESULT"]);
    for event in events {
        let call: String = text(event, "correlation_id").chars().take(4).collect();
        table.row([
            call.into(),
            text(event, "role").into(),
            tool(event).into(),
            text(event, "event").into(),
            describe_event(event),
            describe_outcome(event).into(),
        ]);
    }
    table
}

/// The tool that an event is about. A skill is one too.
fn tool(event: &Value) -> &str {
    match text(event, "skill") {
        "" => text(event, "tool"),
        skill => skill,
    }
}

/// The decision, the outcome or the standing of a skill, in its colour; of other events nothing.
fn describe_event(event: &Value) -> Cell {
    let word = match text(event, "event") {
        "decision" | "approval" => text(event, "decision"),
        "outcome" => text(event, "outcome"),
        "skill_moved" => text(event, "to"),
        _ => return "".into(),
    };
    let color = match word {
        "allow" | "approved" | "ok" | "reviewed" | "active" => AnsiColor::Green,
        _ => AnsiColor::Red,
    };
    Cell::styled(word, color.on_default())
}

/// Returns the reason of a decision, the outcome of a call, or the person who decided something.
fn describe_outcome(event: &Value) -> String {
    let number = |field: &str| event.get(field).and_then(Value::as_u64);
    if let (Some(status), Some(time)) = (number("status"), number("duration_ms")) {
        return format!("HTTP {status} in {time} ms");
    }
    if let Some(calls) = number("calls") {
        return format!("{calls} calls");
    }
    match (
        text(event, "reason"),
        text(event, "approval"),
        text(event, "person"),
    ) {
        ("", "", person) if !person.is_empty() => format!("by {person}"),
        (reason, "", _) => reason.to_owned(),
        (reason, approval, "") => format!("{reason} {approval}"),
        (_, approval, person) => format!("{approval} by {person}"),
    }
}
