//! The name of the program in its help and its messages: `toolwright`, or that of a program of a user.

use std::sync::OnceLock;

use clap::{Command, builder::StyledStr};

/// The name of the command of this project.
const OWN_NAME: &str = "toolwright";

/// The name of the running program, if it is another.
static NAME: OnceLock<&'static str> = OnceLock::new();

/// What the help shows of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity {
    name: &'static str,
    version: Option<&'static str>,
    about: Option<&'static str>,
}

impl Identity {
    /// Sets the name of the running program.
    pub(crate) fn new(
        name: &'static str,
        version: Option<&'static str>,
        about: Option<&'static str>,
    ) -> Self {
        if name != OWN_NAME {
            // One program runs in a process, so the first name is the only one.
            let _ = NAME.set(name);
        }
        Self {
            name,
            version,
            about,
        }
    }

    /// Returns the grammar of the command line with the name of the program.
    pub(crate) fn of(self, command: Command) -> Command {
        let mut command = match self.name {
            OWN_NAME => command,
            _ => renamed(command).name(self.name).bin_name(self.name),
        };
        if let Some(version) = self.version {
            command = command.version(version);
        }
        if let Some(about) = self.about {
            command = command.about(about).long_about(about);
        }
        command
    }
}

/// Renames the program in the help of a command and of those below it.
fn renamed(mut command: Command) -> Command {
    if let Some(help) = command.get_after_help() {
        let help = named_in_help(help);
        command = command.after_help(help);
    }
    if let Some(about) = command.get_long_about() {
        let about = named_in_help(about);
        command = command.long_about(about);
    }
    if let Some(about) = command.get_about() {
        let about = named_in_help(about);
        command = command.about(about);
    }
    let command = command.mut_args(|mut argument| {
        if let Some(help) = argument.get_long_help() {
            let help = named_in_help(help);
            argument = argument.long_help(help);
        }
        if let Some(help) = argument.get_help() {
            let help = named_in_help(help);
            argument = argument.help(help);
        }
        argument
    });
    command.mut_subcommands(renamed)
}

fn named_in_help(text: &StyledStr) -> StyledStr {
    let text = named(text.ansi().to_string());
    let example = format!("  {} ", NAME.get().unwrap_or(&OWN_NAME));
    text.replace(&format!("  {OWN_NAME} "), &example).into()
}

/// Returns a text with the name of the program in each command that it quotes.
pub(crate) fn named(text: String) -> String {
    match NAME.get() {
        Some(name) => text.replace(&format!("`{OWN_NAME} "), &format!("`{name} ")),
        None => text,
    }
}
