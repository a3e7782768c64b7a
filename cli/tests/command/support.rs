//! A project in a temporary folder, and the command run in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use tempfile::TempDir;
use toolwright_tests::{Answer, Recorder};

/// The arguments that serve the service `memo` to a role that may look.
pub(crate) const READER: [&str; 7] = [
    "serve",
    "--spec",
    "specs/memo/openapi.yaml",
    "--role",
    "reader",
    "--grant",
    "category:observe",
];

/// The `toolwright.toml` of this repository, whose services are those of `specs/`.
pub(crate) const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../toolwright.toml");

/// A small service with one tool of each kind that the tests need.
pub(crate) const NOTES: &str = include_str!("memo.yaml");

/// A project: a temporary folder with a `toolwright.toml` that the user has trusted.
pub(crate) struct Project {
    folder: TempDir,
    state: TempDir,
}

/// The result of a run of the command.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// A project without services.
    pub(crate) fn empty() -> Self {
        let project = Self::from_elsewhere();
        project.configure("");
        fs::create_dir(project.path("specs")).unwrap();
        project
    }

    /// Creates an empty folder in which the user has trusted nothing.
    pub(crate) fn from_elsewhere() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            state: tempfile::tempdir().unwrap(),
        }
    }

    /// Writes the project's `toolwright.toml`, and trusts it.
    #[track_caller]
    pub(crate) fn configure(&self, text: impl AsRef<[u8]>) {
        self.write("toolwright.toml", text);
        self.run(&["trust"]).expect(0);
    }

    /// A project with the service `memo`.
    pub(crate) fn with_memo() -> Self {
        let project = Self::empty();
        project.write("specs/memo/openapi.yaml", NOTES);
        project
    }

    /// A path in the project.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file of the project that is private to the user, and the folders above it.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        toolwright::private::write(&self.path(path), content).unwrap();
    }

    /// Reads a file of the project.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The command, to be run in the project's folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(self.folder.path(), arguments);
        command.env("XDG_CONFIG_HOME", self.state.path());
        command
    }

    /// Returns the folder that records the user's trust.
    pub(crate) fn state(&self) -> &Path {
        self.state.path()
    }

    /// Runs the command in the project's folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        run(&mut self.command(arguments))
    }

    /// Every file of a folder of the project with its content, by path, but for what the command
    /// keeps for itself.
    pub(crate) fn files(&self, folder: &str) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let mut folders = vec![self.path(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with(".toolwright") {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let content = fs::read_to_string(&path).unwrap();
                    files.push((path, content));
                }
            }
        }
        files.sort();
        files
    }
}

impl Run {
    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        let Self { stdout, stderr, .. } = &self;
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{stdout}\nstderr:\n{stderr}"
        );
        assert!(!stderr.contains("panicked"), "{stderr}");
        self
    }

    /// Checks that standard error contains this.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "no `{text}` in:\n{}",
            self.stderr
        );
        self
    }

    /// Checks that standard output contains this.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text),
            "no `{text}` in:\n{}",
            self.stdout
        );
        self
    }

    /// Standard output as JSON lines.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        let parse = |line| serde_json::from_str(line).unwrap();
        self.stdout.lines().map(parse).collect()
    }
}

/// A service on loopback.
pub(crate) fn service(answer: Answer) -> Recorder {
    Recorder::start(answer).unwrap()
}

/// Returns the command for a folder, without the environment of the tests.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
    command
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("NO_COLOR");
    command
}

/// Runs the command to its end.
pub(crate) fn run(command: &mut Command) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    Run {
        code: status.code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Every command, with the commands below it: `approvals list`.
pub(crate) fn all_commands() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let project = Project::empty();
        let mut all = Vec::new();
        for command in listed(&project, &[]) {
            let below = listed(&project, &[&command]);
            if below.is_empty() {
                all.push(command);
            } else {
                all.extend(below.iter().map(|name| format!("{command} {name}")));
            }
        }
        assert!(all.len() > 35, "{all:?}");
        all
    })
}

/// Returns the names of the commands that a help lists.
fn listed(project: &Project, path: &[&str]) -> Vec<String> {
    let help = project.run(&[path, &["--help"]].concat());
    let help = help.expect(0).stdout;
    let lines = help.split("Commands:\n").nth(1).unwrap_or_default();
    let lines = lines.lines().take_while(|line| line.starts_with("  "));
    // The lines that continue a description are indented further.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    names.map(str::to_owned).collect()
}
