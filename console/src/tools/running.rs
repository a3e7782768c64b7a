//! The calls that run: those that were allowed and have no end yet.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use tokio::task::spawn_blocking;
use toolwright_audit::search::{Bounds, Filter, latest};

use crate::{console::Console, event::Event};

/// The time after which a call without an end is not shown as running.
pub(super) const LONGEST_RUN: SignedDuration = SignedDuration::from_hours(1);

/// The most bytes of the audit that are read.
const MOST_BYTES: u64 = 8 << 20;

/// Returns the last events that match a filter, the newest first.
pub(super) async fn events(console: &Console, filter: Filter, most: usize) -> Vec<Event> {
    let audit = console.settings().audit_file().to_owned();
    let bounds = Bounds {
        before: None,
        most,
        bytes: MOST_BYTES,
    };
    let read = spawn_blocking(move || latest(&audit, &filter, bounds).unwrap_or_default());
    let found = read.await.unwrap_or_default();
    let lines = found.lines.iter();
    lines.filter_map(|line| Event::read(line)).collect()
}

/// Returns those events that began a call which has no end among them.
pub(super) fn running(events: &[Event], now: Timestamp) -> Vec<&Event> {
    let is = |event: &&Event, kind: &str| event.text("event") == kind;
    let ended = events.iter().filter(|event| is(event, "outcome"));
    let ended: BTreeSet<&str> = ended.map(|event| event.text("correlation_id")).collect();
    let is_recent = |event: &&Event| {
        let time = event.time();
        time.is_some_and(|time| time.duration_until(now) < LONGEST_RUN)
    };
    let begun = events.iter().filter(|event| is(event, "decision"));
    begun
        .filter(|event| event.text("decision") == "allow" && is_recent(event))
        .filter(|event| !ended.contains(event.text("correlation_id")))
        .collect()
}
