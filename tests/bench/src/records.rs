//! The measured data, stored in one file.

use std::{collections::BTreeMap, fs, io, path::Path};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::generator::Generator;

/// The data file's name.
const FILE: &str = "measured.json";

/// All measurements.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Records {
    /// The sizes of the documents, in bytes.
    pub(crate) documents: BTreeMap<String, u64>,
    measured: Vec<Record>,
}

/// The outcome of one program for one document.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) document: String,
    pub(crate) phase: Phase,
    pub(crate) generator: Generator,
    pub(crate) outcome: Outcome,
}

/// A measured step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Phase {
    /// Generates a crate from a document.
    Generate,
    /// Generates the crate again when it exists.
    Again,
    /// Runs `cargo check` on the crate alone.
    Check,
    /// Runs `cargo build` on the crate alone.
    Build,
}

impl Phase {
    /// The number of runs; the one with the least CPU time counts. A run below a second varies with
    /// the other load of the system.
    pub(crate) const fn runs(self) -> usize {
        match self {
            Self::Generate | Self::Again => 3,
            Self::Check | Self::Build => 1,
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Done(Cost),
    Failed,
    TimedOut,
}

impl Outcome {
    /// Returns the cheaper of two successful outcomes, or the one that did not succeed.
    pub(crate) fn cheaper(self, other: Self) -> Self {
        match (self, other) {
            (Self::Done(one), Self::Done(other)) if one.seconds > other.seconds => {
                Self::Done(other)
            }
            (Self::Done(_), Self::Failed | Self::TimedOut) => other,
            _ => self,
        }
    }
}

/// The cost of a run.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// CPU seconds, user and system.
    pub(crate) seconds: f64,
    /// Peak resident memory in MiB.
    pub(crate) mebibytes: f64,
}

impl Records {
    /// Reads the data file of a folder. Returns no records if it does not exist.
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        match fs::read(folder.join(FILE)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Writes the data file.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(folder.join(FILE), text + "\n"))
            .map_err(|error| error.to_string())
    }

    /// Adds a record and replaces an earlier one of the same measurement.
    pub(crate) fn add(&mut self, record: Record) {
        self.measured.retain(|known| {
            (&known.document, known.phase, known.generator)
                != (&record.document, record.phase, record.generator)
        });
        self.measured.push(record);
        let key = |record: &Record| (record.phase, record.document.clone(), record.generator);
        self.measured.sort_by_key(key);
    }

    /// The recorded outcome of a generator's step for a document.
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

    /// The cost of a generator's step for a document, if it succeeded.
    pub(crate) fn cost(&self, document: &str, phase: Phase, generator: Generator) -> Option<Cost> {
        match self.outcome(document, phase, generator)? {
            Outcome::Done(cost) => Some(cost),
            Outcome::Failed | Outcome::TimedOut => None,
        }
    }
}
