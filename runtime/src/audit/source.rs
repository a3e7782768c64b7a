//! The process that records events.

use std::sync::OnceLock;

use serde::Serialize;

use super::bounds::bounded_name;
use crate::system;

/// The process that recorded an event, as the operating system knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// The user that the process runs as.
    pub os_user: String,
    /// The name of the machine, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The id of the process.
    pub process: u32,
}

impl Source {
    /// Returns this process. The operating system is asked once.
    pub(crate) fn this_process() -> &'static Self {
        static THIS: OnceLock<Source> = OnceLock::new();
        THIS.get_or_init(|| Self {
            os_user: bounded_name(&system::user()),
            host: system::host().map(|host| bounded_name(&host)),
            process: std::process::id(),
        })
    }
}
