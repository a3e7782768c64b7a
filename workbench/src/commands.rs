//! The tool for commands: programs that the operator names, with values that an agent may choose.

mod allowed;
mod denied;
mod hole;
mod run;
mod setting;

use std::collections::BTreeMap;

use toolwright::{ToolContext, ToolError, tool};

use crate::{blocking::blocking, failure::failed};
use allowed::AllowedCommand;
use setting::{Setting, lacking_layers};

/// The end of a command, and what it printed.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct CommandResult {
    /// True if the command ended with exit code 0.
    success: bool,
    /// The exit code; absent if a signal ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// Standard output. Bytes that are not UTF-8 are replaced.
    stdout: String,
    /// Standard error. Bytes that are not UTF-8 are replaced.
    stderr: String,
    /// The time that it took, in milliseconds.
    time_milliseconds: u64,
}

/// Runs a command that the operator has named, such as the build or the tests of the project.
///
/// # When to use
/// To build, test or check the project. The operator has named the commands and the values that they
/// take; the error for an unknown name lists them.
#[tool(
    name = "run-shell-command",
    category = execute,
    effect = action,
    open_world = false,
    roles(none, reason = "profiles grant it, with the commands"),
    approval = none,
    reason = "the operator writes each command; an agent chooses one",
    sandbox = lacking_layers,
    scope(
        allowed_commands = words,
        working_directory = value(optional),
        max_execution_time_seconds = value,
        network_access = value(optional),
        writable_folders = value(optional),
        executable_folders = value(optional),
        program_folders = value(optional),
        denied_read_paths = denied_paths(.., optional),
        environment = value(optional),
        max_memory_bytes = value(optional),
        max_processes = value(optional),
        max_output_bytes = value(optional),
        max_written_bytes = value(optional),
    )
)]
async fn run_command(
    ctx: &ToolContext,
    /// The name of the command.
    command: String,
    /// The values of the command, by the names of their places.
    values: Option<BTreeMap<String, String>>,
) -> Result<CommandResult, ToolError> {
    let allowed = AllowedCommand::of_call(ctx, &command)?;
    let arguments = allowed.arguments(&values.unwrap_or_default());
    let arguments = arguments.map_err(|message| failed("command_value_refused", message))?;
    let setting = blocking(ctx, Setting::of_call).await?;
    run::run(ctx, &setting, &arguments).await
}
