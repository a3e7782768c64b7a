//! `toolwright state`: the database of approvals and switches.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::json;
use toolwright_state::{State, Status, move_folder};

use crate::{Exit, Failure, context::Context, operator::runtime, output::FormatArguments};

/// Show where approvals and switches of tools are kept, migrate them, or export them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright state\n  \
    toolwright state migrate\n  \
    toolwright state export > state.jsonl")]
pub(crate) struct StateArguments {
    #[command(subcommand)]
    command: Option<StateCommand>,
    #[command(flatten)]
    format: FormatArguments,
}

#[derive(Debug, Subcommand)]
enum StateCommand {
    /// Create or update the schema, and move the approvals of earlier versions into the state
    Migrate(StateFormatArguments),
    /// Print all switches and requests, one JSON object a line
    Export(StateFormatArguments),
}

#[derive(Debug, Args)]
struct StateFormatArguments {
    #[command(flatten)]
    format: FormatArguments,
}

impl StateArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let state = State::from_config(&context.trusted_config()?)?;
        match self.command {
            None => self.show(&state, context),
            Some(StateCommand::Migrate(arguments)) => migrate(&state, arguments.format, context),
            Some(StateCommand::Export(_)) => export(&state, context),
        }
    }

    fn show(&self, state: &State, context: &mut Context) -> Result<Exit, Failure> {
        let status = runtime()?.block_on(state.status())?;
        if self.format.is_json() {
            context.output.json(&status)?;
            return Ok(Exit::Done);
        }
        let Status {
            place,
            schema,
            known,
            ..
        } = status;
        context.output.line(format_args!("place   {place}"))?;
        let standing = match schema {
            0 => "none yet: the first command that needs it creates it".to_owned(),
            schema if schema == known => format!("{schema}, current"),
            schema => format!("{schema}; this program needs {known}"),
        };
        context.output.line(format_args!("schema  {standing}"))?;
        Ok(Exit::Done)
    }
}

fn migrate(state: &State, format: FormatArguments, context: &mut Context) -> Result<Exit, Failure> {
    let config = context.trusted_config()?;
    let folder = &config.approvals.folder;
    let group = config.state.group.as_deref();
    let (migrated, moved) = runtime()?.block_on(async {
        let migrated = state.migrate().await?;
        let moved = move_folder(state, folder, group, Timestamp::now()).await?;
        Ok::<_, Failure>((migrated, moved))
    })?;
    if format.is_json() {
        context
            .output
            .json(&json!({"schema": migrated, "folder": moved}))?;
        return Ok(Exit::Done);
    }
    let (from, to) = (migrated.from, migrated.to);
    context.output.line(if from == to {
        format!("the schema is current: {to}")
    } else {
        format!("the schema was migrated from {from} to {to}")
    })?;
    if let Some(moved) = moved {
        context.output.line(format_args!(
            "{} requests were moved into the state, and {} that have expired or cannot be read were left in `{}`",
            moved.requests,
            moved.left,
            moved.folder.display()
        ))?;
    }
    Ok(Exit::Done)
}

fn export(state: &State, context: &mut Context) -> Result<Exit, Failure> {
    for record in runtime()?.block_on(state.export())? {
        context.output.json(&record)?;
    }
    Ok(Exit::Done)
}
