//! `[discovery]`: what agents with many tools see.

use std::path::{Path, PathBuf};

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};
use crate::discovery::DEFAULT_THRESHOLD;

/// The keys of the table.
pub(super) const DISCOVERY_KEYS: [&str; 2] = ["threshold", "model"];

/// The greatest threshold.
pub(super) const MOST_TOOLS: u64 = 1_000_000;

/// `[discovery]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiscoveryConfig {
    /// `threshold`: the number of tools from which on a view offers discovery in place of its list;
    /// none for 0, if it never does.
    pub threshold: Option<usize>,
    /// `model`: the folder of a local model, by which a search compares meanings too.
    pub model: Option<PathBuf>,
}

impl DiscoveryConfig {
    pub(super) fn read(table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) -> Self {
        reader.check_keys(table, &DISCOVERY_KEYS);
        let model = reader.string(table, "model");
        let default = Self {
            model: model.map(|model| root.join(model.value)),
            ..Self::default()
        };
        let Some(threshold) = reader.number(table, "threshold", 0..=MOST_TOOLS) else {
            return default;
        };
        let threshold = usize::try_from(threshold.value).unwrap_or(usize::MAX);
        Self {
            threshold: (threshold > 0).then_some(threshold),
            ..default
        }
    }
}

impl Default for DiscoveryConfig {
    fn default() -> Self {
        Self {
            threshold: Some(DEFAULT_THRESHOLD),
            model: None,
        }
    }
}
