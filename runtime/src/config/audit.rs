//! `[audit]`: where the events go, and what they guarantee.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use toolwright_model::settings::Reader as _;

use super::{
    reader::{ConfigReader, TomlNode},
    sinks::SinkConfig,
};
use crate::audit::{AuditFile, AuditMode, AuditOptions};

/// The keys of the table.
pub(super) const AUDIT_KEYS: [&str; 15] = [
    "file",
    "key",
    "mode",
    "values",
    "value_sources",
    "reads_without_audit",
    "segment_mib",
    "segment_hours",
    "keep_days",
    "checkpoint_events",
    "checkpoint_seconds",
    "instance",
    "postgres",
    "nats",
    "otlp",
];

/// The largest segment, in MiB.
pub(super) const LARGEST_SEGMENT: u64 = 4_096;

/// The longest time that a segment is written to, in hours: a year.
pub(super) const LONGEST_SEGMENT: u64 = 24 * 366;

/// The longest time that segments are kept, in days: a century.
pub(super) const LONGEST_KEPT: u64 = 36_600;

/// The most events, or seconds, between two checkpoints.
pub(super) const MOST_BETWEEN_CHECKPOINTS: u64 = 100_000;

/// The number of bytes of a MiB.
const MIB: u64 = 1 << 20;

/// `[audit]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditConfig {
    /// `file`: the file of the events.
    pub file: PathBuf,
    /// `values`: true to record the values of arguments, with the secret ones masked.
    pub values: bool,
    /// `value_sources`: true to record which results the values of arguments come from.
    pub value_sources: bool,
    /// `reads_without_audit`: true to let calls that only read pass while the audit cannot be
    /// written.
    pub reads_without_audit: bool,
    /// `instance`: the name of this audit among those that share a sink. By default it is the id of the
    /// key.
    pub instance: Option<String>,
    /// The further destinations of the events.
    pub sinks: Vec<SinkConfig>,
    /// `mode`, `key`, and the keys of segments and checkpoints.
    pub options: AuditOptions,
}

impl AuditConfig {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            file: root.join(".toolwright/audit.jsonl"),
            values: false,
            value_sources: false,
            reads_without_audit: false,
            instance: None,
            sinks: Vec::new(),
            options: AuditOptions::default(),
        }
    }

    pub(super) fn read(&mut self, table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) {
        reader.check_keys(table, &AUDIT_KEYS);
        if let Some(file) = reader.string(table, "file") {
            self.file = root.join(file.value);
        }
        self.sinks = SinkConfig::read_all(table, root, reader);
        self.instance = read_instance(table, reader);
        let options = &mut self.options;
        options.spools = self.sinks.iter().map(SinkConfig::spool).collect();
        options.key = reader.string(table, "key").map(|key| root.join(key.value));
        if let Some(mode) = reader.word(table, "mode", AuditMode::ALL) {
            options.mode = mode.value;
        }
        let mut number = |key, most| reader.number(table, key, 1..=most).map(|found| found.value);
        if let Some(size) = number("segment_mib", LARGEST_SEGMENT) {
            options.segment_bytes = size * MIB;
        }
        if let Some(hours) = number("segment_hours", LONGEST_SEGMENT) {
            options.segment_age = Duration::from_hours(hours);
        }
        options.keep =
            number("keep_days", LONGEST_KEPT).map(|days| Duration::from_hours(days * 24));
        if let Some(events) = number("checkpoint_events", MOST_BETWEEN_CHECKPOINTS) {
            options.checkpoint_events = events;
        }
        if let Some(seconds) = number("checkpoint_seconds", MOST_BETWEEN_CHECKPOINTS) {
            options.checkpoint_age = Duration::from_secs(seconds);
        }
        let mut is_set = |key| reader.boolean(table, key).is_some_and(|set| set.value);
        self.values = is_set("values");
        self.value_sources = is_set("value_sources");
        self.reads_without_audit = is_set("reads_without_audit");
    }

    /// Returns the audit in the file.
    #[must_use]
    pub fn open(&self) -> AuditFile {
        AuditFile::new(&self.file).options(self.options.clone())
    }
}

/// Reads the name of the instance, which is a part of subjects and a key of tables.
fn read_instance(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<String> {
    let name = reader.exact_text(table, "instance")?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    if name.value.len() > 64 || !name.value.chars().all(is_name) {
        let help = "use at most 64 letters, digits, `-` and `_`";
        reader.problem(name.place, "`instance` is not a name", help);
        return None;
    }
    Some(name.value)
}
