//! The commands that the operator allows: `NAME = PROGRAM ARGUMENT …`.
//!
//! A command is split at spaces into a list of arguments, once, and never again: a value that an agent
//! fills in is one argument or a part of one.

use std::collections::BTreeMap;

use toolwright::{ToolContext, ToolError};
use toolwright_commands::{Argument, failed, misconfigured};

/// A command that the operator allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AllowedCommand {
    name: String,
    arguments: Vec<Argument>,
}

impl AllowedCommand {
    /// Finds the command of a call. Every rule that sets commands must have it, with the same arguments.
    pub(super) fn of_call(ctx: &ToolContext, name: &str) -> Result<Self, ToolError> {
        let mut found: Option<Self> = None;
        for commands in ctx.scope().texts("allowed_commands") {
            let commands: Result<Vec<_>, _> = commands.iter().map(|text| parse(text)).collect();
            let commands = commands.map_err(misconfigured)?;
            let command = commands.iter().find(|command| command.name == name);
            let Some(command) = command else {
                return Err(unknown(name, &commands));
            };
            if found.as_ref().is_some_and(|found| found != command) {
                let message = format!("two rules of the operator define `{name}` differently");
                return Err(misconfigured(message));
            }
            found = Some(command.clone());
        }
        found.ok_or_else(|| unknown(name, &[]))
    }

    /// Returns the arguments, the program first, with these values filled in.
    pub(super) fn arguments(
        &self,
        values: &BTreeMap<String, String>,
    ) -> Result<Vec<String>, String> {
        let holes = self.arguments.iter().filter_map(Argument::hole);
        let names: Vec<_> = holes.map(|(name, _)| name).collect();
        if let Some(name) = values.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("the command `{self}` has no place for `{name}`"));
        }
        let arguments = self.arguments.iter();
        arguments.map(|argument| argument.fill(values)).collect()
    }
}

/// As an agent reads it.
impl std::fmt::Display for AllowedCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        for argument in &self.arguments {
            if let Some((name, hole)) = argument.hole() {
                write!(f, " {name} ({})", hole.expectation())?;
            }
        }
        Ok(())
    }
}

fn unknown(name: &str, commands: &[AllowedCommand]) -> ToolError {
    let known: Vec<_> = commands
        .iter()
        .map(|command| format!("`{command}`"))
        .collect();
    let message = format!(
        "no command is called `{name}`; there are: {}",
        known.join(", ")
    );
    failed("command_not_allowed", message)
}

/// Reads `NAME = PROGRAM ARGUMENT …`.
fn parse(text: &str) -> Result<AllowedCommand, String> {
    let (name, command) = text
        .split_once(" = ")
        .ok_or_else(|| format!("`{text}` is not a command such as `test = cargo test`"))?;
    let arguments: Result<Vec<_>, _> = split(command)?.iter().map(|text| argument(text)).collect();
    let arguments = arguments.map_err(|fault| format!("in the command `{name}`: {fault}"))?;
    match arguments.first() {
        None => return Err(format!("the command `{name}` has no program")),
        Some(program) if program.hole().is_some() => {
            return Err(format!("the program of the command `{name}` must be fixed"));
        }
        Some(_) => {}
    }
    Ok(AllowedCommand {
        name: name.trim().to_owned(),
        arguments,
    })
}

/// Splits a command at spaces. An argument with spaces is in double quotes.
fn split(command: &str) -> Result<Vec<String>, String> {
    let mut arguments = Vec::new();
    let mut rest = command.trim_start();
    while !rest.is_empty() {
        let (argument, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted
                .split_once('"')
                .ok_or_else(|| format!("a quote has no end in `{command}`"))?,
            None => rest.split_once(' ').unwrap_or((rest, "")),
        };
        arguments.push(argument.to_owned());
        rest = after.trim_start();
    }
    Ok(arguments)
}

fn argument(text: &str) -> Result<Argument, String> {
    let Some((before, rest)) = text.split_once('<') else {
        return Ok(Argument::fixed(text));
    };
    let hole = rest.split_once('>').and_then(|(hole, after)| {
        let (name, kind) = hole.split_once(':')?;
        Some((name, kind, after))
    });
    let (name, kind, after) =
        hole.ok_or_else(|| format!("`{text}` has no place such as `<name:word>`"))?;
    if after.contains('<') {
        return Err(format!("`{text}` has two places; write two arguments"));
    }
    Ok(Argument::of_value(name, kind.parse()?).between(before, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(command: &str, values: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let values = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        parse(command)?.arguments(&values.collect())
    }

    #[test]
    fn a_value_is_one_argument_whatever_it_contains() {
        let command = r#"test = cargo test --package=<package:word> -- <filter:text> "two words""#;
        let values = [("package", "a-b"), ("filter", "x \" y; z")];
        let expected = [
            "cargo",
            "test",
            "--package=a-b",
            "--",
            "x \" y; z",
            "two words",
        ];
        assert_eq!(filled(command, &values).unwrap(), expected);
    }

    #[test]
    fn a_value_is_neither_missing_nor_unknown() {
        let command = "test = cargo test <package:word>";
        assert!(filled(command, &[]).unwrap_err().contains("is missing"));
        let unknown = filled(command, &[("package", "a"), ("other", "b")]);
        assert!(unknown.unwrap_err().contains("no place for `other`"));
        let refused = filled(command, &[("package", "--config=x")]);
        assert!(refused.unwrap_err().contains("is refused"));
    }

    #[test]
    fn a_command_without_sense_is_reported() {
        let faults = [
            "test",
            "test = ",
            "test = <program:word>",
            "test = a \"b",
            "test = a <b>",
            "test = a <b:word><c:word>",
        ];
        for fault in faults {
            assert!(parse(fault).is_err(), "{fault}");
        }
    }
}
