//! Tests with the MCP inspector's command line, over standard input and output and over HTTP.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::{Value, json};
use toolwright_tests::{real::Real, shared};

use crate::{
    check_failure, check_list, clients,
    stage::{Stage, TOKEN, configure, program, toolwright},
    unknown_item,
};

/// The inspector's two protocol modes.
const ERAS: [&str; 2] = ["legacy", "modern"];

/// The outcome of a run of the inspector. The exit code is 0 for success, 5 for a tool's failure or
/// an unknown tool, and 6 for a schema that some client rejects.
struct Run {
    code: i32,
    answer: Value,
    stderr: String,
}

/// Returns the inspector's command.
fn inspector(real: &Real) -> Command {
    let node = real.folder().join("npm/node22/node_modules/.bin");
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = [node]
        .into_iter()
        .chain(env::split_paths(&paths).collect::<Vec<PathBuf>>());
    let program = "npm/inspector2/node_modules/.bin/mcp-inspector";
    let mut command = Command::new(real.folder().join(program));
    command
        .env("PATH", env::join_paths(paths).unwrap())
        .args(["--cli", "--format", "json", "-q"])
        .stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Run {
    let ran = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    let stdout = String::from_utf8_lossy(&ran.stdout);
    Run {
        code: ran.status.code().unwrap(),
        answer: serde_json::from_str(&stdout).unwrap_or_default(),
        stderr,
    }
}

/// Calls a tool over standard input and output.
fn call(real: &Real, stage: &Stage, era: &str, tool: &str, arguments: &Value) -> Run {
    run(inspector(real)
        .args([
            "--transport",
            "stdio",
            "--protocol-era",
            era,
            "--method",
            "tools/call",
        ])
        .args([
            "--tool-name",
            tool,
            "--tool-args-json",
            &arguments.to_string(),
            "--",
        ])
        .args(stage.command("reader")))
}

#[test]
fn the_inspector_accepts_the_list() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    for era in ERAS {
        let list = run(inspector(real)
            .args(["--transport", "stdio", "--protocol-era", era])
            .args(["--method", "tools/list", "--strict", "--"])
            .args(stage.command("reader")));
        assert_eq!(list.code, 0, "{era}: {}", list.stderr);
        check_list(&list.answer["result"]["tools"]);
    }
}

/// The documents of one project. The inspector and the server start once for each project.
const PER_PROJECT: usize = 16;

/// The warning about a list of types.
const TYPE_UNION: &str = "`type` is an array";

/// The setting with which a list has every tool.
const ALL_TOOLS: &str = "[discovery]\nthreshold = 0\n";

/// The most warnings about the tools of InvenTree. They are about schemas that admit any value.
const MOST_WARNINGS: usize = 98;

/// Lists all tools of each document in strict mode, which rejects schemas that some client does not
/// support.
#[test]
fn the_inspector_accepts_the_tools_of_every_document() {
    let Some(real) = clients() else { return };
    let documents = shared::documents().unwrap_or_default();
    let projects: Vec<&[PathBuf]> = documents.chunks(PER_PROJECT).collect();
    let next = AtomicUsize::new(0);
    let faults = Mutex::new(Vec::new());
    let listed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(documents) = projects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (tools, found) = list_project(real, documents);
                    listed.fetch_add(tools, Ordering::Relaxed);
                    faults.lock().unwrap().extend(found);
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let (tools, documents) = (listed.into_inner(), documents.len());
    println!("the inspector finds no error in {tools} tools of {documents} documents");
    assert!(documents == 0 || tools > 0);
}

