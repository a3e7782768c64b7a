//! `toolwright policy`: check a policy, explain its decisions, and test it.

mod check;
mod expectation;
mod explain;
mod junit;
mod test;

use clap::{Args, Subcommand};
use toolwright::{Credentials, Registry, audit::MemoryAudit, config::Config};

use crate::{Exit, Failure, context::Context, linked, tools::ChosenTools};

/// Check the policy of toolwright.toml, explain its decisions, and test it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    toolwright policy check --against old.toml\n  \
    toolwright policy explain clerk create-depot-item '{\"name\": \"bolt\"}'\n  \
    toolwright policy test policy.test.toml --junit report.xml")]
pub(crate) struct PolicyArguments {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
enum PolicyCommand {
    Check(check::PolicyCheckArguments),
    Explain(explain::PolicyExplainArguments),
    Test(test::TestArguments),
}

impl PolicyArguments {
    pub(crate) fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self.command {
            PolicyCommand::Check(arguments) => arguments.run(context),
            PolicyCommand::Explain(arguments) => arguments.run(context),
            PolicyCommand::Test(arguments) => arguments.run(context),
        }
    }
}

/// Creates a registry of the chosen tools that records nothing. Its credentials are those of the
/// configuration.
pub(crate) fn examined(tools: &ChosenTools<'_>, config: Config) -> Result<Registry, Failure> {
    let builder = tools.registry().config(config).audit(MemoryAudit::new());
    builder.build().map_err(|error| linked::wrong(&error))
}

/// Creates a registry of the chosen tools that records nothing and reads no credentials.
fn registry(tools: &ChosenTools<'_>, config: Config) -> Result<Registry, Failure> {
    let builder = tools.registry().config(config);
    let builder = builder
        .audit(MemoryAudit::new())
        .credentials(Credentials::none());
    builder.build().map_err(|error| linked::wrong(&error))
}
