//! The bounds of the server, as options of the command line.

use std::time::Duration;

use clap::{Args, value_parser};

/// The most seconds that an option takes: one day.
const DAY: u64 = 86_400;

/// Bounds of calls, for every transport.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct CallLimits {
    /// The calls that may run at the same time; more are refused as `server_busy`
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = value_parser!(u32).range(1..))]
    max_calls: u32,

    /// The calls of one session that may run at the same time
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = value_parser!(u32).range(1..))]
    max_session_calls: u32,

    /// The seconds that running calls have to finish after SIGTERM or SIGINT
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = value_parser!(u64).range(..=DAY))]
    shutdown_seconds: u64,
}

/// Bounds of HTTP.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Limits of --transport http")]
pub(super) struct HttpLimits {
    /// The connections that may be open at the same time [default: 128]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    max_connections: Option<u32>,

    /// The MCP sessions that may be open at the same time [default: 256]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    max_sessions: Option<u32>,

    /// The MiB of memory that the requests being handled may need together [default: 512]
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u32).range(1..=65_536))]
    max_memory: Option<u32>,

    /// The seconds after which a session without messages ends [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=DAY))]
    session_seconds: Option<u64>,

    /// The seconds within which the header of a request must arrive, also the first after a
    /// connection was idle [default: 15]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=DAY))]
    header_seconds: Option<u64>,

    /// The seconds within which the body of a request must arrive [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..=DAY))]
    body_seconds: Option<u64>,
}

impl CallLimits {
    /// The calls that may run at the same time.
    pub(super) fn all(&self) -> usize {
        count(self.max_calls)
    }

    /// The calls of one session that may run at the same time.
    pub(super) fn per_session(&self) -> usize {
        count(self.max_session_calls)
    }

    /// Returns the time that running calls have after the server is asked to end.
    pub(super) const fn shutdown(&self) -> Duration {
        Duration::from_secs(self.shutdown_seconds)
    }
}

impl HttpLimits {
    /// The connections that may be open at the same time.
    pub(super) fn connections(&self) -> usize {
        count(self.max_connections.unwrap_or(128))
    }

    /// The sessions that may be open at the same time.
    pub(super) fn sessions(&self) -> usize {
        count(self.max_sessions.unwrap_or(256))
    }

    /// The memory that the requests being handled may need together, in KiB.
    pub(super) fn memory_kib(&self) -> usize {
        count(self.max_memory.unwrap_or(512)).saturating_mul(1024)
    }

    /// Returns the lifetime of a session without messages.
    pub(super) fn session_idle(&self) -> Duration {
        Duration::from_secs(self.session_seconds.unwrap_or(300))
    }

    /// Returns the longest time for the header of a request, from the end of the previous request.
    pub(super) fn header(&self) -> Duration {
        Duration::from_secs(self.header_seconds.unwrap_or(15))
    }

    /// Returns the longest time for the body of a request.
    pub(super) fn body(&self) -> Duration {
        Duration::from_secs(self.body_seconds.unwrap_or(30))
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
impl CallLimits {
    /// Limits for a test.
    pub(super) const fn new(max_calls: u32, max_session_calls: u32) -> Self {
        Self {
            max_calls,
            max_session_calls,
            shutdown_seconds: 1,
        }
    }
}
