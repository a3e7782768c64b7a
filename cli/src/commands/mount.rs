//! `toolwright mount`: the tools of mounted MCP servers.

mod accept;
mod changes;
mod diff;
mod list;

use clap::{Args, Subcommand};

use crate::{Exit, Failure, context::Context};
use accept::AcceptArguments;
use diff::DiffArguments;
use list::ListArguments;

/// Mount the tools of an MCP server: a person accepts each definition
///
/// `[mcp.NAME]` in toolwright.toml declares a server. A tool whose definition is not the accepted one is
/// off, and agents do not see what the server says about it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright mount list\n  \
    toolwright mount diff files\n  \
    toolwright mount accept files --by 'your name' --why 'read and compared'\n  \
    toolwright mount accept files read_file --by 'your name' --why 'only this one'")]
pub(crate) struct MountArguments {
    #[command(subcommand)]
    command: MountCommand,
}

#[derive(Debug, Subcommand)]
enum MountCommand {
    /// List the tools of the mounted servers with their standing
    List(ListArguments),
    /// Show how the definitions of a server differ from the accepted ones
    Diff(DiffArguments),
    /// Accept definitions of a server as they are now
    Accept(AcceptArguments),
}

impl MountArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            MountCommand::List(arguments) => arguments.run(context),
            MountCommand::Diff(arguments) => arguments.run(context),
            MountCommand::Accept(arguments) => arguments.run(context),
        }
    }
}
