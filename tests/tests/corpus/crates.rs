//! Checks that generated crates compile and document without warnings under the project's lints.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use serde_json::Value;
use toml::Table;
use toolwright_generator::emit::{self, CrateOptions};

use crate::{
    documents::{self, Subject},
    findings::Findings,
};

/// The program that uses the crates. It is a member from the start: clippy checks all crates again if the manifest of
/// the workspace changes.
pub(crate) const PROGRAM: &str = "round-trip";
/// The variable that passes the path of rustdoc to its wrapper process.
const RUSTDOC: &str = "TOOLWRIGHT_CORPUS_RUSTDOC";

/// Writes the crate of a document as a member of one workspace, like `toolwright generate --crate`.
/// Rewrites only changed files, because cargo recompiles by modification time.
pub(crate) fn write(subject: &Subject) -> Findings {
    let folder = folder().join(member(&subject.name));
    let Some(service) = subject.service() else {
        let _ = fs::remove_dir_all(folder);
        return Findings::default();
    };
    let options = CrateOptions {
        checkout: Some(root()),
        own_workspace: false,
    };
    for (path, content) in emit::standalone(service, &options).iter() {
        let path = folder.join(path);
        if path.ends_with("Cargo.toml") {
            write_changed(&path, &manifest(content, &member(&subject.name)));
        } else {
            write_changed(&path, content);
        }
    }
    Findings::default()
}

/// Compiles and documents the crates. Any message of the compilers is a failure.
pub(crate) fn compile(paths: &[PathBuf]) -> Findings {
    let members: Vec<String> = paths
        .iter()
        .map(|path| member(&documents::name(path)))
        .filter(|member| is_there(member))
        .collect();
    write_program(&[], "fn main() {}\n");
    write_workspace(&members);
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    // The documentation needs no other features, and no program.
    let doc = [
        "doc",
        "--no-deps",
        "--exclude",
        toolwright_test_cargo::FEATURES,
        "--exclude",
        PROGRAM,
    ];
    for words in [&["build"][..], &doc] {
        for (member, message) in messages(words) {
            said.entry(member).or_insert(message);
        }
    }
    let mut findings = Findings::default();
    for member in members {
        findings.check(&member, said.remove(&member));
    }
    for (other, message) in said {
        findings.fail(other, message);
    }
    findings
}

/// Runs rustdoc in place of this process if the environment requests it.
///
/// `rustdoc --check` is unstable but takes a third of the time. The wrapper enables it for rustdoc
/// alone, which keeps the compiler's flags and cache unchanged.
pub(crate) fn rustdoc() -> Option<ExitCode> {
    let rustdoc = env::var_os(RUSTDOC)?;
    let status = Command::new(rustdoc)
        .args(env::args_os().skip(1))
        .env("RUSTC_BOOTSTRAP", "1")
        .status()
        .unwrap();
    Some(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Runs a cargo command and returns its messages, each with its package.
fn messages(words: &[&str]) -> Vec<(String, String)> {
    let (name, rest) = words.split_first().unwrap();
    let ran = cargo(name)
        .args(rest)
        .args(["--workspace", "--keep-going", "--quiet"])
        .args(["--message-format", "json"])
        .env("RUSTDOCFLAGS", "-D warnings -Z unstable-options --check")
        .env("RUSTDOC", env::current_exe().unwrap())
        .env(RUSTDOC, Path::new(env!("CARGO")).with_file_name("rustdoc"))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let lines = String::from_utf8(ran.stdout).unwrap();
    let values = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut messages: Vec<(String, String)> = values.filter_map(|value| message(&value)).collect();
    if messages.is_empty() && !ran.status.success() {
        let why = String::from_utf8_lossy(&ran.stderr).into_owned();
        messages.push((words.join(" "), why));
    }
    messages
}

fn message(value: &Value) -> Option<(String, String)> {
    let text = value["message"]["rendered"].as_str()?;
    let id = value["package_id"].as_str()?;
    let name = id
        .rsplit(['/', '#'])
        .find(|part| !part.starts_with(|c: char| c.is_ascii_digit()))?;
    Some((name.to_owned(), text.to_owned()))
}

/// Turns a crate's manifest into a workspace member's, with the project's lints.
fn manifest(content: &str, name: &str) -> String {
    let mut manifest: Table = content.parse().unwrap();
    manifest["package"]["name"] = name.into();
    manifest["lints"] = Table::from_iter([("workspace".to_owned(), true.into())]).into();
    manifest.to_string()
}

/// Writes a program that depends on workspace members and on the adapters' dependencies.
pub(crate) fn write_program(members: &[String], source: &str) {
    let depend =
        |path: &Path| Table::from_iter([("path".to_owned(), path.to_str().unwrap().into())]);
    let mut dependencies: Table = members
        .iter()
        .map(|member| (member.clone(), depend(&Path::new("..").join(member)).into()))
        .collect();
    dependencies.insert(
        "toolwright-adapter".to_owned(),
        depend(&root().join("adapter")).into(),
    );
    let package = Table::from_iter([
        ("name".to_owned(), PROGRAM.into()),
        ("edition".to_owned(), "2024".into()),
    ]);
    let manifest = Table::from_iter([
        ("package".to_owned(), package.into()),
        ("dependencies".to_owned(), dependencies.into()),
    ]);
    let folder = folder().join(PROGRAM);
    write_changed(&folder.join("Cargo.toml"), &manifest.to_string());
    write_changed(&folder.join("src/main.rs"), source);
}

/// Returns a cargo command for the workspace of the crates. Their compiler is clippy, as in `cargo clippy`; unlike that
/// command, `cargo build` compiles them for the program with their types, too.
pub(crate) fn cargo(name: &str) -> Command {
    let clippy = Path::new(env!("CARGO")).with_file_name("clippy-driver");
    let mut command = toolwright_test_cargo::command(name).unwrap();
    command
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTC_WORKSPACE_WRAPPER", clippy)
        .current_dir(folder());
    command
}

/// Returns true if a document has a crate.
pub(crate) fn is_there(member: &str) -> bool {
    folder().join(member).is_dir()
}

/// Writes the workspace of the crates and of the program.
pub(crate) fn write_workspace(members: &[String]) {
    let members: Vec<&str> = members
        .iter()
        .map(String::as_str)
        .chain([PROGRAM])
        .collect();
    toolwright_test_cargo::write_workspace(&folder(), &members).unwrap();
}

fn write_changed(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    toolwright_test_cargo::write_changed(path, content).unwrap();
}

/// Converts a document's name to a crate name.
pub(crate) fn member(document: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    document
        .chars()
        .map(plain)
        .collect::<String>()
        .to_lowercase()
}

/// The folder of the generated crates.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus")
}

/// The project's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}
