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
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Verify(verify::Arguments),
    Scaffold(scaffold::Arguments),
}

impl Arguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            Command::Verify(arguments) => arguments.run(context),
            Command::Scaffold(arguments) => arguments.run(context),
        }
    }
}
