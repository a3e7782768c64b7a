//! `toolwright audit`: reads the audit, and verifies it.

mod events;
mod report;
mod sinks;
mod verify;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::{Exit, Failure, context::Context, output::FormatArguments};

/// Read the audit, report the use of tools, and verify that nothing was changed
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright audit tail\n  \
    toolwright audit search --run 7 --decision deny\n  \
    toolwright audit report --role reader\n  \
    toolwright audit verify")]
pub(crate) struct AuditArguments {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Print the last events
    Tail(events::TailArguments),
    /// Print all events of a call, and of the calls that it made
    Show(events::ShowArguments),
    /// Print the events that match
    Search(events::QueryArguments),
    /// Count the calls by tool, role and kind
    Report(events::QueryArguments),
    /// Print the lines of the events that match, as they are in the files
    Export(events::QueryArguments),
    /// Print how many events wait for each sink
    Sinks(sinks::SinksArguments),
    /// Forward the events that wait to the sinks
    Forward(sinks::ForwardArguments),
    /// Check that no event was removed, changed, moved, inserted or cut off
    Verify(verify::VerifyArguments),
    /// Print the JSON Schema of the events
    Schema(SchemaArguments),
}

#[derive(Debug, Args)]
struct SchemaArguments {
    #[command(flatten)]
    format: FormatArguments,
}

/// The audit that a command reads.
#[derive(Clone, Debug, Args)]
struct FileArguments {
    /// The file of the audit; by default that of toolwright.toml
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
}

impl FileArguments {
    /// Returns the file of the audit, and its key if it is known.
    fn locate(&self, context: &Context) -> Result<(PathBuf, Option<PathBuf>), Failure> {
        match &self.file {
            Some(file) => Ok((file.clone(), None)),
            None => {
                let audit = context.trusted_config()?.audit;
                Ok((audit.file, audit.options.key))
            }
        }
    }
}

impl AuditArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            AuditCommand::Tail(arguments) => arguments.run(context),
            AuditCommand::Show(arguments) => arguments.run(context),
            AuditCommand::Search(arguments) => arguments.search(context),
            AuditCommand::Report(arguments) => arguments.report(context),
            AuditCommand::Export(arguments) => arguments.export(context),
            AuditCommand::Sinks(arguments) => arguments.run(context),
            AuditCommand::Forward(arguments) => arguments.run(context),
            AuditCommand::Verify(arguments) => arguments.run(context),
            AuditCommand::Schema(arguments) => arguments.run(context),
        }
    }
}

impl SchemaArguments {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        let schema = toolwright::audit::json_schema();
        if self.format.is_json() {
            context.output.json(&schema)?;
        } else {
            context.output.pretty_json(&schema)?;
        }
        Ok(Exit::Done)
    }
}
