//! `toolwright call`: one governed call.

use std::io::{self, Read};

use clap::Args;
use serde_json::Value;
use toolwright::{ToolError, ToolOutput, config::Config};

use crate::{
    Exit, Failure,
    context::Context,
    operator::{OperatorArguments, WaitArguments, runtime},
    output::{FormatArguments, Progress},
    tools::ToolsArguments,
};

/// Call a tool as a role: the call passes every gate and is recorded in the audit
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright call get-plane-task --role reader --args '{\"task_id\": \"…\"}'\n  \
    toolwright call list-depot-items --role me --grant 'category:observe' --spec specs/depot/openapi.yaml\n  \
    jq '{name: .title}' task.json | toolwright call create-plane-task --role planner --args -")]
pub(crate) struct CallArguments {
    /// The name of the tool
    #[arg(value_name = "TOOL")]
    name: String,

    /// The arguments: a JSON object, `@FILE` for the content of a file, or `-` for standard input
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,

    #[command(flatten)]
    wait: WaitArguments,
    #[command(flatten)]
    operator: OperatorArguments,
    #[command(flatten)]
    tools: ToolsArguments,
    #[command(flatten)]
    format: FormatArguments,
}

impl CallArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let arguments = arguments(&self.args)?;
        let (registry, _) = self.operator.registry(&self.tools, context)?;
        let view = self.operator.view(&registry)?;
        let view = view.waiting_for(self.wait.limit());
        let progress = Progress::start();
        progress.step(format!("calling {}", self.name));
        let result = runtime()?.block_on(view.call_json(&self.name, arguments));
        drop(progress);
        match result {
            Ok(output) => self.print(&output, context),
            Err(error) => {
                if self.format.is_json() {
                    context.output.json(&error.to_json())?;
                }
                Err(failure(&error, &context.config()?))
            }
        }
    }

    fn print(&self, output: &ToolOutput, context: &mut Context) -> Result<Exit, Failure> {
        match &output.value {
            value if self.format.is_json() => context.output.json(value)?,
            Value::String(text) => context.output.text(text)?,
            value => context.output.pretty_json(value)?,
        }
        Ok(Exit::Done)
    }
}

/// Parses the value of `--args`.
fn arguments(given: &str) -> Result<Value, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::file("read", file.as_ref(), &error))?,
        None if given == "-" => {
            let mut text = String::new();
            io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
            text
        }
        None => given.to_owned(),
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("the arguments are not JSON: {error}")).help(
            "pass an object, such as `--args '{\"id\": 1}'`, `--args @file.json` or `--args -`",
        )
    })
}

/// Converts the error of a call to a failure with a fix.
fn failure(error: &ToolError, config: &Config) -> Failure {
    let failure = Failure::new(error.to_string());
    let failure = match error.detail() {
        Some(detail) => failure.note(detail),
        None => failure,
    };
    match error {
        ToolError::ApprovalRequired { .. } => failure
            .help("a person can find it with `toolwright approvals` and decide with `toolwright approve`")
            .help("after the approval, run the same command again"),
        ToolError::Credentials(error) => match error.help() {
            Some(help) => failure.help(help),
            None => failure,
        },
        ToolError::InvalidArguments { tool, .. } => {
            failure.help(format!("run `toolwright show {tool}` to list its arguments"))
        }
        ToolError::ToolNotPermitted { .. } => failure.help(format!(
            "the reason is in the audit: the last line of `{}`",
            config.audit_file.display()
        )),
        _ => failure,
    }
}
