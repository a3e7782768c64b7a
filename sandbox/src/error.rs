//! The errors of a run.

use std::{error, fmt, io};

use crate::Layer;

/// The reason why a run did not take place, or has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The machine does not have layers that the confinement requires. Nothing was started.
    Unsupported(Vec<Layer>),
    /// The confinement cannot be set up, or the program cannot be started in it.
    Setup(String),
    /// A job failed, with its own message.
    Job(String),
    /// A job ended without a result: at a limit, by a signal.
    Ended(crate::End),
    /// The child cannot be started or reached.
    Io(io::Error),
}

impl Error {
    /// The fix, if there is one that always applies.
    #[must_use]
    pub const fn help(&self) -> Option<&'static str> {
        match self {
            Self::Unsupported(_) => Some("run `toolwright sandbox check`"),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(layers) => {
                let names: Vec<_> = layers.iter().map(|layer| format!("`{layer}`")).collect();
                let names = names.join(", ");
                write!(f, "this machine cannot confine a call as required: {names}")
            }
            Self::Setup(message) => write!(f, "cannot set up the sandbox: {message}"),
            Self::Job(message) => f.write_str(message),
            Self::Ended(end) => write!(f, "the job {end}"),
            Self::Io(error) => write!(f, "cannot run the child of the sandbox: {error}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
