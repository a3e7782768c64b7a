//! The grammar of the command line, and which function each command is.

mod errors;

use std::{env, path::PathBuf};

use clap::{ArgAction, CommandFactory, FromArgMatches as _, Parser, Subcommand};

#[cfg(feature = "demo")]
use crate::demo;
use crate::{
    Exit, Failure, commands,
    context::Context,
    failure::report,
    identity::Identity,
    linked::Linked,
    output::{Color, Output, error_line, print_spans},
    serve,
};
use errors::{ErrorForm, wrong_arguments};

/// Typed, governed tools for AI agents, from API specifications
#[derive(Debug, Parser)]
#[command(version, name = "toolwright", propagate_version = true, after_help = exit_status())]
struct CommandLine {
    #[command(subcommand)]
    command: Command,

    /// When to use colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: Color,

    /// The toolwright.toml to use, rather than the nearest one above the current folder
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Print each call and request to standard error when it ends; twice, also
    /// when it begins
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "generator")]
    New(commands::new::NewArguments),
    #[cfg(feature = "generator")]
    Add(commands::add::AddArguments),
    #[cfg(feature = "generator")]
    Refresh(commands::refresh::RefreshArguments),
    #[cfg(feature = "generator")]
    Generate(commands::generate::GenerateArguments),
    #[cfg(feature = "generator")]
    Check(commands::check::CheckArguments),
    #[cfg(feature = "generator")]
    Diff(commands::diff::DiffArguments),
    #[cfg(feature = "generator")]
    Inspect(commands::inspect::InspectArguments),
    #[cfg(feature = "generator")]
    Review(commands::review::ReviewArguments),
    List(commands::list::ListArguments),
    Show(commands::show::ShowArguments),
    Explain(commands::explain::ExplainArguments),
    Matrix(commands::matrix::MatrixArguments),
    Budget(commands::budget::BudgetArguments),
    Call(commands::call::CallArguments),
    Files(commands::files::FilesArguments),
    Approvals(commands::approvals::ApprovalsArguments),
    Console(commands::console::ConsoleArguments),
    Approve(commands::approvals::ApproveArguments),
    Reject(commands::approvals::RejectArguments),
    ApproverKey(commands::approvals::KeyArguments),
    Policy(commands::policy::PolicyArguments),
    Tools(commands::tools::SwitchArguments),
    #[cfg(feature = "generator")]
    Mount(commands::mount::MountArguments),
    Skill(commands::skill::SkillArguments),
    Tokens(commands::tokens::TokensArguments),
    State(commands::state::StateArguments),
    Sandbox(commands::sandbox::SandboxArguments),
    Audit(commands::audit::AuditArguments),
    Trust(commands::trust::TrustArguments),
    Doctor(commands::doctor::DoctorArguments),
    Serve(serve::Arguments),
    McpConfig(commands::mcp_config::McpConfigArguments),
    Export(commands::export::ExportArguments),
    Completions(commands::completions::CompletionsArguments),
    Man(commands::man::ManArguments),
    #[cfg(feature = "generator")]
    Dump(commands::dump::DumpArguments),
    #[cfg(feature = "generator")]
    Eab(commands::eab::EabArguments),
    #[cfg(feature = "demo")]
    Demo(demo::DemoArguments),
}

/// Runs the command that the program's arguments ask for.
pub(crate) fn run(linked: Linked, identity: Identity) -> Exit {
    let form = ErrorForm::of_arguments(env::args_os().skip(1));
    let parsed = parse(identity);
    let line = match parsed {
        Ok(line) => line,
        Err(error) => {
            if error.use_stderr() {
                error_line(error.render().ansi().to_string().trim_end());
                form.write(&wrong_arguments(&error), &mut Output::standard());
                return Exit::Usage;
            }
            // The output is lost if the terminal is closed.
            let _ = error.print();
            return Exit::Done;
        }
    };
    line.color.apply();
    print_spans(line.verbose);
    let mut context = Context {
        linked,
        identity,
        config: line.config,
        output: Output::standard(),
    };
    let result = line.command.run(&mut context);
    if let Err(failure) = &result {
        form.write(failure, &mut context.output);
    }
    let written = context.output.finish().map_err(Failure::from);
    match result.and_then(|exit| written.map(|()| exit)) {
        Ok(exit) => exit,
        Err(failure) => report(&failure),
    }
}

/// Parses the arguments of the program.
fn parse(identity: Identity) -> Result<CommandLine, clap::Error> {
    let mut command = identity.of(CommandLine::command());
    let parsed = command.try_get_matches_from_mut(env::args_os());
    let line = parsed.and_then(|mut parsed| CommandLine::from_arg_matches_mut(&mut parsed));
    line.map_err(|error| error.format(&mut command))
}

/// Lists the exit codes, for the help.
fn exit_status() -> String {
    let lines = Exit::ALL.map(|exit| format!("  {:<5}{}", exit.code(), exit.meaning()));
    format!("Exit status:\n{}", lines.join("\n"))
}

impl Command {
    fn run(self, context: &mut Context) -> Result<Exit, Failure> {
        match self {
            #[cfg(feature = "generator")]
            Self::New(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Add(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Refresh(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Generate(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Check(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Diff(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Inspect(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Review(arguments) => arguments.run(context),
            Self::List(arguments) => arguments.run(context),
            Self::Show(arguments) => arguments.run(context),
            Self::Explain(arguments) => arguments.run(context),
            Self::Matrix(arguments) => arguments.run(context),
            Self::Budget(arguments) => arguments.run(context),
            Self::Call(arguments) => arguments.run(context),
            Self::Files(arguments) => arguments.run(context),
            Self::Approvals(arguments) => arguments.run(context),
            Self::Console(arguments) => arguments.run(context),
            Self::Approve(arguments) => arguments.run(context),
            Self::Reject(arguments) => arguments.run(context),
            Self::ApproverKey(arguments) => arguments.run(context),
            Self::Policy(arguments) => arguments.run(context),
            Self::Tools(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Mount(arguments) => arguments.run(context),
            Self::Skill(arguments) => arguments.run(context),
            Self::Tokens(arguments) => arguments.run(context),
            Self::State(arguments) => arguments.run(context),
            Self::Sandbox(arguments) => arguments.run(context),
            Self::Audit(arguments) => arguments.run(context),
            Self::Trust(arguments) => arguments.run(context),
            Self::Doctor(arguments) => arguments.run(context),
            Self::Serve(arguments) => arguments.run(context),
            Self::McpConfig(arguments) => arguments.run(context),
            Self::Export(arguments) => arguments.run(context),
            Self::Completions(arguments) => {
                arguments.run(context.identity.of(CommandLine::command()), context)
            }
            Self::Man(arguments) => {
                arguments.run(context.identity.of(CommandLine::command()), context)
            }
            #[cfg(feature = "generator")]
            Self::Dump(arguments) => arguments.run(context),
            #[cfg(feature = "generator")]
            Self::Eab(arguments) => arguments.run(context),
            #[cfg(feature = "demo")]
            Self::Demo(arguments) => arguments.run(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example() {
        for command in CommandLine::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            let example = format!("  toolwright {}", command.get_name());
            let help = help.unwrap_or_default();
            assert!(help.contains(&example), "`{}`: {help}", command.get_name());
        }
    }
}
