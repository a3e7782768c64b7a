//! The fields of an event that the reading parts need.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

/// The fields of an event that a search, an index or a report reads. Other fields are ignored, so
/// events of other versions can be read too.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Entry<'a> {
    /// The kind of the event.
    #[serde(borrow, default)]
    pub event: Cow<'a, str>,
    /// The time.
    #[serde(default)]
    pub time: Option<Timestamp>,
    /// The id of the call.
    #[serde(borrow, default)]
    pub correlation_id: Option<Cow<'a, str>>,
    /// The id of the call that made the call.
    #[serde(borrow, default)]
    pub parent: Option<Cow<'a, str>>,
    /// The role.
    #[serde(borrow, default)]
    pub role: Option<Cow<'a, str>>,
    /// The tool.
    #[serde(borrow, default)]
    pub tool: Option<Cow<'a, str>>,
    /// The kind of the tool.
    #[serde(borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    /// The run.
    #[serde(borrow, default)]
    pub run: Option<Cow<'a, str>>,
    /// The decision.
    #[serde(borrow, default)]
    pub decision: Option<Cow<'a, str>>,
    /// The reason of a decision, or of what happened to the audit.
    #[serde(borrow, default)]
    pub reason: Option<Cow<'a, str>>,
    /// The end of a call.
    #[serde(borrow, default)]
    pub outcome: Option<Cow<'a, str>>,
    /// The duration of a call in milliseconds.
    #[serde(default)]
    pub duration_ms: Option<u64>,
    /// The name of an alert.
    #[serde(borrow, default)]
    pub alert: Option<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    /// Reads the fields of a line. Returns none if it is not an event.
    #[must_use]
    pub fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}
