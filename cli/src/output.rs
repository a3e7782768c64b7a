//! Standard output: lines for people, or JSON lines for programs.

mod progress;
mod spans;
mod table;
mod visible;

use std::{
    fmt::Display,
    io::{self, BufWriter, IsTerminal, Write},
};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use serde::Serialize;
use toolwright_model::text::{escape_json, show_invisible};

pub(crate) use progress::Progress;
pub(crate) use spans::print_spans;
pub(crate) use table::{Cell, Table, printable};
use visible::with_styles;

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes it the choice of everything that is written from now on.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        }
        .write_global();
    }
}

/// Returns true if standard error is coloured.
#[cfg(feature = "generator")]
pub(crate) fn diagnostics_are_coloured() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Writes a line to standard error, with its styles. Other invisible characters are shown.
///
/// The message is lost if standard error is closed.
pub(crate) fn error_line(text: impl Display) {
    let _ = writeln!(anstream::stderr(), "{}", with_styles(&text.to_string()));
}

/// A number and what it counts.
pub(crate) fn plural(number: usize, thing: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{ending}")
}

/// The form of the data that a command prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: one JSON value a line.
    Json,
}

/// The arguments that choose a [`Format`].
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct FormatArguments {
    /// The form of the data on standard output
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    format: Format,
    /// The same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArguments {
    /// Returns true if the output is JSON.
    pub(crate) fn is_json(self) -> bool {
        self.json || self.format == Format::Json
    }
}

/// Standard output.
pub(crate) struct Output {
    writer: BufWriter<AutoStream<io::Stdout>>,
    width: Option<usize>,
}

impl Output {
    /// Creates standard output, in colour on a terminal.
    pub(crate) fn standard() -> Self {
        let stdout = io::stdout();
        let width = if stdout.is_terminal() {
            terminal_size::terminal_size_of(&stdout).map(|(width, _)| width.0.into())
        } else {
            None
        };
        Self {
            writer: BufWriter::new(AutoStream::auto(stdout)),
            width,
        }
    }

    /// Writes a line with its styles. Other invisible characters are shown.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.writer, "{}", with_styles(&text.to_string()))
    }

    /// Writes several lines without styles. Invisible characters are shown.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.writer, "{}", show_invisible(text))
    }

    /// Writes several lines with their styles. Other invisible characters are shown.
    pub(crate) fn styled(&mut self, text: &str) -> io::Result<()> {
        write!(self.writer, "{}", with_styles(text))
    }

    /// Writes a value as one line of JSON, and flushes it. Invisible characters are escaped.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string(value)?;
        writeln!(self.writer, "{}", escape_json(&json))?;
        self.writer.flush()
    }

    /// Writes a value as indented JSON, for people. Invisible characters are escaped.
    pub(crate) fn pretty_json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string_pretty(value)?;
        writeln!(self.writer, "{}", escape_json(&json))
    }

    /// Writes a table, cut to the width of the terminal if there is one.
    pub(crate) fn table(&mut self, table: &Table) -> io::Result<()> {
        table.write(&mut self.writer, self.width)
    }

    /// Writes names and what belongs to them, one a line.
    pub(crate) fn fields(&mut self, fields: &[(&'static str, String)]) -> io::Result<()> {
        let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, text) in fields {
            writeln!(self.writer, "{name:width$}  {}", printable(text))?;
        }
        Ok(())
    }

    /// Flushes the output of a command that goes on.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Lets go of everything that was written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
