//! The examples of `docs/quick-start.md`, run as their reader would, one section after the other.
#![cfg(test)]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_depot::{Depot, DepotConfig, InitialStock, Token};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/quick-start.md");

const TOOLWRIGHT: &str = env!("CARGO_BIN_EXE_toolwright");

/// The address of the service, as the page shows it.
const SHOWN_ADDRESS: &str = "127.0.0.1:7180";

/// The command that approves the call, as the page shows it.
const SHOWN_APPROVAL: &str = "toolwright approve 344448323550 --by ann";

/// The handle of the waiting call, as the page shows it.
const SHOWN_HANDLE: &str = "344448323550";

/// The repository of the reader, and the service.
struct Reader {
    folder: TempDir,
    settings: TempDir,
    token: Token,
    address: String,
}

impl Reader {
    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes the files that a section shows.
    fn write(&self, section: &str) {
        if let Some(policy) = block(section, "toml") {
            toolwright::private::write(&self.path("toolwright.toml"), policy).unwrap();
        }
        if let Some(auth) = block(section, "json") {
            let auth = auth.replace("YOUR-TOKEN", self.token.expose());
            let file = self.path(".local/depot/admin-auth.json");
            toolwright::private::write(&file, auth).unwrap();
        }
    }

    /// Returns a command of the reader.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("XDG_CONFIG_HOME", self.settings.path());
        command
    }

    /// Returns the values that differ from those that the page shows. A program approves a call by
    /// its digest, since it has no terminal.
    fn values(&self) -> Vec<(String, String)> {
        let mut values = vec![(SHOWN_ADDRESS.to_owned(), self.address.clone())];
        let listed = self.command(TOOLWRIGHT, &["approvals", "--json"]).output();
        // Before the reader trusts the project, the answer is an error.
        if let Ok(waiting) = serde_json::from_slice::<Value>(&listed.unwrap().stdout)
            && let Some(handle) = waiting["handle"].as_str()
        {
            let digest = waiting["digest"].as_str().unwrap();
            let approval = format!("toolwright approve {handle} --by ann --digest {digest}");
            values.push((SHOWN_APPROVAL.to_owned(), approval));
            values.push((SHOWN_HANDLE.to_owned(), handle.to_owned()));
        }
        values
    }

    /// Runs some examples, and returns them, rewritten if `TRYCMD` is set.
    fn run(&self, examples: &str) -> String {
        let values = self.values();
        let real = values
            .iter()
            .fold(examples.to_owned(), |text, (shown, real)| {
                text.replace(shown, real)
            });
        let file = self.path("section.md");
        fs::write(&file, real).unwrap();
        let cases = trycmd::TestCases::new();
        cases
            .env(
                "XDG_CONFIG_HOME",
                self.settings.path().display().to_string(),
            )
            .register_bin("toolwright", Path::new(TOOLWRIGHT))
            .case("section.md");
        cases.run();
        let rewritten = fs::read_to_string(file).unwrap();
        values
            .iter()
            .fold(rewritten, |text, (shown, real)| text.replace(real, shown))
    }

    /// Starts the server that `mcp-config` prints, as a client does, and calls a tool.
    fn call_over_mcp(&self, tool: &str, arguments: &Value) -> Value {
        let printed = self.command(TOOLWRIGHT, &["mcp-config", "--role", "agent"]);
        let printed = { printed }.output().unwrap().stdout;
        let printed: Value = serde_json::from_slice(&printed).unwrap();
        let server = &printed["mcpServers"]["toolwright-agent"];
        let words = server["args"].as_array().unwrap().iter();
        let words: Vec<_> = words.map(|word| word.as_str().unwrap()).collect();
        let mut child = self
            .command(server["command"].as_str().unwrap(), &words)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                "params": {"name": tool, "arguments": arguments}}),
        ] {
            writeln!(pipe, "{message}").unwrap();
        }
        drop(pipe);
        let answers = child.wait_with_output().unwrap().stdout;
        let answers = String::from_utf8(answers).unwrap();
        let answers = answers
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        answers.collect::<Vec<Value>>().into()
    }

    /// Checks what the page states about the agent.
    fn check_the_agent(&self) {
        let answers = self.call_over_mcp("search-depot-items", &json!({"q": "lamp"}));
        let result = |id: u64| {
            let answers = answers.as_array().unwrap().iter();
            let mut answers = answers.filter(|answer| answer["id"] == id);
            answers.next().unwrap()["result"].clone()
        };
        let tools = result(2)["tools"].as_array().unwrap().len();
        assert_eq!(tools, 8, "{answers}");
        let found = &result(3)["structuredContent"]["items"];
        assert_eq!(found.as_array().unwrap().len(), 2, "{answers}");
    }
}

/// Returns the first code block of a section in a language.
fn block<'a>(section: &'a str, language: &str) -> Option<&'a str> {
    let (_, rest) = section.split_once(&format!("\n```{language}\n"))?;
    Some(rest.split("```").next().unwrap())
}

#[test]
fn the_documented_examples_are_correct() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let data = tempfile::tempdir().unwrap();
    let token = Token::random();
    let service = Depot::start(DepotConfig {
        folder: data.path().join("depot"),
        token: token.clone(),
        port: 0,
        initial_stock: InitialStock::Samples,
    });
    let service = runtime.block_on(service).unwrap();
    let url = service.base_url();
    let address = url.split('/').nth(2).unwrap().to_owned();
    let reader = Reader {
        folder: tempfile::tempdir().unwrap(),
        settings: tempfile::tempdir().unwrap(),
        token,
        address,
    };
    std::env::set_current_dir(reader.folder.path()).unwrap();

    let text = fs::read_to_string(PAGE).unwrap();
    let mut rewritten = Vec::new();
    for section in text.split("\n## ") {
        let shown = section.replace(SHOWN_ADDRESS, &reader.address);
        reader.write(&shown);
        if section.starts_with("4.") {
            reader.check_the_agent();
        }
        // The handle of a call is known after the call, so each block is run on its own.
        let parts = section.split_inclusive("\n\n```\n");
        let parts = parts.map(|part| {
            if part.contains("```console") {
                reader.run(part)
            } else {
                part.to_owned()
            }
        });
        rewritten.push(parts.collect::<String>());
    }
    if std::env::var_os("TRYCMD").is_some() {
        fs::write(PAGE, rewritten.join("\n## ")).unwrap();
    }
    runtime.block_on(service.shutdown()).unwrap();
}
