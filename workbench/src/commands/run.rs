//! The run of a command.

use toolwright::{ToolContext, ToolError};
use toolwright_sandbox::{End, Program, Sandbox, Stream};

use super::{CommandResult, setting::Setting};
use crate::{confined::not_started, failure::failed};

/// The end of the output that an error contains, in bytes.
const LAST_OUTPUT: usize = 2 << 10;

/// Runs a program with its arguments.
pub(super) async fn run(
    ctx: &ToolContext,
    setting: &Setting,
    arguments: &[String],
) -> Result<CommandResult, ToolError> {
    let [name, arguments @ ..] = arguments else {
        return Err(failed(
            "command_misconfigured",
            "the command has no program",
        ));
    };
    let program = Program::new(setting.program(name)?, arguments);
    let mut printing = ctx.printing();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let sandbox = Sandbox::new();
    let finished = sandbox.run(&setting.confinement, &program, |stream, bytes| {
        printing.print(bytes);
        match stream {
            Stream::Output => stdout.extend_from_slice(bytes),
            Stream::Error => stderr.extend_from_slice(bytes),
        }
    });
    let finished = finished.await;
    let finished = finished.map_err(|error| not_started(&error, "command_not_started"))?;
    let (exit_code, signal) = match finished.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal)),
        End::Limit(_) => {
            stdout.extend_from_slice(&stderr);
            return Err(exceeded(finished.end, &stdout));
        }
    };
    Ok(CommandResult {
        success: exit_code == Some(0),
        exit_code,
        signal,
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        time_milliseconds: u64::try_from(finished.usage.time.as_millis()).unwrap_or(u64::MAX),
    })
}

fn exceeded(end: End, output: &[u8]) -> ToolError {
    let start = output.len().saturating_sub(LAST_OUTPUT);
    let last = String::from_utf8_lossy(output.get(start..).unwrap_or_default());
    failed(
        "command_limit_exceeded",
        format!("the command {end}; its output ends with: {last}"),
    )
}
