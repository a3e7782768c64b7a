//! How a command ends: its exit codes, and what is said when it fails.

use std::{fmt, io, process::ExitCode};

/// How a command ended. Scripts depend on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done: 0.
    Done,
    /// The arguments of the command are wrong: 2.
    Usage,
    /// What was compared differs: 4.
    Differs,
    /// The input has errors, or the work could not be done: 100.
    Failed,
}

impl Exit {
    /// The number that the operating system is told.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Usage => 2,
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

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    /// How the command ends.
    exit: Exit,
    /// One sentence, lower-case, no final stop; empty when everything has been said.
    message: String,
    notes: Vec<String>,
    helps: Vec<String>,
}

impl Failure {
    /// The input has errors, or the work could not be done.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
            notes: Vec::new(),
            helps: Vec::new(),
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
    pub fn file(verb: &str, path: &std::path::Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {verb} `{}`: {error}", path.display()))
    }

    /// Says why.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// States the fix.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// How the command ends.
    #[must_use]
    pub const fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = anstyle::AnsiColor::Red.on_default().bold();
        let bold = anstyle::Style::new().bold();
        write!(f, "{error}error{error:#}{bold}: {}{bold:#}", self.message)?;
        for note in &self.notes {
            write!(f, "\n  = {bold}note{bold:#}: {note}")?;
        }
        for help in &self.helps {
            write!(f, "\n  = {bold}help{bold:#}: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    /// An error of standard output. Whoever reads it may stop early: that is no fault.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Done,
                ..Self::new("")
            };
        }
        Self::new(format!("cannot write the output: {error}"))
    }
}

/// Tells the user why the command failed, if that has not been said yet.
pub(crate) fn report(failure: &Failure) -> Exit {
    if !failure.message.is_empty() {
        anstream::eprintln!("{failure}");
    }
    failure.exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_no_fault() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit(), Exit::Done);
        let failure = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(failure.exit(), Exit::Failed);
    }

    #[test]
    fn what_is_said_has_its_reasons_and_fixes() {
        let failure = Failure::new("no tool `x`").note("why").help("how");
        let text = anstream::adapter::strip_str(&failure.to_string()).to_string();
        assert_eq!(text, "error: no tool `x`\n  = note: why\n  = help: how");
    }
}
