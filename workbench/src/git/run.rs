//! The `git` program: a clean environment, an end, and a limit of its output.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::Command,
    time::timeout,
};
use toolwright::ToolError;

use crate::failure::failed;

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

/// One command of git.
#[derive(Debug)]
pub(super) struct Git {
    command: Command,
    input: Vec<u8>,
}

/// The end of a command.
struct Ended {
    is_success: bool,
    output: Vec<u8>,
    message: Vec<u8>,
}

impl Git {
    /// Prepares a command on a git folder and a work tree.
    pub(super) fn new(folder: &Path, work_tree: &Path, arguments: &[&str]) -> Self {
        Self::without_repository(folder, arguments)
            .variable("GIT_DIR", folder)
            .variable("GIT_WORK_TREE", work_tree)
            .within(work_tree)
    }

    /// Prepares a command that needs no repository, in a folder.
    pub(super) fn without_repository(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new("git");
        command
            .env_clear()
            .envs(ENVIRONMENT)
            .env("PATH", places_of_programs())
            .env("HOME", folder)
            .env("XDG_CONFIG_HOME", folder)
            .current_dir(folder)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Self {
            command,
            input: Vec::new(),
        }
    }

    fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets a variable of the environment.
    pub(super) fn variable(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets the standard input.
    pub(super) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs the command, and returns its output.
    pub(super) async fn run(self) -> Result<Vec<u8>, ToolError> {
        let ended = self.end().await?;
        if ended.is_success {
            return Ok(ended.output);
        }
        let message = String::from_utf8_lossy(&ended.message);
        Err(failed(
            "git_failed",
            format!("git failed: {}", message.trim()),
        ))
    }

    /// Runs the command, and returns its output; none if git reports a failure.
    pub(super) async fn try_run(self) -> Result<Option<Vec<u8>>, ToolError> {
        let ended = self.end().await?;
        Ok(ended.is_success.then_some(ended.output))
    }

    async fn end(self) -> Result<Ended, ToolError> {
        let ended = timeout(LONGEST_RUN, self.carry_out()).await;
        let ended = ended.map_err(|_| failed("git_timeout", "git did not end in time"))?;
        ended.map_err(|error| failed("git_failed", format!("git cannot be run: {error}")))
    }

    async fn carry_out(mut self) -> std::io::Result<Ended> {
        let mut child = self.command.spawn()?;
        let (input, output, message) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut input) = input {
                // Git may end before it has read everything.
                let _ = input.write_all(&self.input).await;
            }
        };
        let read_output = read(output, LONGEST_OUTPUT);
        let read_message = read(message, LONGEST_MESSAGE);
        let ((), output, message) = tokio::join!(write, read_output, read_message);
        let status = child.wait().await?;
        Ok(Ended {
            is_success: status.success(),
            output: output?,
            message: message?,
        })
    }
}

/// Reads a stream to its end or its limit. A stream beyond its limit is closed, and ends the command.
async fn read(
    stream: Option<impl tokio::io::AsyncRead + Unpin>,
    limit: u64,
) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit).read_to_end(&mut content).await?;
    }
    Ok(content)
}

/// Returns the places of programs, without those that depend on the current folder.
fn places_of_programs() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).filter(|place| place.is_absolute());
    env::join_paths(places.collect::<Vec<PathBuf>>()).unwrap_or_default()
}
