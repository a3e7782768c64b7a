//! The context of every command: the linked tools, the project, and standard output.

use std::path::PathBuf;

use toolwright::config::{CONFIG_FILE, Config};

use crate::{Failure, failure::Code, identity::Identity, linked::Linked, output::Output, project};

/// The context of every command.
pub(crate) struct Context {
    /// The tools that are linked into the program.
    pub(crate) linked: Linked,
    /// The name of the program.
    pub(crate) identity: Identity,
    /// The `toolwright.toml` that was named on the command line.
    pub(crate) config: Option<PathBuf>,
    /// Standard output.
    pub(crate) output: Output,
}

/// The source of the configuration. Each read resolves it in the same way.
#[derive(Clone, Debug)]
pub(crate) struct ConfigSource {
    /// The `toolwright.toml` that was named on the command line.
    named: Option<PathBuf>,
}

impl ConfigSource {
    /// Reads the configuration for a command that calls tools or decides about calls: the user must
    /// have trusted it. The defaults if there is none.
    pub(crate) fn read(&self) -> Result<Config, Failure> {
        match self.file()? {
            Some(file) => project::read_trusted(&file),
            None => {
                let mut config = Config::new("");
                // The user has trusted nothing here, so the folder must not choose the receiver of
                // a token.
                config.binds_named_tokens = false;
                Ok(config)
            }
        }
    }

    /// Returns the file that would be read now, if any.
    pub(crate) fn file(&self) -> Result<Option<PathBuf>, Failure> {
        project::locate(self.named.as_deref())
    }
}

impl Context {
    /// Reads `toolwright.toml` for a command that only looks; the defaults if there is none.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        match project::locate(self.config.as_deref())? {
            Some(file) => project::read(&file),
            None => Ok(Config::new("")),
        }
    }

    /// Reads `toolwright.toml` for a command that calls tools or decides about calls: the user must
    /// have trusted it. The defaults if there is none.
    pub(crate) fn trusted_config(&self) -> Result<Config, Failure> {
        self.config_source().read()
    }

    /// Returns true if there is a `toolwright.toml`.
    #[cfg(feature = "generator")]
    pub(crate) fn has_project(&self) -> Result<bool, Failure> {
        let file = project::locate(self.config.as_deref())?;
        Ok(file.is_some())
    }

    /// Returns the source of the configuration, for commands that read it again.
    pub(crate) fn config_source(&self) -> ConfigSource {
        ConfigSource {
            named: self.config.clone(),
        }
    }

    /// Reads `toolwright.toml` for a command that needs one and works within its folders.
    #[cfg(feature = "generator")]
    pub(crate) fn needed_config(&self) -> Result<Config, Failure> {
        let file = self.needed_file()?;
        let config = project::read(&file)?;
        if project::stays_within(&config) {
            return Ok(config);
        }
        // Only the user decides that files outside of the project are written.
        project::read_trusted(&file)
    }

    /// The `toolwright.toml` of a command that cannot do without.
    pub(crate) fn needed_file(&self) -> Result<PathBuf, Failure> {
        project::locate(self.config.as_deref())?.ok_or_else(|| {
            Failure::new(format!(
                "no `{CONFIG_FILE}` in this folder or any parent folder"
            ))
            .code(Code::NoProject)
            .help("go to the project's folder, pass the file with `--config`, or create a project with `toolwright new FOLDER`")
        })
    }
}
