//! What every command is given: the linked tools, the project, and standard output.

use std::path::PathBuf;

#[cfg(feature = "generator")]
use toolwright::config::CONFIG_FILE;
use toolwright::config::Config;

use crate::{Failure, linked::Linked, output::Output, project};

/// What every command is given.
pub(crate) struct Context {
    /// What is linked into the program.
    pub(crate) linked: Linked,
    /// The `toolwright.toml` that was named on the command line.
    pub(crate) config: Option<PathBuf>,
    /// Standard output.
    pub(crate) output: Output,
}

impl Context {
    /// What `toolwright.toml` says; where there is none, what holds without one.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let found = project::find(self.config.as_deref())?;
        Ok(found.unwrap_or_else(|| Config::new("")))
    }

    /// What `toolwright.toml` says, for commands that cannot do without.
    #[cfg(feature = "generator")]
    pub(crate) fn needed_config(&self) -> Result<Config, Failure> {
        project::find(self.config.as_deref())?.ok_or_else(|| {
            Failure::new(format!(
                "there is no `{CONFIG_FILE}` in this folder or in one above it"
            ))
            .help(format!(
                "go to the project's folder, name the file with `--config`, or begin a project with an empty `{CONFIG_FILE}`"
            ))
        })
    }
}
