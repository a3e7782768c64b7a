//! `[discovery]`: what agents with many tools see.

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};
use crate::discovery::DEFAULT_THRESHOLD;

/// The keys of the table.
pub(super) const DISCOVERY_KEYS: [&str; 1] = ["threshold"];

/// The greatest threshold.
pub(super) const MOST_TOOLS: u64 = 1_000_000;

/// `[discovery]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiscoveryConfig {
    /// `threshold`: the number of tools from which on a view offers discovery in place of its list;
    /// none for 0, if it never does.
    pub threshold: Option<usize>,
}

impl DiscoveryConfig {
    pub(super) fn read(table: TomlNode<'_>, reader: &mut ConfigReader) -> Self {
        reader.check_keys(table, &DISCOVERY_KEYS);
        let Some(threshold) = reader.number(table, "threshold", 0..=MOST_TOOLS) else {
            return Self::default();
        };
        let threshold = usize::try_from(threshold.value).unwrap_or(usize::MAX);
        Self {
            threshold: (threshold > 0).then_some(threshold),
        }
    }
}

impl Default for DiscoveryConfig {
    fn default() -> Self {
        Self {
            threshold: Some(DEFAULT_THRESHOLD),
        }
    }
}
