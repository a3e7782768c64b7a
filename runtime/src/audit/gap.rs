//! The event of missing or damaged events.

use std::ops::AddAssign;

use serde::Serialize;

/// Events that are missing or damaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// The number of events that could not be recorded.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_events: u64,
    /// The number of outcomes among them.
    #[serde(skip_serializing_if = "is_zero")]
    pub lost_outcomes: u64,
    /// The number of incomplete lines that precede this event.
    #[serde(skip_serializing_if = "is_zero")]
    pub torn_lines: u64,
}

impl AddAssign for Gap {
    fn add_assign(&mut self, other: Self) {
        self.lost_events += other.lost_events;
        self.lost_outcomes += other.lost_outcomes;
        self.torn_lines += other.torn_lines;
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}
