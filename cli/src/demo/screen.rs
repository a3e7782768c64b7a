//! The output of the demo on the terminal.

use std::{fmt::Display, io};

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use toolwright::{Role, ToolError, ToolOutput};
use toolwright_model::text::show_invisible;

use super::scenes::Mishap;
use crate::{
    Failure,
    output::{Output, Table, printable},
};

/// The most lines of a response that are shown.
const ANSWER_LINES: usize = 12;

/// The greatest width of a line after its indentation, in characters.
const WIDTH: usize = 92;

/// The terminal, or nothing at all, and the step that is shown on it.
pub(super) struct Screen<'a> {
    output: Option<&'a mut Output>,
    step: usize,
    title: &'static str,
}

impl<'a> Screen<'a> {
    /// Creates a screen on an output.
    pub(super) const fn on(output: &'a mut Output) -> Self {
        Self {
            output: Some(output),
            ..Self::dark()
        }
    }

    /// A screen that shows nothing.
    pub(super) const fn dark() -> Self {
        Self {
            output: None,
            step: 0,
            title: "the opening",
        }
    }

    /// Begins the next step.
    pub(super) fn step(&mut self, title: &'static str) -> io::Result<()> {
        self.step += 1;
        self.title = title;
        let style = AnsiColor::Cyan.on_default().bold();
        let number = self.step;
        self.line("")?;
        self.line(format_args!("{style}{number}  {title}{style:#}"))?;
        self.line("")
    }

    /// Shows lines.
    pub(super) fn say(&mut self, text: impl Display) -> io::Result<()> {
        for line in text.to_string().lines() {
            self.line(format_args!("   {line}").to_string().trim_end())?;
        }
        Ok(())
    }

    /// Shows a line in bold, such as a command.
    pub(super) fn emphasise(&mut self, text: impl Display) -> io::Result<()> {
        let bold = Style::new().bold();
        self.line(format_args!("   {bold}{text}{bold:#}"))
    }

    /// Shows an empty line.
    pub(super) fn gap(&mut self) -> io::Result<()> {
        self.line("")
    }

    /// Shows a table.
    pub(super) fn table(&mut self, table: &Table) -> io::Result<()> {
        match &mut self.output {
            Some(output) => output.table(table),
            None => Ok(()),
        }
    }

    /// Shows a call and what came of it.
    pub(super) fn call(
        &mut self,
        role: &Role,
        tool: &str,
        arguments: &Value,
        ended: &Result<ToolOutput, ToolError>,
    ) -> io::Result<()> {
        let (bold, good, bad) = (
            Style::new().bold(),
            AnsiColor::Green.on_default(),
            AnsiColor::Red.on_default(),
        );
        self.line(format_args!(
            "   {role} calls {bold}{tool}{bold:#} with {arguments}"
        ))?;
        match ended {
            Ok(output) => {
                self.line(format_args!("   {good}answer{good:#}"))?;
                self.answer(&output.value)
            }
            Err(error) => {
                self.line(format_args!("   {bad}{}{bad:#}", error.code()))?;
                for line in wrapped(&error.to_string()) {
                    self.line(format_args!("     {line}"))?;
                }
                Ok(())
            }
        }
    }

    /// Converts a mishap to the failure of the command.
    pub(super) fn failure(&self, mishap: Mishap) -> Failure {
        match mishap {
            Mishap::Output(error) => error.into(),
            Mishap::Other(failure) => failure,
            Mishap::Untold(what) => Failure::new(format!(
                "step {} of the demo, `{}`, failed: {what}",
                self.step, self.title
            )),
        }
    }

    /// Shows the beginning of an answer.
    fn answer(&mut self, value: &Value) -> io::Result<()> {
        let dim = Style::new().dimmed();
        let text = format!("{value:#}");
        for line in text.lines().take(ANSWER_LINES) {
            let short: String = line.chars().take(WIDTH).collect();
            let rest = if short.len() < line.len() { "…" } else { "" };
            self.line(format_args!(
                "     {dim}{}{rest}{dim:#}",
                show_invisible(&short)
            ))?;
        }
        match text.lines().count().saturating_sub(ANSWER_LINES) {
            0 => Ok(()),
            more => self.line(format_args!("     {dim}… and {more} more lines{dim:#}")),
        }
    }

    fn line(&mut self, text: impl Display) -> io::Result<()> {
        match &mut self.output {
            Some(output) => output.line(text),
            None => Ok(()),
        }
    }
}

/// Wraps lines to the width of the screen.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in printable(text).split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
