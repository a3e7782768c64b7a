//! `toolwright eab`: for those who write domain services.

mod scaffold;
mod verify;

use clap::{Args, Subcommand};

use crate::{Exit, Failure, context::Context};

/// Check domain services, and begin new ones
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright eab verify specs/kicad/eab.yaml --endpoint /run/kicad.sock\n  \
    toolwright eab scaffold kicad.yaml --out kicad-service")]
pub(crate) struct EabArguments {
    #[command(subcommand)]
    command: EabCommand,
}

#[derive(Debug, Subcommand)]
enum EabCommand {
    Verify(verify::VerifyArguments),
    Scaffold(scaffold::ScaffoldArguments),
}

impl EabArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            EabCommand::Verify(arguments) => arguments.run(context),
            EabCommand::Scaffold(arguments) => arguments.run(context),
        }
    }
}
