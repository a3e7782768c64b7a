//! The `toolwright` command with the tools: the examples of the page, and the built-in profiles over MCP.
//!
//! The test is the command itself, and starts itself again with the command's arguments.
#![cfg(test)]
#![cfg(unix)]

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::policy::BUILT_IN;
use toolwright_workbench as _;

/// The variable that makes the process act as the command.
const PROGRAM: &str = "TOOLWRIGHT_TEST_PROGRAM";

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/workspace-tools.md");

fn main() -> ExitCode {
    // The child of a sandbox has no environment.
    toolwright_sandbox::serve(&[]);
    if env::var_os(PROGRAM).is_some() {
        return toolwright_cli::run([]);
    }
    the_built_in_profiles_have_the_tools_of_their_nodes();
    a_call_over_mcp_reads_and_is_refused();
    a_skill_with_a_script_works_on_the_repository();
    the_documented_examples_are_correct();
    ExitCode::SUCCESS
}

/// A trusted project in a folder, with the configuration of the user next to it.
struct Project {
    folder: TempDir,
    user: TempDir,
}

impl Project {
    fn new(configuration: &str) -> Self {
        let project = Self {
            folder: tempfile::tempdir().unwrap(),
            user: tempfile::tempdir().unwrap(),
        };
        project.write("toolwright.toml", configuration);
        project.write("src/orders/total.rs", "const TAX: u8 = 1;\n");
        project.write("src/secrets/key", "SECRET");
        let trusted = project.command(&["trust"]).output().unwrap();
        assert!(trusted.status.success(), "{trusted:?}");
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(arguments)
            .env(PROGRAM, "1")
            .env("XDG_CONFIG_HOME", self.user.path())
            .current_dir(self.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Sends messages to a server of a role over standard input and output, and returns its answers.
    fn serve(&self, role: &str, more: &[&str], messages: &[Value]) -> Vec<Value> {
        let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}});
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let mut server = self.command(&["serve", "--role", role]);
        server.args(more);
        let server = server.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = server.stderr(Stdio::piped()).spawn().unwrap();
        let mut input = server.stdin.take().unwrap();
        for message in [begin, ready].iter().chain(messages) {
            writeln!(input, "{message}").unwrap();
        }
        drop(input);
        let output = server.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let answers: Vec<_> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!answers.is_empty(), "{error}");
        answers
    }
}

/// Scenario P6: only code generation can write.
fn the_built_in_profiles_have_the_tools_of_their_nodes() {
    let mut configuration = String::from("[tools]\nenable = [\"*\"]\n");
    for profile in BUILT_IN {
        configuration += &format!("[roles.{profile}]\nprofiles = [\"{profile}\"]\n");
    }
    let project = Project::new(&configuration);
    let checked = project.run(&["policy", "check"]);
    let error = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{error}");
    for role in BUILT_IN {
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        let variables = ["--variable", "affected_modules=orders"];
        let answers = project.serve(role, &variables, &[list]);
        let tools = answers.last().unwrap().to_string();
        let has = |tool: &str| tools.contains(&format!("\"{tool}\""));
        assert!(has("read-repo-file"), "{role}: {tools}");
        assert_eq!(has("search-repo-code"), role != "integration", "{role}");
        assert_eq!(has("search-docs-pages"), role == "architecture", "{role}");
        for tool in ["write-repo-file", "edit-repo-file", "create-git-commit"] {
            assert_eq!(has(tool), role == "code-generation", "{role} {tool}");
        }
        assert_eq!(has("get-git-diff"), role == "integration", "{role}");
        assert!(!has("fetch-web-page"), "{role}");
    }
}

fn a_call_over_mcp_reads_and_is_refused() {
    let project = Project::new(&block("toml"));
    let call = |id: u32, path: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "read-repo-file", "arguments": {"path": path}}})
    };
    let messages = [call(2, "src/orders/total.rs"), call(3, "src/secrets/key")];
    let answers = project.serve("coder", &[], &messages);
    let answer = |id: u32| {
        let answer = answers.iter().find(|answer| answer["id"] == id);
        answer.unwrap_or_else(|| panic!("{answers:?}"))["result"].clone()
    };
    let read = answer(2);
    let text = &read["structuredContent"]["text"];
    assert_eq!(text, "const TAX: u8 = 1;\n", "{read}");
    let refused = answer(3);
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().contains("scope_violation"), "{refused}");
}

