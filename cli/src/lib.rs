//! The `toolwright` command, as a library: a program of one line has it over its own tools.
//!
//! ```no_run
//! use std::process::ExitCode;
//! # fn my_adapters() -> Vec<toolwright::EmbeddedTools> { Vec::new() }
//!
//! fn main() -> ExitCode {
//!     toolwright_cli::run(my_adapters())
//! }
//! ```
//!
//! A [`Program`] has a name, a version and a description of its own.
//!
//! Data goes to standard output, diagnostics and progress to standard error. The exit code is that
//! of an [`Exit`]; `docs/command.md` lists the codes.

mod asynchronous;
mod budget;
mod command;
mod commands;
mod context;
mod databases;
#[cfg(feature = "demo")]
mod demo;
#[cfg(feature = "generator")]
mod drift;
mod failure;
#[cfg(feature = "generator")]
mod generation;
mod identity;
#[cfg(feature = "generator")]
mod interrupt;
mod linked;
mod matrix;
#[cfg(feature = "generator")]
mod mounts;
#[cfg(feature = "generator")]
mod names;
#[cfg(feature = "generator")]
mod new_crate;
mod operator;
mod output;
#[cfg(feature = "generator")]
mod overlay_file;
mod picture;
mod program;
mod project;
mod search;
mod serve;
mod skills;
#[cfg(feature = "generator")]
mod source;
#[cfg(feature = "generator")]
mod specification;
mod state;
mod target;
mod tools;
mod trust;
#[cfg(feature = "generator")]
mod workspace;

use std::process::ExitCode;

use toolwright::{EmbeddedTools, RegistryBuilder};

#[cfg(feature = "workbench")]
use toolwright_workbench as _;

pub use failure::{Exit, Failure};
pub use program::Program;

/// Runs the command that the program's arguments ask for, over these adapters and all linked tools
/// that are written by hand.
pub fn run(tools: impl IntoIterator<Item = EmbeddedTools>) -> ExitCode {
    run_with(tools, |registry| registry)
}

/// The same, where tools need something of the program: a [state](RegistryBuilder::state) that they
/// are methods of, an audit of its own.
pub fn run_with(
    tools: impl IntoIterator<Item = EmbeddedTools>,
    complete: impl Fn(RegistryBuilder) -> RegistryBuilder + 'static,
) -> ExitCode {
    let program = Program::new("toolwright");
    program.tools(tools).completed_by(complete).run()
}

/// Prints the location of a panic without its message: a message of a hand-written tool may contain
/// a secret.
fn hide_what_tools_panic_with() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let place = place.unwrap_or_else(|| "an unknown location".to_owned());
        output::error_line(format_args!(
            "a panic at {place}; its message is withheld, because it may contain a secret"
        ));
    }));
}
