//! `[policy.alerts.*]`: rules that count events of the audit.

use std::time::Duration;

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};
use crate::audit::{AlertGroup, AlertRule, AlertTrigger};

/// The keys of the table.
pub(super) const ALERT_KEYS: [&str; 4] = ["on", "count", "within_seconds", "per"];

/// The most events that an alert counts.
pub(super) const MOST_COUNTED: u64 = 100_000;

/// The longest time within which events are counted, in seconds: a day.
pub(super) const LONGEST_WITHIN: u64 = 24 * 60 * 60;

/// The default time within which events are counted, in seconds.
pub(super) const WITHIN_SECONDS: u64 = 300;

/// Reads the rules of alerts of `[policy]`.
pub(super) fn read(policy: TomlNode<'_>, reader: &mut ConfigReader) -> Vec<AlertRule> {
    let rules = reader.tables(policy, "alerts", |reader, table| {
        reader.check_keys(table, &ALERT_KEYS);
        reader.require(
            table,
            "on",
            "add the events that count, such as `\"denied\"`",
        );
        let on = reader.word(table, "on", AlertTrigger::ALL);
        let count = reader.number(table, "count", 1..=MOST_COUNTED);
        let within = reader.number(table, "within_seconds", 1..=LONGEST_WITHIN);
        let per = reader.word(table, "per", AlertGroup::ALL);
        let within = within.map_or(WITHIN_SECONDS, |within| within.value);
        on.map(|on| {
            (
                on.value,
                count.map_or(1, |count| count.value),
                Duration::from_secs(within),
                per.map_or(AlertGroup::Run, |per| per.value),
            )
        })
    });
    let rules = rules.into_iter().filter_map(|(name, rule)| {
        let name: String = name.value;
        let (on, count, within, per) = rule?;
        Some(AlertRule::new(name, on, count, within, per))
    });
    rules.collect()
}
