//! The state of a workspace, for commands.

use toolwright::config::Config;
use toolwright_state::{State, StateError};

use crate::{Failure, failure::Code, output::error_line};

/// Opens the state that a configuration describes, and creates it if it does not exist.
pub(crate) async fn open(config: &Config) -> Result<State, Failure> {
    let state = State::from_config(config)?;
    state.open().await?;
    let folder = &config.approvals.folder;
    if folder.exists() {
        error_line(format_args!(
            "warning: `{}` holds approvals of an earlier version; move them with `toolwright state migrate`",
            folder.display()
        ));
    }
    Ok(state)
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        let failure = Self::new(error.to_string()).code(Code::State);
        match error.help() {
            Some(help) => failure.help(help),
            None => failure,
        }
    }
}
