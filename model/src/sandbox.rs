//! The layers of the sandbox in which tools write files and run programs.

use std::{fmt, str::FromStr};

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A layer of the sandbox in which tools write files and run programs. A call that requires a layer which
/// the machine does not have is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SandboxLayer {
    /// The kernel permits access to the files in scope alone.
    Files,
    /// The kernel permits the connections in scope alone.
    Network,
    /// The kernel ends all processes of a call together, and hides all others from them.
    Processes,
    /// The kernel permits listed system calls alone.
    SystemCalls,
}

impl SandboxLayer {
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

impl fmt::Display for SandboxLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SandboxLayer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|layer| layer.as_str() == text);
        found.ok_or_else(|| {
            let known = Self::ALL.map(|layer| format!("`{layer}`")).join(", ");
            format!("the sandbox has no layer `{text}`; expected one of {known}")
        })
    }
}
