//! The layers of a confinement, as an operator names them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A part of the confinement that an operator can require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layer {
    /// The kernel permits access to the stated files alone: Landlock with at least ABI 3, which also
    /// covers links between folders and truncation.
    Files,
    /// The kernel permits the stated TCP connections alone: seccomp for no network, and Landlock with
    /// at least ABI 4 in addition for single ports.
    Network,
    /// The kernel ends all processes of a run together and hides all others: a namespace of processes
    /// with a `/proc` of its own.
    Processes,
    /// The kernel permits the listed system calls alone: seccomp.
    SystemCalls,
}

impl Layer {
    /// All layers.
    pub const ALL: [Self; 4] = [
        Self::Files,
        Self::Network,
        Self::Processes,
        Self::SystemCalls,
    ];

    /// Returns the name of the layer in a configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Network => "network",
            Self::Processes => "processes",
            Self::SystemCalls => "system_calls",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Layer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|layer| layer.as_str() == text);
        found.ok_or_else(|| {
            let known = Self::ALL.map(|layer| format!("`{layer}`")).join(", ");
            format!("no layer of the sandbox is called `{text}`; expected one of {known}")
        })
    }
}
