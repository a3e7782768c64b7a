//! The errors of commands for programs.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Write},
};

use clap::error::ErrorKind;
use serde_json::Value;
use toolwright_model::text::escape_json;

use crate::{Failure, output::Output};

/// The form of errors for programs.
///
/// The arguments decide it before they are parsed, since they may be what is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorForm {
    /// Errors are only for people, on standard error.
    Text,
    /// Errors are JSON on standard output too.
    Json,
    /// Errors are JSON on standard error too: standard output is a protocol.
    JsonAside,
}

impl ErrorForm {
    /// Returns the form that the arguments ask for with `--json` or `--format json`.
    pub(super) fn of_arguments(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let (mut json, mut serves) = (false, None);
        let mut before = OsString::new();
        for argument in arguments {
            if argument == "--" {
                break;
            }
            json |= argument == "--json" || argument == "--format=json";
            json |= before == "--format" && argument == "json";
            serves =
                serves.or_else(|| is_command(&argument, &before).then_some(argument == "serve"));
            before = argument;
        }
        match (json, serves) {
            (false, _) => Self::Text,
            (true, Some(true)) => Self::JsonAside,
            (true, _) => Self::Json,
        }
    }

    /// Writes the problems of a failure, one a line. The output is lost if it is closed.
    pub(super) fn write(self, failure: &Failure, output: &mut Output) {
        for problem in failure.json() {
            let _ = match self {
                Self::Text => Ok(()),
                Self::Json => output.json(&problem),
                Self::JsonAside => write_aside(&problem),
            };
        }
    }
}

/// Checks whether an argument is the name of the command: the first that is neither an option nor
/// the value of one.
fn is_command(argument: &OsStr, before: &OsStr) -> bool {
    let is_value = before == "--config" || before == "--color";
    !is_value && !argument.to_string_lossy().starts_with('-')
}

fn write_aside(problem: &Value) -> io::Result<()> {
    writeln!(io::stderr(), "{}", escape_json(&problem.to_string()))
}

/// Converts an error of the grammar. Its usage and its tips are for people.
pub(super) fn wrong_arguments(error: &clap::Error) -> Failure {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return Failure::usage("a command or an argument is missing");
    }
    let text = error.render().to_string();
    let message = text.split("\n\n").next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let words: Vec<_> = message.split_whitespace().collect();
    Failure::usage(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_decide_the_form() {
        for (line, form) in [
            ("list", ErrorForm::Text),
            ("list --json", ErrorForm::Json),
            ("diff a b --format json", ErrorForm::Json),
            ("matrix --format=json", ErrorForm::Json),
            ("matrix --format html", ErrorForm::Text),
            ("show -- --json", ErrorForm::Text),
            ("--config x serve --json", ErrorForm::JsonAside),
            ("show serve --json", ErrorForm::Json),
        ] {
            let arguments = line.split(' ').map(OsString::from);
            assert_eq!(ErrorForm::of_arguments(arguments), form, "{line}");
        }
    }
}
