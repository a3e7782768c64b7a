//! The tool for programs that an agent writes, which call the agent's other tools as functions.

use std::time::{Duration, Instant};

use toolwright::{
    ScopedToolView, ToolContext, ToolError, ToolSpec,
    render::code::{Language, module},
    socket::{CallAnswer, CallRequest},
    tool,
};
use toolwright_commands::{confined::lacking_layers, failed};
use toolwright_sandbox::Sandbox;
use toolwright_scripts::{Desk, End, Fault, Script, run};

use crate::scope::smallest;

/// The name of the tool. A program has no function for it.
const NAME: &str = "run-python-program";

/// The longest program, in bytes.
const LONGEST_PROGRAM: usize = 256 << 10;

/// The longest output of a program in bytes, unless the scope has another limit.
const LONGEST_OUTPUT: u64 = 64 << 10;

/// The time that a program has left after a call that nobody approved, to end by itself.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// Moves the socket to descriptor 3, and starts the program.
const START: &str =
    "exec 3<&0 </dev/null && TOOLWRIGHT_SOCKET=fd:3 exec python3 -B -X utf8 program.py";

/// The end of a program, and what it printed.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct ProgramResult {
    /// True if the program ended with exit code 0.
    success: bool,
    /// The exit code; absent if a signal ended the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// Standard output. Bytes that are not UTF-8 are replaced.
    stdout: String,
    /// The end of standard error.
    stderr: String,
    /// The number of calls that it made.
    calls: u64,
    /// The number of these calls that failed.
    failed_calls: u64,
}

/// Runs a Python program that calls your tools as functions, and returns what it prints.
///
/// The module `tools` has a function for each of your tools: `from tools import ToolError, get_depot_item` for
/// `get-depot-item`. A function takes one dictionary of arguments and returns the result of the tool. `help(tools.NAME)`
/// prints its types. A call that is refused or fails raises `ToolError` with a `code`. The program has no network and no
/// files but a scratch folder.
///
/// # When to use
/// If a task needs many calls, or only a part of large results: the results stay in the program, and you read what
/// it prints.
#[tool(
    name = "run-python-program",
    category = execute,
    effect = action,
    open_world = true,
    roles(none, reason = "profiles grant it, with the time of a run"),
    approval = none,
    reason = "it can only compute and call tools, and each call passes the gates for itself",
    sandbox = lacking_layers,
    scope(
        max_execution_time_seconds = value,
        max_output_bytes = value(optional),
    )
)]
async fn run_program(
    ctx: &ToolContext,
    /// The text of the program, for Python 3.11 or later.
    program: String,
) -> Result<ProgramResult, ToolError> {
    if program.len() > LONGEST_PROGRAM {
        let message = format!("a program has at most {LONGEST_PROGRAM} bytes");
        return Err(failed("program_too_long", message));
    }
    let time = Duration::from_secs(smallest(ctx, "max_execution_time_seconds", 0)?);
    let (mut desk, tools) = CallerDesk::open(ctx, time);
    let script = Script {
        files: vec![
            ("tools.py", tools.into_bytes()),
            ("program.py", program.into_bytes()),
        ],
        command: START,
        time,
        longest_output: smallest(ctx, "max_output_bytes", LONGEST_OUTPUT)?,
    };
    let ended = run(&Sandbox::new(), script, &mut desk).await;
    let ended = ended.map_err(|fault| refused(&fault))?;
    let (exit_code, signal) = match ended.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal)),
        End::Limit(limit) => return Err(refused(&Fault::Limit(limit))),
    };
    Ok(ProgramResult {
        success: exit_code == Some(0),
        exit_code,
        signal,
        stdout: String::from_utf8_lossy(&ended.output).into_owned(),
        stderr: toolwright_scripts::shown_errors(&ended.errors),
        calls: desk.calls,
        failed_calls: desk.failed,
    })
}

/// Makes the calls of a program as its caller.
struct CallerDesk {
    /// The view of the caller, without this tool.
    view: ScopedToolView,
    /// The time until which calls wait for approvals.
    until: Option<Instant>,
    calls: u64,
    failed: u64,
}

impl CallerDesk {
    /// Returns the desk, and the module with the functions of its tools.
    fn open(ctx: &ToolContext, time: Duration) -> (Self, String) {
        let view = ctx.view().clone().with_whole_answers();
        let specs = view.specs();
        let mut others: Vec<&ToolSpec> = specs.iter().map(AsRef::as_ref).collect();
        others.retain(|spec| spec.name.as_str() != NAME);
        let tools = module(others.iter().copied(), Language::Python);
        let desk = Self {
            view: view.narrowed_to(others.iter().map(|spec| &spec.name)),
            until: Instant::now().checked_add(time.saturating_sub(TIME_TO_END)),
            calls: 0,
            failed: 0,
        };
        (desk, tools)
    }
}

impl Desk for CallerDesk {
    async fn call(&mut self, request: CallRequest) -> CallAnswer {
        let left = self
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        let view = self.view.clone().waiting_for(left.unwrap_or_default());
        self.calls += 1;
        let called = view.call_json(&request.tool, request.arguments).await;
        self.failed += u64::from(called.is_err());
        match called {
            Ok(output) => CallAnswer::Success(output.value),
            Err(error) => CallAnswer::failure(&error),
        }
    }
}

/// Returns the error of a program that was not started, or was ended.
fn refused(fault: &Fault) -> ToolError {
    let code = match fault {
        Fault::Unavailable(_) => "sandbox_unavailable",
        Fault::NotStarted(_) => "program_not_started",
        Fault::Limit(_) | Fault::TooManyCalls => "program_limit_exceeded",
    };
    failed(code, format!("the program {fault}"))
}
