//! A person in an empty folder, and the commands that they type.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use toolwright::private;
use toolwright_tests::{command, real::Real};

/// The steps of the MCP client: what it sees, and a search in it.
const STEPS: &str = r#"[
    {"do": "list"},
    {"do": "call", "name": "search-toolwright-tools", "arguments": {"query": "list the sites"}}
]"#;

/// The patience with a call that another command shall approve.
const PATIENCE: Duration = Duration::from_secs(60);

/// A person in an empty folder.
pub(crate) struct Newcomer {
    home: TempDir,
    steps: Vec<Step>,
}

/// A command that the person typed.
struct Step {
    words: String,
    seconds: f64,
    compiles: bool,
}

/// A command that still runs.
pub(crate) struct Running {
    words: String,
    child: Child,
    begun: Instant,
}

impl Newcomer {
    pub(crate) fn arrive() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("agents")).unwrap();
        Self {
            home,
            steps: Vec::new(),
        }
    }

    /// Unpacks the archive that is distributed.
    pub(crate) fn install(&mut self) {
        let packed = Command::new("bash")
            .arg(".ci/dist")
            .arg(command::build().unwrap())
            .current_dir(root())
            .output()
            .unwrap();
        let archive = stdout(&packed);
        let archive = root().join(archive.trim_end());
        let mut unpack = Command::new("tar");
        unpack
            .arg("-xzf")
            .arg(&archive)
            .arg("-C")
            .arg(self.home.path());
        self.step("tar -xzf toolwright.tar.gz", &mut unpack, 0);
        let name = archive.file_name().unwrap().to_str().unwrap();
        let folder = self.home.path().join(name.trim_end_matches(".tar.gz"));
        fs::rename(folder, self.home.path().join("toolwright")).unwrap();
    }

    /// Keeps a copy of a document, as a download does.
    pub(crate) fn download(&self, document: &Path, name: &str) -> String {
        let path = self.home.path().join(name);
        fs::write(&path, fs::read(document).unwrap()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Runs the command to its end, and returns what it prints.
    pub(crate) fn toolwright(&mut self, words: &[&str], code: i32) -> String {
        self.step(&typed(words), &mut self.command(words), code)
    }

    /// Starts the command.
    pub(crate) fn start(&self, words: &[&str]) -> Running {
        let mut command = self.command(words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running {
            words: typed(words),
            child: command.spawn().unwrap(),
            begun: Instant::now(),
        }
    }

    /// Waits for the end of a command, and returns what it prints.
    pub(crate) fn finish(&mut self, running: Running) -> String {
        let output = running.child.wait_with_output().unwrap();
        self.done(running.words, running.begun, &output, 0)
    }

    /// Looks at the waiting calls until there is one. The person types the command once.
    pub(crate) fn wait_for_request(&mut self) -> Value {
        let words = ["approvals", "--json"];
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let output = self.command(&words).output().unwrap();
            if let Some(line) = stdout(&output).lines().next() {
                let request = serde_json::from_str(line).unwrap();
                self.done(typed(&words), begun, &output, 0);
                return request;
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("no call waits");
    }

    /// Starts the server as an MCP client does, and returns what the client sees.
    pub(crate) fn connect(&self, real: &Real, server: &Value) -> Value {
        let words = server["args"].as_array().unwrap().iter();
        let variables = server["env"].as_object().unwrap().iter();
        let output = Command::new(real.folder().join("venv/mcp/bin/python"))
            .arg(root().join("tests/real/mcp_client.py"))
            .args(["client", STEPS, "--"])
            .arg(server["command"].as_str().unwrap())
            .args(words.map(|word| word.as_str().unwrap()))
            .envs(variables.map(|(name, value)| (name, value.as_str().unwrap())))
            .current_dir(self.home.path())
            .output()
            .unwrap();
        serde_json::from_str(&stdout(&output)).unwrap()
    }

    /// Writes a workspace with the generated crate and a program.
    pub(crate) fn write_program(&self, program: &str) {
        toolwright_test_cargo::write_workspace(&self.path(""), &["generated", "app"]).unwrap();
        let manifest = format!(
            "[package]\nname = \"app\"\nedition = \"2024\"\n\n[dependencies]\nserde_json = \"1\"\n\
             tokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\
             toolwright = {{ path = {} }}\n\
             toolwright-generated = {{ path = \"../generated\", default-features = false, features = [\"powerdns\"] }}\n",
            toml::Value::from(root().join("runtime").to_str().unwrap()),
        );
        self.write("app/Cargo.toml", &manifest);
        self.write("app/src/main.rs", program);
        // The crates come from this checkout, as `--toolwright-path` would write it.
        let generated = self.read("generated/Cargo.toml");
        let adapter = toml::Value::from(root().join("adapter").to_str().unwrap());
        let generated = generated.replace(
            "{ version = \"0.1.0\" }",
            &format!("{{ path = {adapter} }}"),
        );
        self.write("generated/Cargo.toml", &generated);
    }

    /// Compiles and runs the program.
    pub(crate) fn cargo_run(&mut self) -> String {
        let mut cargo = toolwright_test_cargo::command("run").unwrap();
        cargo.arg("--quiet").current_dir(self.path(""));
        let printed = self.step("cargo run", &mut cargo, 0);
        self.steps.last_mut().unwrap().compiles = true;
        printed
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn append(&self, file: &str, text: &str) {
        self.write(file, &(self.read(file) + text));
    }

    /// Writes a file that only the person can read.
    pub(crate) fn write_secret(&self, file: &str, text: &str) {
        private::write(&self.path(file), text).unwrap();
    }

    /// The number of commands.
    pub(crate) fn commands(&self) -> usize {
        self.steps.len()
    }

    /// The seconds of all commands but those that compile.
    pub(crate) fn seconds(&self) -> f64 {
        let steps = self.steps.iter().filter(|step| !step.compiles);
        steps.map(|step| step.seconds).sum()
    }

    /// Prints the commands with their seconds.
    pub(crate) fn report(&self) {
        for (number, step) in self.steps.iter().enumerate() {
            let compiles = if step.compiles { " (compiles)" } else { "" };
            println!(
                "{:>2} {:>7.2} s  {}{compiles}",
                number + 1,
                step.seconds,
                step.words
            );
        }
        println!(
            "{} commands, {:.1} s without compiling",
            self.commands(),
            self.seconds()
        );
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.path().join("agents").join(file)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(self.home.path().join("toolwright/toolwright"));
        command
            .args(words)
            .env("XDG_CONFIG_HOME", self.home.path().join("config"))
            .current_dir(self.path(""))
            .stdin(Stdio::null());
        command
    }

    fn step(&mut self, words: &str, command: &mut Command, code: i32) -> String {
        let begun = Instant::now();
        let output = command.output().unwrap();
        self.done(words.to_owned(), begun, &output, code)
    }

    fn done(&mut self, words: String, begun: Instant, output: &Output, code: i32) -> String {
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        self.steps.push(Step {
            words,
            seconds: begun.elapsed().as_secs_f64(),
            compiles: false,
        });
        stdout(output)
    }
}

fn typed(words: &[&str]) -> String {
    format!("toolwright {}", words.join(" "))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::canonicalize(root).unwrap()
}
