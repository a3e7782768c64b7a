//! Depot, a workspace with two roles, and the command that serves them.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright::private;
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};
use toolwright_tests::command;

use crate::archive;

/// The operator's configuration.
const CONFIG: &str = r#"
    [roles.reader]
    grant = ["category:observe"]

    [roles.clerk]
    grant = ["create-depot-item"]

    [tools]
    enable = ["create-depot-item"]

    [services.archive]
    timeout_seconds = 2

    [discovery]
    threshold = 0
"#;

/// Depot and a workspace next to it. Dropping this value removes both.
pub(crate) struct Stage {
    folder: TempDir,
    _depot: Depot,
    _runtime: Runtime,
}

/// A server over HTTP. Dropping this value ends it.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let token = Token::random();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let depot = Depot::start(DepotConfig {
            folder: folder.path().join("depot"),
            token: token.clone(),
            port: 0,
            initial_stock: InitialStock::Samples,
        });
        let depot = runtime.block_on(depot).unwrap();
        let credentials = json!({"base_url": depot.base_url(), "api_token": token.expose()});
        let file = folder.path().join(".local/depot/admin-auth.json");
        private::write(&file, credentials.to_string()).unwrap();
        configure(folder.path(), CONFIG);
        private::write(&folder.path().join("token.txt"), TOKEN).unwrap();
        Self {
            folder,
            _depot: depot,
            _runtime: runtime,
        }
    }

    /// Returns the command that serves a role over standard input and output.
    pub(crate) fn command(&self, role: &str) -> Vec<String> {
        let specs = root().join("specs/depot");
        let mut words = self.serve(role);
        for word in [
            "--spec",
            specs.join("openapi.yaml").to_str().unwrap(),
            "--overlay",
            specs.join("overlay.toml").to_str().unwrap(),
        ] {
            words.push(word.to_owned());
        }
        words
    }

    /// Returns the command that serves the archive to a role over standard input and output.
    pub(crate) fn command_of_archive(&self, role: &str) -> Vec<String> {
        let specification = self.folder.path().join("archive.json");
        fs::write(&specification, archive::specification().to_string()).unwrap();
        let credentials = json!({"base_url": archive::start()}).to_string();
        let file = self.folder.path().join(".local/archive/admin-auth.json");
        private::write(&file, credentials).unwrap();
        let mut words = self.serve(role);
        let specification = specification.to_str().unwrap().to_owned();
        words.extend(["--spec".to_owned(), specification]);
        words
    }

    fn serve(&self, role: &str) -> Vec<String> {
        let mut words = program(self.folder.path()).to_vec();
        let config = self.folder.path().join("toolwright.toml");
        for word in [
            "serve",
            "--role",
            role,
            "--config",
            config.to_str().unwrap(),
        ] {
            words.push(word.to_owned());
        }
        words
    }

    /// Starts a server of a role over HTTP that requires [`TOKEN`].
    pub(crate) fn serve_http(&self, role: &str) -> Server {
        let token = self.folder.path().join("token.txt");
        let words = self.command(role);
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .args(["--transport", "http", "--port", "0", "--token-file"])
            .arg(token)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"));
        let url = url
            .unwrap_or_else(|| panic!("{line}"))
            .trim_end_matches(',')
            .to_owned();
        Server { child, url }
    }

    /// Approves the only waiting call with a script, like a person.
    pub(crate) fn approve(&self) {
        let waiting = self.run(&["approvals", "--json"]);
        let waiting: Value = serde_json::from_slice(&waiting).unwrap();
        let fact = |name: &str| waiting[name].as_str().unwrap();
        let (handle, digest) = (fact("handle"), fact("digest"));
        self.run(&["approve", handle, "--by", "operator", "--digest", digest]);
    }

    /// Runs a command of the operator and returns its output.
    fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let [first, rest @ ..] = program(self.folder.path());
        let ended = Command::new(first)
            .args(rest)
            .args(arguments)
            .arg("--config")
            .arg(self.folder.path().join("toolwright.toml"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{arguments:?}: {stderr}");
        ended.stdout
    }

    /// The events of the audit log.
    pub(crate) fn audit(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join(".toolwright/audit.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// The token of the HTTP servers.
pub(crate) const TOKEN: &str = "a-token-of-the-tests";

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Returns the command for a folder that also contains the user's trust store.
pub(crate) fn program(folder: &Path) -> [String; 3] {
    let state = folder.join("state");
    [
        "/usr/bin/env".to_owned(),
        format!("XDG_CONFIG_HOME={}", state.display()),
        toolwright().to_str().unwrap().to_owned(),
    ]
}

/// Writes the `toolwright.toml` of a folder and trusts it.
pub(crate) fn configure(folder: &Path, text: &str) -> PathBuf {
    let config = folder.join("toolwright.toml");
    private::write(&config, text).unwrap();
    let [first, rest @ ..] = program(folder);
    let mut trust = Command::new(first);
    trust
        .args(rest)
        .arg("trust")
        .arg(&config)
        .stdout(Stdio::null());
    assert!(trust.status().unwrap().success());
    config
}

/// Returns the path of the `toolwright` command.
pub(crate) fn toolwright() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| command::build().unwrap())
}

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}
