//! The figures, as the data file holds them. Times are in microseconds.

use std::{fs, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

/// Everything that was measured.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Figures {
    pub(crate) calls: Option<Calls>,
    pub(crate) refusals: Vec<Refusal>,
    pub(crate) instructions: Vec<Instructions>,
    pub(crate) registries: Vec<RegistryFigures>,
    pub(crate) instances: Option<Instances>,
}

/// The middle and the end of a distribution, in microseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

/// Calls with 10,000 tools and 100 roles.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Calls {
    pub(crate) tools: usize,
    pub(crate) roles: usize,
    pub(crate) number: usize,
    /// A call of a function that does nothing: the boundary alone.
    pub(crate) boundary: Times,
    /// A bare request to a service on the same machine.
    pub(crate) bare: Times,
    /// The same request as a governed call.
    pub(crate) governed: Times,
}

/// The times of refused calls for one reason.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) question: String,
    pub(crate) reason: String,
    pub(crate) median: f64,
}

/// The instructions of one call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Instructions {
    pub(crate) what: String,
    pub(crate) number: u64,
}

/// The figures of a registry.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct RegistryFigures {
    pub(crate) tools: usize,
    pub(crate) roles: usize,
    pub(crate) build_ms: f64,
    /// The memory that building the registry took, without the tools' records.
    pub(crate) kib: u64,
    pub(crate) reload_ms: f64,
    pub(crate) list_ms: f64,
    pub(crate) decision: Times,
    /// From a published switch to the first view that knows it.
    pub(crate) switch_us: f64,
}

/// Several processes on one PostgreSQL.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Instances {
    pub(crate) processes: usize,
    pub(crate) requests_per_second: f64,
    pub(crate) alone_per_second: f64,
    /// From a switch in one process to its publication in another, in milliseconds.
    pub(crate) propagation_ms: Times,
}

impl Figures {
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    pub(crate) fn write(&self, file: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        fs::write(file, text + "\n").map_err(|error| error.to_string())
    }
}

impl Times {
    /// Sorts the times and returns their median and their 99th percentile.
    pub(crate) fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        let at = |share: usize| {
            let index = times.len().saturating_sub(1) * share / 100;
            times.get(index).copied().unwrap_or_default()
        };
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        Self {
            median: micros(at(50)),
            p99: micros(at(99)),
        }
    }
}
