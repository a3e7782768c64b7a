//! The problems of a `toolwright.toml`.

use std::{fmt, io, path::Path};

use toolwright_model::write_joined;

use super::Place;

/// Everything that is wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// At least one, in the order of the file.
    pub problems: Vec<ConfigProblem>,
}

/// One thing that is wrong with a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The place of the problem.
    pub place: Place,
    /// The message.
    pub message: String,
    /// The suggested fix, if there is one.
    pub help: Option<String>,
}

impl ConfigError {
    pub(super) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::of_file(path, format!("the file cannot be read: {error}"), None)
    }

    pub(super) fn no_lock(path: &Path) -> Self {
        let message = "the policy requires its lock, and there is none".to_owned();
        let help = "run `toolwright policy check --accept`";
        Self::of_file(path, message, Some(help.to_owned()))
    }

    fn of_file(path: &Path, message: String, help: Option<String>) -> Self {
        let place = Place {
            file: path.to_owned(),
            line: 1,
            column: 1,
            span: 0..0,
        };
        Self {
            problems: vec![ConfigProblem {
                place,
                message,
                help,
            }],
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.problems, "\n")
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}
