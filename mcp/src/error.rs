//! The reasons why a server cannot serve.

use std::{fmt, io, path::PathBuf};

/// The reason why a server cannot serve.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The port cannot be taken.
    Bind {
        /// The requested port.
        port: u16,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The socket cannot be created.
    Socket {
        /// Its path.
        path: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The operating system refuses to deliver signals.
    Signals(io::Error),
    /// The server has no role, and its client cannot show a token.
    NoRole,
    /// The first messages of the client are not those of MCP.
    Client(String),
    /// The server ended with an error of its own.
    Failed(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind { port, error } => write!(f, "cannot bind port {port}: {error}"),
            Self::Socket { path, error } => {
                write!(f, "cannot create the socket `{}`: {error}", path.display())
            }
            Self::Signals(error) => write!(f, "cannot listen for signals: {error}"),
            Self::NoRole => f.write_str("the server has no role"),
            Self::Client(error) => write!(f, "cannot understand the client: {error}"),
            Self::Failed(error) => write!(f, "the server failed: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Bind { error, .. } | Self::Socket { error, .. } | Self::Signals(error) => {
                Some(error)
            }
            Self::NoRole | Self::Client(_) | Self::Failed(_) => None,
        }
    }
}
