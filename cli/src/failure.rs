//! The results of a command: its exit codes and its messages.

mod code;

use std::{borrow::Cow, fmt, io, path::Path, process::ExitCode};

use serde_json::{Map, Value, json};
use toolwright_model::text::show_invisible;

pub(crate) use code::Code;

use crate::{identity::named, output::error_line};

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
    /// The call is denied: 5.
    Denied,
    /// The call waits for the approval of a person: 6.
    Waiting,
    /// The tool failed, or its service answered with an error: 7.
    Service,
    /// The service could not be reached: 8.
    Network,
    /// The input has errors, or the work could not be done: 100.
    Failed,
}

impl Exit {
    /// Every result, by its exit code.
    pub(crate) const ALL: [Self; 9] = [
        Self::Done,
        Self::Usage,
        Self::Partial,
        Self::Differs,
        Self::Denied,
        Self::Waiting,
        Self::Service,
        Self::Network,
        Self::Failed,
    ];

    /// Returns the exit code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::Differs => 4,
            Self::Denied => 5,
            Self::Waiting => 6,
            Self::Service => 7,
            Self::Network => 8,
            Self::Failed => 100,
        }
    }

    /// Returns the meaning of the exit code, for the help.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Usage => "the arguments are wrong, or do not fit the tool",
            Self::Partial => "done, without the operations or services that cannot be used",
            Self::Differs => "the compared things differ, or an expectation is not met",
            Self::Denied => "the call is denied",
            Self::Waiting => "the call waits for the approval of a person",
            Self::Service => "the tool failed, or its service answered with an error",
            Self::Network => "the service could not be reached",
            Self::Failed => "the input has errors, or the work could not be done",
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
    /// The stable code, for programs.
    code: Cow<'static, str>,
    /// One sentence, lower-case, no final stop.
    message: String,
    /// The notes and helps, in the order in which they were added.
    lines: Vec<(&'static str, String)>,
    /// What only programs read.
    facts: Map<String, Value>,
}

impl Failure {
    /// The input has errors, or the work could not be done.
    pub fn new(message: impl Into<String>) -> Self {
        Self::all([message])
    }

    /// The same of several problems.
    pub fn all(messages: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let problem = |message: String| Problem {
            code: Code::Failed.word().into(),
            message: named(message),
            lines: Vec::new(),
            facts: Map::new(),
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
        let failure = Self::new(message).with_exit(Exit::Usage);
        failure.code(Code::Usage)
    }

    /// A file could not be read or written.
    #[must_use]
    pub fn file(verb: &str, path: &Path, error: &io::Error) -> Self {
        let failure = Self::new(format!("cannot {verb} `{}`: {error}", path.display()));
        failure.code(Code::File)
    }

    /// Sets the result of the command.
    #[must_use]
    pub(crate) const fn with_exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Adds the problems of another failure.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.problems.extend(other.problems);
        self
    }

    /// Sets the code of all problems.
    #[must_use]
    pub(crate) fn code(self, code: Code) -> Self {
        self.foreign_code(code.word())
    }

    /// Sets the code of all problems to one that another crate documents.
    #[must_use]
    pub(crate) fn foreign_code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        let code = code.into();
        for problem in &mut self.problems {
            problem.code.clone_from(&code);
        }
        self
    }

    /// Says why, of the last problem.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Self {
        self.line("note", text.into())
    }

    /// Adds what else is known about the last problem, if anything is.
    #[must_use]
    pub(crate) fn detail(self, text: Option<impl Into<String>>) -> Self {
        match text {
            Some(text) => self.note(text),
            None => self,
        }
    }

    /// States the fix of the last problem.
    #[must_use]
    pub fn help(self, text: impl Into<String>) -> Self {
        self.line("help", text.into())
    }

    /// Adds a fact to the last problem, for programs.
    #[must_use]
    pub(crate) fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        if let Some(problem) = self.problems.last_mut() {
            problem.facts.insert(name.to_owned(), value.into());
        }
        self
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

    /// Returns the problems as programs read them, one value each.
    pub(crate) fn json(&self) -> Vec<Value> {
        let exit = self.exit.code();
        self.problems
            .iter()
            .map(|problem| json!({"error": problem.json(exit)}))
            .collect()
    }

    /// Returns the message of each problem, with its notes and its helps.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (String, Vec<String>, Vec<String>)> {
        self.problems.iter().map(|problem| {
            let texts = |kind| problem.lines_of(kind).map(ToOwned::to_owned).collect();
            (problem.message.clone(), texts("note"), texts("help"))
        })
    }

    fn line(mut self, kind: &'static str, text: String) -> Self {
        if let Some(problem) = self.problems.last_mut() {
            problem.lines.push((kind, named(text)));
        }
        self
    }
}

impl Problem {
    /// Returns the lines of a kind: the notes or the helps.
    fn lines_of(&self, kind: &'static str) -> impl Iterator<Item = &str> {
        let lines = self.lines.iter().filter(move |(one, _)| *one == kind);
        lines.map(|(_, text)| text.as_str())
    }

    fn json(&self, exit: u8) -> Value {
        let texts = |kind| self.lines_of(kind).collect::<Value>();
        let mut error = Map::new();
        error.insert("code".to_owned(), self.code.as_ref().into());
        error.insert("message".to_owned(), self.message.as_str().into());
        error.insert("retryable".to_owned(), false.into());
        error.extend(self.facts.clone());
        error.insert("exit_code".to_owned(), exit.into());
        error.insert("notes".to_owned(), texts("note"));
        error.insert("help".to_owned(), texts("help"));
        error.into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = anstyle::AnsiColor::Red.on_default().bold();
        let bold = anstyle::Style::new().bold();
        for (index, problem) in self.problems.iter().enumerate() {
            let Problem { message, lines, .. } = problem;
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
        Self::new(format!("cannot write the output: {error}")).code(Code::File)
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
