//! The `git` program: a clean environment, an end, and a limit of its output.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::timeout;
use toolwright::ToolError;
use toolwright_commands::{confined::not_started, failed};
use toolwright_sandbox::{End, Output, Program, Session, Step};

/// The longest run of one command.
const LONGEST_RUN: Duration = Duration::from_secs(60);

/// The longest output of a command, in bytes.
const LONGEST_OUTPUT: u64 = 32 << 20;

/// The longest message of git that an error shows, in bytes.
const LONGEST_MESSAGE: u64 = 2_000;

/// The environment of each command. It has nothing of the program's own but the places of programs.
const ENVIRONMENT: [(&str, &str); 16] = [
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_EDITOR", "false"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    ("SSH_ASKPASS", "false"),
    ("GIT_ASKPASS", "false"),
];

/// One command of git, in the sandbox of the call.
#[derive(Debug)]
pub(super) struct Git<'a> {
    session: &'a Session,
    step: Step,
}

impl<'a> Git<'a> {
    /// Prepares a command on a git folder and a work tree.
    pub(super) fn new(
        session: &'a Session,
        folder: &Path,
        work_tree: &Path,
        arguments: &[&str],
    ) -> Self {
        let mut git = Self::without_repository(session, folder, arguments)
            .variable("GIT_DIR", folder)
            .variable("GIT_WORK_TREE", work_tree);
        git.step.folder = work_tree.to_owned();
        git
    }

    /// Prepares a command that needs no repository, in a folder.
    pub(super) fn without_repository(
        session: &'a Session,
        folder: &Path,
        arguments: &[&str],
    ) -> Self {
        // Without a program, the session reports that it cannot be started.
        let program = program().unwrap_or_else(|| PathBuf::from("git"));
        let program = Program::new(program, arguments.iter().copied());
        let mut step = Step::new(program, folder);
        step.longest_output = LONGEST_OUTPUT;
        step.longest_errors = LONGEST_MESSAGE;
        let environment = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
        step.environment = environment.into();
        let git = Self { session, step };
        let places: Vec<_> = places_of_programs().collect();
        git.variable("PATH", env::join_paths(places).unwrap_or_default())
            .variable("HOME", folder)
            .variable("XDG_CONFIG_HOME", folder)
    }

    /// Sets a variable of the environment.
    pub(super) fn variable(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        let value = value.as_ref().to_string_lossy().into_owned();
        self.step.environment.insert(name.to_owned(), value);
        self
    }

    /// Sets the standard input.
    pub(super) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.step.input = input.into();
        self
    }

    /// Runs the command, and returns its output.
    pub(super) async fn run(self) -> Result<Vec<u8>, ToolError> {
        let ended = self.end().await?;
        if ended.end == End::Exited(0) {
            return Ok(ended.output);
        }
        let message = String::from_utf8_lossy(&ended.errors);
        Err(failed(
            "git_failed",
            format!("git failed: {}", message.trim()),
        ))
    }

    /// Runs the command, and returns its output; none if git reports a failure.
    pub(super) async fn try_run(self) -> Result<Option<Vec<u8>>, ToolError> {
        let ended = self.end().await?;
        Ok((ended.end == End::Exited(0)).then_some(ended.output))
    }

    async fn end(self) -> Result<Output, ToolError> {
        let ended = timeout(LONGEST_RUN, self.session.run(&self.step)).await;
        let ended = ended.map_err(|_| failed("git_timeout", "git did not end in time"))?;
        ended.map_err(|error| not_started(&error, "git_failed"))
    }
}

/// Returns the places of programs, without those that depend on the current folder.
fn places_of_programs() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places: Vec<_> = env::split_paths(&path).collect();
    places.into_iter().filter(|place| place.is_absolute())
}

/// Returns the path of the program.
fn program() -> Option<PathBuf> {
    let mut places = places_of_programs().map(|place| place.join("git"));
    places.find(|program| program.is_file())
}

/// Returns the folder in which git is installed, with the programs that it starts, if it is none of the system.
pub(super) fn folder_of_program() -> Option<PathBuf> {
    let program = program()?.canonicalize().ok()?;
    let folder = program.parent()?.parent()?;
    let is_own = folder != Path::new("/") && !folder.starts_with("/usr");
    is_own.then(|| folder.to_owned())
}
