//! The program whose command line this is: `toolwright`, or one of a user with its own tools.

use std::process::ExitCode;

use toolwright::{EmbeddedTools, RegistryBuilder};

use crate::{command, identity::Identity, linked::Linked};

/// A program with the commands of `toolwright` over its own tools.
///
/// The commands, their help, the completions, the manual pages and the messages have its name.
///
/// ```no_run
/// use std::process::ExitCode;
/// # fn my_adapters() -> Vec<toolwright::EmbeddedTools> { Vec::new() }
///
/// fn main() -> ExitCode {
///     toolwright_cli::Program::new("warehouse")
///         .version(env!("CARGO_PKG_VERSION"))
///         .about("The tools of the warehouse, for its agents")
///         .tools(my_adapters())
///         .completed_by(|registry| registry.grant("reader", "category:observe"))
///         .run()
/// }
/// ```
#[must_use = "a program does nothing until it runs"]
pub struct Program {
    name: &'static str,
    version: Option<&'static str>,
    about: Option<&'static str>,
    tools: Vec<EmbeddedTools>,
    complete: Box<dyn Fn(RegistryBuilder) -> RegistryBuilder>,
}

impl Program {
    /// Begins with the name by which users call the program, and with the linked tools that are written by hand.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            version: None,
            about: None,
            tools: Vec::new(),
            complete: Box::new(|registry| registry),
        }
    }

    /// Sets the version, instead of that of Toolwright.
    pub fn version(mut self, version: &'static str) -> Self {
        self.version = Some(version);
        self
    }

    /// Sets the first line of the help.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// Adds adapters.
    pub fn tools(mut self, tools: impl IntoIterator<Item = EmbeddedTools>) -> Self {
        self.tools.extend(tools);
        self
    }

    /// Completes each registry that a command makes: with a [state](RegistryBuilder::state) that tools are methods
    /// of, with tools of its own, or with an audit.
    pub fn completed_by(
        mut self,
        complete: impl Fn(RegistryBuilder) -> RegistryBuilder + 'static,
    ) -> Self {
        self.complete = Box::new(complete);
        self
    }

    /// Runs the command that the arguments ask for.
    pub fn run(self) -> ExitCode {
        // The program may be the child of its own sandbox. Nothing may happen before.
        toolwright_sandbox::serve(&[]);
        crate::hide_what_tools_panic_with();
        let identity = Identity::new(self.name, self.version, self.about);
        command::run(Linked::new(self.tools, self.complete), identity).into()
    }
}
