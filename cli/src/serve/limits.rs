//! The bounds of the server, as options of the command line.

use std::time::Duration;

use clap::{Args, value_parser};
use toolwright_mcp::{CallLimits, HttpLimits};

/// The most seconds that an option takes: one day.
const DAY: u64 = 86_400;

/// Bounds of calls, for every transport.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(super) struct CallLimitArguments {
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
pub(super) struct HttpLimitArguments {
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

impl CallLimitArguments {
    /// Returns the limits for the server.
    pub(super) fn limits(&self) -> CallLimits {
        CallLimits {
            all: count(self.max_calls),
            per_session: count(self.max_session_calls),
            shutdown: Duration::from_secs(self.shutdown_seconds),
        }
    }
}

impl HttpLimitArguments {
    /// Returns the limits for the server.
    pub(super) fn limits(&self) -> HttpLimits {
        let usual = HttpLimits::default();
        HttpLimits {
            connections: self.max_connections.map_or(usual.connections, count),
            sessions: self.max_sessions.map_or(usual.sessions, count),
            memory: self
                .max_memory
                .map_or(usual.memory, |mib| count(mib).saturating_mul(1 << 20)),
            session_idle: self
                .session_seconds
                .map_or(usual.session_idle, Duration::from_secs),
            header: self
                .header_seconds
                .map_or(usual.header, Duration::from_secs),
            body: self.body_seconds.map_or(usual.body, Duration::from_secs),
        }
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
