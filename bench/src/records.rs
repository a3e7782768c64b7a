//! The data: what was measured, as a file that grows.

use std::{collections::BTreeMap, fs, io, path::Path};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::generator::Generator;

/// The file in the folder of the data.
const FILE: &str = "measured.json";

/// All that was measured.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Records {
    /// The sizes of the documents, in bytes.
    pub(crate) documents: BTreeMap<String, u64>,
    measured: Vec<Record>,
}

/// What one program did with one document.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) document: String,
    pub(crate) phase: Phase,
    pub(crate) generator: Generator,
    pub(crate) outcome: Outcome,
}

/// A step that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Phase {
    /// From a document to a crate.
    Generate,
    /// From a document to a crate that is there already.
    Again,
    /// `cargo check` of the crate alone.
    Check,
    /// `cargo build` of the crate alone.
    Build,
}

impl Phase {
    /// How often it is measured; the run that took the least CPU time counts. What takes less than a
    /// second hangs on what else the system does meanwhile.
    pub(crate) const fn runs(self) -> usize {
        match self {
            Self::Generate | Self::Again => 3,
            Self::Check | Self::Build => 1,
        }
    }
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Done(Cost),
    Failed,
    TimedOut,
}

impl Outcome {
    /// The one that took less CPU time, of two that are done; otherwise the one that is not.
    pub(crate) fn least(self, other: Self) -> Self {
        match (self, other) {
            (Self::Done(one), Self::Done(other)) if one.seconds > other.seconds => {
                Self::Done(other)
            }
            (Self::Done(_), Self::Failed | Self::TimedOut) => other,
            _ => self,
        }
    }
}

/// What it cost.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// CPU seconds, user and system.
    pub(crate) seconds: f64,
    /// Peak resident memory in MiB.
    pub(crate) mebibytes: f64,
}

impl Records {
    /// Reads the file of a folder; nothing was measured where it is absent.
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        match fs::read(folder.join(FILE)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes the file.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(folder.join(FILE), text + "\n"))
            .map_err(|error| error.to_string())
    }

    /// Adds what was measured, in the place of what was known of it.
    pub(crate) fn add(&mut self, record: Record) {
        self.measured.retain(|known| {
            (&known.document, known.phase, known.generator)
                != (&record.document, record.phase, record.generator)
        });
        self.measured.push(record);
        let key = |record: &Record| (record.phase, record.document.clone(), record.generator);
        self.measured.sort_by_key(key);
    }

    /// How a step of a generator went with a document.
    pub(crate) fn outcome(
        &self,
        document: &str,
        phase: Phase,
        generator: Generator,
    ) -> Option<Outcome> {
        let mut records = self.measured.iter();
        records
            .find(|record| {
                record.document == document
                    && record.phase == phase
                    && record.generator == generator
            })
            .map(|record| record.outcome)
    }

    /// What a step of a generator cost with a document, where it succeeded.
    pub(crate) fn cost(&self, document: &str, phase: Phase, generator: Generator) -> Option<Cost> {
        match self.outcome(document, phase, generator)? {
            Outcome::Done(cost) => Some(cost),
            Outcome::Failed | Outcome::TimedOut => None,
        }
    }
}