/// The skill of this crate, from its check to its runs.
fn a_skill_with_a_script_works_on_the_repository() {
    const NAME: &str = "write-repo-todos";
    let project = Project::new(
        r#"
[repository]
path = "."
[roles.coder]
profiles = ["pages"]
[roles.intake]
profiles = ["intake"]
[profiles.pages]
tools = ["search-repo-text", "write-repo-file"]
[[profiles.pages.scopes]]
allowed_read_paths = ["src/**"]
denied_read_paths = ["src/secrets/**"]
allowed_write_paths = ["docs/**"]
[tools]
enable = ["*"]
"#,
    );
    let skills = fs::read_to_string(Path::new(PAGE).with_file_name("skills.md")).unwrap();
    for file in [
        "skill.toml",
        "run.sh",
        "tests/one-file.json",
        "tests/refused.json",
    ] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("skills")
            .join(NAME);
        let text = fs::read_to_string(from.join(file)).unwrap();
        // The page about skills shows the file and the script.
        assert!(
            file.starts_with("tests/") || skills.contains(&text),
            "{file}"
        );
        project.write(&format!("skills/{NAME}/{file}"), &text);
    }
    project.write(
        "src/orders/sum.rs",
        "fn sum() {}\n// OPEN: \"round\" $(touch x)\n",
    );
    project.write("src/secrets/note", "OPEN: change the key\n");
    project.write("docs/todo.md", "old\n");
    let done = |arguments: &[&str]| {
        let output = project.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    done(&["skill", "check"]);
    let tested = done(&["skill", "test"]);
    assert!(tested.contains("2 tests, 0 failed"), "{tested}");
    for verb in ["review", "activate"] {
        done(&["skill", verb, NAME, "--by", "Ann", "--why", "it was read"]);
    }
    let call = |role: &str, page: &str| {
        let arguments = json!({ "page": page }).to_string();
        project.run(&["call", NAME, "--role", role, "--args", &arguments, "--json"])
    };
    let output = call("coder", "docs/todo.md");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["result"]["files"], &result["calls"]),
        (&json!(1), &json!(2))
    );
    let page = fs::read_to_string(project.path().join("docs/todo.md")).unwrap();
    let expected = "# Open work\n\n## src/orders/sum.rs\n\n- line 2: // OPEN: \"round\" $(touch x)";
    assert_eq!(page, expected);
    // The scope of the caller applies, and a role without the tools has no such skill.
    let refused = call("coder", "src/orders/sum.rs");
    let text = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(
        !refused.status.success() && text.contains("scope_violation"),
        "{text}"
    );
    assert!(!call("intake", "docs/todo.md").status.success());
    let events = done(&["audit", "search", "--json"]);
    let denied = events.lines().any(|line| {
        line.contains("\"parent\"")
            && line.contains("scope_violation")
            && line.contains("write-repo-file")
    });
    assert!(denied, "{events}");
}

fn the_documented_examples_are_correct() {
    let project = Project::new(&block("toml"));
    let copy = project.path().join("workspace-tools.md");
    fs::copy(PAGE, &copy).unwrap();
    env::set_current_dir(project.path()).unwrap();
    let cases = trycmd::TestCases::new();
    cases.register_bin("toolwright", env::current_exe().unwrap().as_path());
    cases.env(PROGRAM, "1");
    cases.env("XDG_CONFIG_HOME", project.user.path().to_str().unwrap());
    cases.case("workspace-tools.md");
    cases.run();
    if env::var_os("TRYCMD").is_some() {
        fs::copy(copy, PathBuf::from(PAGE)).unwrap();
    }
}

/// Returns the first block of the page in a language.
fn block(language: &str) -> String {
    let page = fs::read_to_string(PAGE).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}
