//! `toolwright call`: one governed call, or its request.

mod attach;
mod output;
mod plan;

use std::io::{self, Read};

use attach::AttachArguments;
pub(crate) use attach::{failure as file_failure, store as store_file};
use clap::Args;
pub(crate) use output::OutputArguments;
use plan::Form;
pub(crate) use plan::described;
use serde_json::{Value, json};
use toolwright::{
    Registry, ScopedToolView, ToolError, ToolOutput, config::Config, files::FileError,
};

use crate::{
    Exit, Failure,
    context::Context,
    operator::{LAST_NOTIFICATIONS, OperatorArguments, WaitArguments, runtime},
    output::{FormatArguments, Progress, error_line},
    tools::ToolsArguments,
};

/// Call a tool as a role: the call passes every gate and is recorded in the audit
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright call get-plane-task --role reader --args '{\"task_id\": \"…\"}'\n  \
    toolwright call get-plane-task --role reader --args '{\"task_id\": \"…\"}' --dry-run --curl\n  \
    toolwright call get-depot-item-file --role reader --args @file.json --output file.pdf\n  \
    toolwright call get-plane-task --role reader --workspace acme --args '{\"task_id\": \"…\"}'\n  \
    toolwright call list-depot-items --role me --grant 'category:observe' --spec specs/depot/openapi.yaml\n  \
    jq '{name: .title}' task.json | toolwright call create-plane-task --role planner --args -")]
pub(crate) struct CallArguments {
    /// The name of the tool
    #[arg(value_name = "TOOL")]
    name: String,

    /// The arguments: a JSON object, `@FILE` for the content of a file, or `-` for standard input
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,

    /// Print the request that would be sent, with its secrets masked, and send nothing. The call
    /// passes the gates, except that no person is asked
    #[arg(long, conflicts_with_all = ["seconds", "files", "output"])]
    dry_run: bool,

    /// Print the request as a command of curl
    #[arg(long, requires = "dry_run", conflicts_with_all = ["format", "json"])]
    curl: bool,

