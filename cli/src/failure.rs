//! The results of a command: its exit codes and its messages.

use std::{fmt, io, path::Path, process::ExitCode};

use toolwright_model::text::show_invisible;

use crate::output::error_line;

/// The result of a command. Scripts depend on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// The arguments of the command are wrong: 2.
    Usage,
    /// Done, but without the operations that cannot be tools: 3.
    Partial,
    /// The compared things differ: 4.
    Differs,
    /// The input has errors, or the work could not be done: 100.
    Failed,
}

impl Exit {
    /// Returns the exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::Differs => 4,
            Self::Failed => 100,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// A failure of a command.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    /// The problems. Empty if all have been reported.
    problems: Vec<Problem>,
}

#[derive(Debug)]
struct Problem {
    /// One sentence, lower-case, no final stop.
    message: String,
    /// The notes and helps, in the order in which they were added.
    lines: Vec<(&'static str, String)>,
}

impl Failure {
    /// The input has errors, or the work could not be done.
    pub fn new(message: impl Into<String>) -> Self {
        Self::all([message])
    }

    /// The same of several problems.
    pub fn all(messages: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let problem = |message: String| Problem {
            message,
            lines: Vec::new(),
        };
        Self {
            exit: Exit::Failed,
            problems: messages.into_iter().map(Into::into).map(problem).collect(),
        }
    }

    /// The input has errors, which have all been reported.
    #[must_use]
    pub const fn already_reported() -> Self {
        Self {
            exit: Exit::Failed,
            problems: Vec::new(),
        }
    }

    /// The arguments contradict each other in a way that the grammar cannot express.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(message)
        }
    }

    /// A file could not be read or written.
    #[must_use]
    pub fn file(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Says why, of the last problem.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Self {
        self.line("note", text.into())
    }

    /// States the fix of the last problem.
    #[must_use]
    pub fn help(self, text: impl Into<String>) -> Self {
        self.line("help", text.into())
    }

    /// Returns the result of the command.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        self.exit
    }

    /// The number of problems.
    pub(crate) const fn number(&self) -> usize {
        self.problems.len()
    }

    fn line(mut self, kind: &'static str, text: String) -> Self {
        if let Some(problem) = self.problems.last_mut() {
            problem.lines.push((kind, text));
        }
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = anstyle::AnsiColor::Red.on_default().bold();
        let bold = anstyle::Style::new().bold();
        for (index, Problem { message, lines }) in self.problems.iter().enumerate() {
            let separator = if index > 0 { "\n" } else { "" };
            write!(
                f,
                "{separator}{error}error{error:#}{bold}: {}{bold:#}",
                show_invisible(message)
            )?;
            for (kind, text) in lines {
                let text = show_invisible(text);
                write!(f, "\n  = {bold}{kind}{bold:#}: {text}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    /// Converts an error of standard output. A reader may stop early, which is not a fault.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Done,
                problems: Vec::new(),
            };
        }
        Self::new(format!("cannot write the output: {error}"))
    }
}

/// Reports a failure unless that has been done.
pub(crate) fn report(failure: &Failure) -> Exit {
    if !failure.problems.is_empty() {
        error_line(failure);
    }
    failure.exit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(failure: &Failure) -> String {
        anstream::adapter::strip_str(&failure.to_string()).to_string()
    }

    #[test]
    fn a_closed_pipe_is_not_an_error() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit(), Exit::Done);
        let failure = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(failure.exit(), Exit::Failed);
    }

    #[test]
    fn a_failure_is_printed_with_notes_and_help() {
        let failure = Failure::new("no tool `x`").note("why").help("how");
        assert_eq!(
            plain(&failure),
            "error: no tool `x`\n  = note: why\n  = help: how"
        );
        assert_eq!(plain(&Failure::all(["a", "b"])), "error: a\nerror: b");
    }
}