/// Lists the tools of a project with these documents. Returns the number of tools, and the faults.
fn list_project(real: &Real, documents: &[PathBuf]) -> (usize, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), ALL_TOOLS);
    for (number, document) in documents.iter().enumerate() {
        let service = folder.path().join(format!("specs/judged{number}"));
        fs::create_dir_all(&service).unwrap();
        fs::copy(document, service.join("openapi.yaml")).unwrap();
    }
    let list = strictly_listed(real, &config, None);
    let tools = list.answer["result"]["tools"].as_array();
    let mut names = Vec::new();
    for tool in tools.into_iter().flatten() {
        names.push(tool["name"].as_str().unwrap());
    }
    let mut faults = Vec::new();
    let mut count = names.len();
    if list.code != 0 || list.stderr.contains(TYPE_UNION) {
        faults.push(format!("{documents:?}: {}: {}", list.code, list.stderr));
    }
    for (number, document) in documents.iter().enumerate() {
        let service = format!("-judged{number}-");
        if names.iter().any(|name| name.contains(&service)) || is_refused(document) {
            continue;
        }
        // Some documents refer to other files next to them.
        let list = strictly_listed(real, &config, Some(document));
        match (list.code, list.answer["result"]["tools"].as_array()) {
            (0, Some(tools)) => count += tools.len(),
            (code, _) => faults.push(format!("{}: {code}: {}", document.display(), list.stderr)),
        }
    }
    (count, faults)
}

#[test]
fn the_inspector_has_few_warnings_about_inventree() {
    let Some(real) = clients() else { return };
    let documents = shared::documents().unwrap_or_default();
    let named = |document: &&PathBuf| document.to_string_lossy().contains("/inventree-");
    let Some(document) = documents.iter().find(named) else {
        println!("skipped: there is no document of InvenTree");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), ALL_TOOLS);
    let list = strictly_listed(real, &config, Some(document));
    assert_eq!(list.code, 0, "{}", list.stderr);
    let warnings = list.stderr.matches("Warning: tool").count();
    println!("the inspector has {warnings} warnings about the tools of InvenTree");
    assert!((1..=MOST_WARNINGS).contains(&warnings), "{}", list.stderr);
}

/// Lists the tools of a project, or of one document, with the inspector's strict mode.
fn strictly_listed(real: &Real, config: &Path, document: Option<&Path>) -> Run {
    let mut command = inspector(real);
    command
        .args(["--transport", "stdio", "--protocol-era", "modern"])
        // A test build reads the largest document in half a minute.
        .args(["--connect-timeout", "300000"])
        .args(["--method", "tools/list", "--strict", "--"])
        .args(program(config.parent().unwrap()))
        .args(["serve", "--role", "all", "--grant", "*", "--enable", "*"])
        .arg("--config")
        .arg(config);
    if let Some(document) = document {
        command
            .args(["--service", "judged", "--spec"])
            .arg(document);
    }
    run(&mut command)
}

/// Returns true if the command rejects the document.
fn is_refused(document: &Path) -> bool {
    let ran = Command::new(toolwright())
        .args(["inspect", "--service", "judged"])
        .arg(document)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    !ran.status.success()
}

#[test]
fn the_inspector_calls_a_readers_tools() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    for era in ERAS {
        let list = call(real, &stage, era, "list-depot-items", &json!({"limit": 2}));
        assert_eq!(list.code, 0, "{era}: {}", list.stderr);
        let items = &list.answer["result"]["structuredContent"]["items"];
        assert_eq!(items.as_array().unwrap().len(), 2, "{}", list.answer);

        let failed = call(real, &stage, era, "get-depot-item", &unknown_item());
        assert_eq!(failed.code, 5, "{era}: {}", failed.stderr);
        check_failure(&failed.answer["result"]);

        let denied = call(real, &stage, era, "create-depot-item", &json!({}));
        assert_eq!(denied.code, 5, "{era}: {}", denied.stderr);
        assert!(
            denied.stderr.contains("tool_not_found"),
            "{}",
            denied.stderr
        );
    }
}

#[test]
fn http_requires_the_token() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    let server = stage.serve_http("reader");
    for era in ERAS {
        let ask = |header: &str| {
            run(inspector(real)
                .arg(&server.url)
                .args([
                    "--transport",
                    "http",
                    "--protocol-era",
                    era,
                    "--header",
                    header,
                ])
                .args(["--method", "tools/list", "--strict"]))
        };
        let list = ask(&format!("Authorization: Bearer {TOKEN}"));
        assert_eq!(list.code, 0, "{era}: {}", list.stderr);
        check_list(&list.answer["result"]["tools"]);
        assert_ne!(
            ask("Authorization: Bearer another-token-of-the-tests").code,
            0,
            "{era}"
        );
    }
}
