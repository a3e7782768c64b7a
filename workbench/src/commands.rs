//! The tool for commands: programs that the operator names, with values that an agent may choose.

mod allowed;
mod denied;
mod setting;

use std::collections::BTreeMap;

use toolwright::{ToolContext, ToolError, tool};
use toolwright_commands::{CommandResult, failed, misconfigured, run};

use crate::blocking::blocking;
use allowed::AllowedCommand;
use setting::{Setting, lacking_layers};

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
    let [name, arguments @ ..] = arguments.as_slice() else {
        return Err(misconfigured("the command has no program"));
    };
    let program = setting.program(name)?;
    run(ctx, &setting.confinement, program, arguments).await
}