    #[command(flatten)]
    files: AttachArguments,
    #[command(flatten)]
    destination: OutputArguments,
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
        let mut arguments = arguments(&self.args)?;
        let (registry, _) = self.operator.registry(&self.tools, context)?;
        let view = self.operator.view_for(&registry, &self.name)?;
        if self.dry_run {
            return self.plan(&registry, &view, arguments, context);
        }
        let view = view.waiting_for(self.wait.limit());
        let attached = self.files.attach(&self.name, &view, &mut arguments)?;
        let (destination, writer) = self.destination.open()?.unzip();
        let progress = Progress::start();
        progress.step(format!("calling {}", self.name));
        let calling = match progress.steps() {
            Some(steps) => {
                let name = self.name.clone();
                let view = view.clone();
                view.reporting_to(move |transfer| steps.step(format!("calling {name}: {transfer}")))
            }
            None => view.clone(),
        };
        let result = runtime()?.block_on(async {
            let result = match writer {
                Some(writer) => calling.call_to(&self.name, arguments, writer).await,
                None => calling.call_json(&self.name, arguments).await,
            };
            registry.finish_notifications(LAST_NOTIFICATIONS).await;
            result
        });
        // The line is drawn until nothing reports to it.
        drop(calling);
        drop(progress);
        if !matches!(result, Err(ToolError::ApprovalRequired { .. })) {
            attached.remove(&view);
        }
        match result {
            Ok(output) => match destination {
                Some(destination) => {
                    let facts = destination.facts(&output)?;
                    let as_json = self.format.is_json();
                    destination.finish(facts, as_json, &mut context.output)?;
                    Ok(Exit::Done)
                }
                None => self.print(&output, context),
            },
            Err(error) => self.fail(&error, &registry, context),
        }
    }

    /// Prints the request of the call, and does not send it.
    fn plan(
        &self,
        registry: &Registry,
        view: &ScopedToolView,
        arguments: Value,
        context: &mut Context,
    ) -> Result<Exit, Failure> {
        let form = match self.curl {
            true => Form::Curl,
            false if self.format.is_json() => Form::Json,
            false => Form::Text,
        };
        match runtime()?.block_on(view.plan(&self.name, arguments)) {
            Ok(planned) => plan::print(&planned, form, &mut context.output).map(|()| Exit::Done),
            Err(error) => self.fail(&error, registry, context),
        }
    }

    fn fail(
        &self,
        error: &ToolError,
        registry: &Registry,
        context: &Context,
    ) -> Result<Exit, Failure> {
        let failure = failure(error, &context.config()?);
        let role = &self.operator.role;
        Err(match error {
            ToolError::ToolNotPermitted { .. } if !registry.has_role(role) => {
                failure.note(format!("no role `{role}` is declared"))
            }
            _ => failure,
        })
    }

    fn print(&self, output: &ToolOutput, context: &mut Context) -> Result<Exit, Failure> {
        if output.truncated {
            error_line("note: the stream did not end in time: this is the part that arrived");
        }
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

/// Returns the result of the command for the error of a call.
const fn exit(error: &ToolError) -> Exit {
    match error {
        ToolError::InvalidArguments { .. } => Exit::Usage,
        ToolError::ToolNotPermitted { .. }
        | ToolError::ArtifactNotPermitted { .. }
        | ToolError::ArtifactAmbiguous { .. }
        | ToolError::OutOfScope { .. }
        | ToolError::ApprovalRejected { .. } => Exit::Denied,
        ToolError::ApprovalRequired { .. } | ToolError::ApprovalLimit => Exit::Waiting,
        ToolError::Service { .. }
        | ToolError::UnusableAnswer { .. }
        | ToolError::AnswerTooLarge { .. }
        | ToolError::NotReady { .. }
        | ToolError::Method { .. }
        | ToolError::Panicked { .. }
        | ToolError::Failed { .. } => Exit::Service,
        ToolError::Transport { .. } => Exit::Network,
        // The operator has something to repair: credentials, settings, the audit, or the program.
        _ => Exit::Failed,
    }
}

/// Adds what a program needs to decide what to do.
fn with_facts(mut failure: Failure, error: &ToolError) -> Failure {
    if let Some(status) = error.status() {
        failure = failure.fact("status", status);
    }
    if let ToolError::ApprovalRequired { id, expires }
    | ToolError::ApprovalRejected { id, expires } = error
    {
        failure = failure
            .fact("approval_id", id.as_str())
            .fact("expires", expires.to_string());
    }
    if let ToolError::AnswerTooLarge { limit, size, .. } = error {
        failure = failure.fact("limit", *limit);
        if let Some(size) = size {
            failure = failure.fact("size", *size);
        }
    }
    if let Some(request) = error.request() {
        failure = failure
            .note(format!("the request was `{request}`"))
            .fact("request", json!(request));
    }
    failure
}

/// Returns the fix of an error, if only the operator's settings are wrong.
pub(crate) fn fix(error: &ToolError) -> Option<String> {
    match error {
        ToolError::Credentials(error) => error.help(),
        _ => None,
    }
}

/// Converts the error of a call to a failure with a fix.
fn failure(error: &ToolError, config: &Config) -> Failure {
    let failure = Failure::new(error.to_string()).with_exit(exit(error));
    let failure = failure
        .foreign_code(error.code().to_owned())
        .fact("retryable", error.is_retryable());
    let failure = with_facts(failure, error).detail(error.detail());
    match error {
        ToolError::ApprovalRequired { .. } => failure
            .help("a person can find it with `toolwright approvals` and decide with `toolwright approve`")
            .help("after the approval, run the same command again"),
        ToolError::Credentials(_) => match fix(error) {
            Some(help) => failure.help(help),
            None => failure,
        },
        ToolError::AnswerTooLarge { can_be_saved, .. } => {
            let failure = match can_be_saved {
                true => failure.help("save the answer with `--output FILE`"),
                false => failure,
            };
            failure.help("the limits are `max_response_bytes` of the service, and `max_file_bytes` of `[files]`")
        }
        ToolError::File(FileError::QuotaExceeded { .. } | FileError::TooMany { .. }) => {
            failure.help("`toolwright files list` and `toolwright files remove` make room")
        }
        ToolError::InvalidArguments { tool, .. } => {
            failure.help(format!("run `toolwright show {tool}` to list its arguments"))
        }
        ToolError::ToolNotPermitted { .. } => failure.help(format!(
            "the reason is in the audit: the last line of `{}`",
            config.audit.file.display()
        )),
        _ => failure,
    }
}
