//! `[skills]`: where the skills are, and when one is deprecated by itself.

use std::path::{Path, PathBuf};

use toolwright_model::settings::Reader as _;

use super::reader::{ConfigReader, TomlNode};

/// The keys of the table.
pub(super) const SKILLS_KEYS: [&str; 3] = ["folder", "health_runs", "health_percent"];

/// The greatest number of runs that the health of a skill is computed from.
pub(super) const MOST_HEALTH_RUNS: u64 = 1_000;

/// The default number of runs that the health of a skill is computed from.
pub(super) const HEALTH_RUNS: u64 = 20;

/// The default success rate below which a skill is deprecated, in percent.
pub(super) const HEALTH_PERCENT: u64 = 90;

/// `[skills]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillsConfig {
    /// `folder`: the folder with a folder for each skill.
    pub folder: PathBuf,
    /// `health_runs`: the number of runs that the health of a skill is computed from.
    pub health_runs: u64,
    /// `health_percent`: the success rate below which a skill is deprecated, in percent; 0 for never.
    pub health_percent: u64,
}

impl SkillsConfig {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            folder: root.join("skills"),
            health_runs: HEALTH_RUNS,
            health_percent: HEALTH_PERCENT,
        }
    }

    pub(super) fn read(&mut self, table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) {
        reader.check_keys(table, &SKILLS_KEYS);
        if let Some(folder) = reader.string(table, "folder") {
            self.folder = root.join(folder.value);
        }
        if let Some(runs) = reader.number(table, "health_runs", 1..=MOST_HEALTH_RUNS) {
            self.health_runs = runs.value;
        }
        if let Some(percent) = reader.number(table, "health_percent", 0..=100) {
            self.health_percent = percent.value;
        }
    }
}
