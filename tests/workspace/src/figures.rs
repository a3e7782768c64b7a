//! The figures, as the data file holds them. Times are in microseconds.

use std::{error::Error, fs, path::Path, time::Duration};

use serde::{Deserialize, Serialize};

/// Everything that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// The number of files of the tree.
    pub(crate) files: usize,
    /// The calls of each kind.
    pub(crate) calls: usize,
    /// The calls that are in flight at any time for the calls per second.
    pub(crate) in_flight: usize,
    /// The version of the reference server.
    pub(crate) reference: String,
    pub(crate) kinds: Vec<Kind>,
    /// The search of the whole tree.
    pub(crate) search: Option<Search>,
}

/// A kind of call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) ours: Times,
    pub(crate) reference: Times,
    /// A server of the protocol library alone, without any check.
    pub(crate) bare: Times,
}

/// The times of calls.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) median: f64,
    pub(crate) p99: f64,
    pub(crate) per_second: f64,
}

/// The median times of a search.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Search {
    pub(crate) searches: usize,
    /// A call over MCP.
    pub(crate) ours: f64,
    /// A process of `rg`, without its start.
    pub(crate) ripgrep: f64,
}

impl Figures {
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(fs::write(path, text)?)
    }
}

/// Returns the value below which a part of the times is, in microseconds.
pub(crate) fn quantile(times: &mut [Duration], part: f64) -> f64 {
    times.sort_unstable();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an index of a short list"
    )]
    let at = (times.len() as f64 * part) as usize;
    let at = at.min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default().as_secs_f64() * 1e6
}
