//! An event of the audit.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// An event of the audit.
#[derive(Clone, Debug)]
pub(crate) struct Event(Map<String, Value>);

impl Event {
    /// Reads a line. Returns none if it is not an event.
    pub(crate) fn read(line: &str) -> Option<Self> {
        match serde_json::from_str(line).ok()? {
            Value::Object(fields) => Some(Self(fields)),
            _ => None,
        }
    }

    /// Returns a field that is a string; an empty one if it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the time of the event.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.text("time").parse().ok()
    }

    /// Returns the number of the event.
    pub(crate) fn seq(&self) -> u64 {
        self.0
            .get("seq")
            .and_then(Value::as_u64)
            .unwrap_or_default()
    }

    /// Returns the fields, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns what the event is about: a tool, or else what a person did or changed.
    pub(crate) fn subject(&self) -> &str {
        let names = [
            "tool",
            "skill",
            "token",
            "standing_grant",
            "action",
            "alert",
            "policy",
        ];
        let mut texts = names.into_iter().map(|name| self.text(name));
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Returns the word for how the event went, and whether it went well if that is known.
    pub(crate) fn verdict(&self) -> (&str, Option<bool>) {
        let outcome = self.text("outcome");
        if self.text("event") == "outcome" {
            return (outcome, Some(outcome == "ok"));
        }
        let decision = self.text("decision");
        // The call was not refused for good: it waits for a person.
        if self.text("reason") == "approval_required" {
            return ("waits", None);
        }
        let is_good = match decision {
            "allow" | "approved" => Some(true),
            "deny" | "rejected" => Some(false),
            _ => None,
        };
        (decision, is_good)
    }
}
