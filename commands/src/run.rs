//! The run of a program, to its end.

use std::path::PathBuf;

use serde_json::Value;
use toolwright::{ToolContext, ToolError};
use toolwright_sandbox::{Confinement, End, Program, Sandbox, Stream};

use crate::{confined::not_started, failure::failed};

/// The end of the output that an error contains, in bytes.
const LAST_OUTPUT: usize = 2 << 10;

/// The end of a command, and what it printed.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
#[non_exhaustive]
pub struct CommandResult {
    /// True if the command ended with exit code 0.
    pub success: bool,
    /// The exit code; absent if a signal ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Standard output. Bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Standard error. Bytes that are not UTF-8 are replaced.
    pub stderr: String,
    /// The time that it took, in milliseconds.
    pub time_milliseconds: u64,
}

impl CommandResult {
    /// Returns the JSON Schema of a result.
    #[must_use]
    pub fn schema() -> Value {
        let mut schema = schemars::schema_for!(Self);
        for key in ["$schema", "title"] {
            schema.remove(key);
        }
        schema.to_value()
    }
}

/// Runs a program with its arguments. Its output is reported as progress of the call. When this returns or is
/// dropped, all of its processes are gone.
///
/// # Errors
/// `sandbox_unavailable`, `command_not_started` or `command_limit_exceeded`.
pub async fn run(
    ctx: &ToolContext,
    confinement: &Confinement,
    program: PathBuf,
    arguments: &[String],
) -> Result<CommandResult, ToolError> {
    let program = Program::new(program, arguments);
    let mut printing = ctx.printing();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let sandbox = Sandbox::new();
    let finished = sandbox.run(confinement, &program, |stream, bytes| {
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
