//! What every command is given: the linked tools, the project, and standard output.

use std::path::PathBuf;

use toolwright::EmbeddedTools;

use crate::{
    Failure,
    output::Output,
    project::{FILE_NAME, Project},
};

/// What every command is given.
pub(crate) struct Context {
    /// The adapters that are linked into the program.
    pub(crate) linked: Vec<EmbeddedTools>,
    /// The `toolwright.toml` that was named on the command line.
    pub(crate) config: Option<PathBuf>,
    /// Standard output.
    pub(crate) output: Output,
}

impl Context {
    /// The project, if there is one.
    pub(crate) fn project(&self) -> Result<Option<Project>, Failure> {
        Project::find(self.config.as_deref())
    }

    /// The project, for commands that cannot do without.
    pub(crate) fn needed_project(&self) -> Result<Project, Failure> {
        self.project()?.ok_or_else(|| {
            Failure::new(format!(
                "there is no `{FILE_NAME}` in this folder or in one above it"
            ))
            .help(format!(
                "go to the project's folder, name the file with `--config`, or begin a project with an empty `{FILE_NAME}`"
            ))
        })
    }
}
