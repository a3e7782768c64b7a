//! The limits of a server.

use std::time::Duration;

/// The longest time of a limit: a year. Longer ones overflow clocks.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

/// Limits of calls, for every transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// The calls that may run at the same time; more are refused as `server_busy`. 128 by default.
    pub all: usize,
    /// The calls of one session that may run at the same time. 32 by default.
    pub per_session: usize,
    /// The time that running calls have to finish after a [`Shutdown`](crate::Shutdown) is
    /// requested. 5 s by default.
    pub shutdown: Duration,
}

/// Limits of streamable HTTP. Times are limited to one year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// The connections that may be open at the same time. 128 by default.
    pub connections: usize,
    /// The MCP sessions that may be open at the same time. 256 by default.
    pub sessions: usize,
    /// The bytes of memory that the requests being handled may need together. 512 MiB by default.
    pub memory: usize,
    /// The time after which a session without messages ends. 300 s by default.
    pub session_idle: Duration,
    /// The time within which the header of a request must arrive, from the end of the previous
    /// request of its connection. 15 s by default.
    pub header: Duration,
    /// The time within which the body of a request must arrive. 30 s by default.
    pub body: Duration,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            all: 128,
            per_session: 32,
            shutdown: Duration::from_secs(5),
        }
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections: 128,
            sessions: 256,
            memory: 512 << 20,
            session_idle: Duration::from_secs(300),
            header: Duration::from_secs(15),
            body: Duration::from_secs(30),
        }
    }
}

impl HttpLimits {
    /// Returns the same limits with times that clocks can add.
    pub(crate) fn bounded(self) -> Self {
        Self {
            session_idle: self.session_idle.min(LONGEST),
            header: self.header.min(LONGEST),
            body: self.body.min(LONGEST),
            ..self
        }
    }
}
