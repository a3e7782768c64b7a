//! The figures, as the data file holds them. Times are in microseconds, if nothing else is stated.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::Failure;

/// Everything that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// The version of `FastMCP`.
    pub(crate) peer: String,
    pub(crate) rounds: usize,
    pub(crate) turn_milliseconds: u64,
    /// The load of the machine before the measurement, over one minute.
    pub(crate) load: f64,
    pub(crate) calls: Vec<Calls>,
    pub(crate) lists: Vec<List>,
    pub(crate) beside: Beside,
}

/// The calls of one server over one transport.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Calls {
    pub(crate) transport: String,
    pub(crate) callers: usize,
    pub(crate) server: String,
    /// The median over the rounds.
    pub(crate) per_second: f64,
    /// The server's CPU time for a call, the median over the rounds.
    pub(crate) cpu: f64,
}

/// The start of a server with the large document, and its list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct List {
    pub(crate) server: String,
    pub(crate) tools: usize,
    pub(crate) bytes: usize,
    /// The CPU time to the end of the first list, in seconds.
    pub(crate) start_cpu_seconds: f64,
    pub(crate) start_seconds: f64,
    /// The CPU time of a further list, in milliseconds.
    pub(crate) again_cpu_milliseconds: f64,
    pub(crate) peak_memory: u64,
    /// The part of the memory that holds pages of files, such as the program.
    pub(crate) file_memory: u64,
}

/// A small call of one client, alone and while another client lists the large document again and again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Beside {
    pub(crate) alone: Quantiles,
    pub(crate) beside: Quantiles,
    pub(crate) lists: usize,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

impl Figures {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(fs::write(path, text)?)
    }
}

/// Returns the value below which a part of the values is.
pub(crate) fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an index of a short list"
    )]
    let at = (values.len() as f64 * part) as usize;
    let at = at.min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or_default()
}
