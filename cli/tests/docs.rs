//! The examples of pages below `docs`, run as their reader would.
#![cfg(test)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use toolwright_generator::{diagnostic::Diagnostics, internals, source::Sources};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const TOOLWRIGHT: &str = env!("CARGO_BIN_EXE_toolwright");

/// The pages whose examples are run.
const PAGES: [&str; 12] = [
    "command.md",
    "diff.md",
    "eab.md",
    "files.md",
    "formats.md",
    "graphql.md",
    "grpc.md",
    "lock.md",
    "overlay.md",
    "sandbox.md",
    "serve.md",
    "tokens.md",
];

#[test]
fn the_documented_examples_are_correct() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(ROOT).unwrap();
    fs::write(folder.path().join("toolwright.toml"), "[roles.reader]\n").unwrap();
    for file in ["before.yaml", "after.yaml", "equal.yaml", "memo.yaml"] {
        let from = root.join("cli/tests/docs").join(file);
        fs::copy(from, folder.path().join(file)).unwrap();
    }
    let overlay = blocks("lock.md", "toml").pop().unwrap();
    fs::write(folder.path().join("renaming.overlay.toml"), overlay).unwrap();
    // The document that the page of domain services shows is the one that its examples are about.
    let document = blocks("eab.md", "yaml").remove(0);
    fs::write(folder.path().join("kicad.yaml"), document).unwrap();
    let schema = blocks("graphql.md", "graphql").remove(0);
    fs::write(folder.path().join("tickets.graphql"), schema).unwrap();
    let proto = blocks("grpc.md", "proto").remove(0);
    fs::write(folder.path().join("shop.proto"), proto).unwrap();
    run_pages(folder.path(), &root, &PAGES);
    let fixed = fs::read_to_string("equal.overlay.toml").unwrap();
    assert!(blocks("overlay.md", "toml").contains(&fixed), "{fixed}");
    // Other projects have no Depot, and would be warned of the skill.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("toolwright.toml"), "[roles.reader]\n").unwrap();
    write_skill(folder.path(), &root);
    run_pages(folder.path(), &root, &["skills.md"]);
    let folder = tempfile::tempdir().unwrap();
    write_statements(folder.path());
    run_pages(folder.path(), &root, &["statements.md"]);
}

/// Writes the configuration and the statements that the page shows.
fn write_statements(folder: &Path) {
    let shown = blocks("statements.md", "toml");
    let [configuration, statements] = shown.as_slice() else {
        panic!("{shown:?}");
    };
    fs::write(folder.join("toolwright.toml"), configuration).unwrap();
    fs::create_dir(folder.join("statements")).unwrap();
    toolwright::private::write(&folder.join("statements/stock.toml"), statements).unwrap();
}

/// Runs the examples of pages in a folder. `TRYCMD=overwrite` rewrites the pages in the repository.
fn run_pages(folder: &Path, root: &Path, pages: &[&str]) {
    for page in pages {
        fs::copy(root.join("docs").join(page), folder.join(page)).unwrap();
    }
    std::env::set_current_dir(folder).unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut trust = Command::new(TOOLWRIGHT);
    trust.arg("trust").env("XDG_CONFIG_HOME", state.path());
    assert!(trust.output().unwrap().status.success());
    let cases = trycmd::TestCases::new();
    cases.register_bin("toolwright", Path::new(TOOLWRIGHT));
    cases.env("XDG_CONFIG_HOME", state.path().to_str().unwrap());
    for page in pages {
        cases.case(page);
    }
    cases.run();
    if std::env::var_os("TRYCMD").is_some() {
        for page in pages {
            fs::copy(folder.join(page), root.join("docs").join(page)).unwrap();
        }
    }
}

/// Writes the skill and the test that the page shows, and Depot's specification.
fn write_skill(folder: &Path, root: &Path) {
    let skill = folder.join("skills/reserve-depot-item");
    fs::create_dir_all(skill.join("tests")).unwrap();
    let shown = blocks("skills.md", "toml").remove(0);
    let here = fs::read_to_string(root.join("cli/skills/reserve-depot-item/skill.toml"));
    assert_eq!(shown, here.unwrap());
    fs::write(skill.join("skill.toml"), shown).unwrap();
    let trial = blocks("skills.md", "json").remove(0);
    fs::write(skill.join("tests/shipped.json"), trial).unwrap();
    for (from, to) in [
        ("specs/depot/openapi.yaml", "depot.yaml"),
        ("specs/depot/overlay.toml", "depot.overlay.toml"),
        ("specs/depot/names.lock", "depot.names.lock"),
    ] {
        fs::copy(root.join(from), folder.join(to)).unwrap();
    }
}

#[test]
fn the_documented_lock_is_valid() {
    let shown = blocks("lock.md", "toml");
    let shown = shown.first().unwrap();
    let document = r#"
openapi: 3.1.0
info: { title: Plane, version: "1" }
paths:
  /api/v1/tasks/:
    get: { operationId: listTasks, responses: { "200": { description: All. } } }
    post: { operationId: createTask, responses: { "201": { description: Made. } } }
"#;
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("plane.names.lock");
    fs::write(folder.path().join("plane.yaml"), document).unwrap();
    fs::write(&lock, shown).unwrap();
    let command = "toolwright generate plane.yaml --service plane --lock plane.names.lock";
    assert_eq!(run(folder.path(), command), Some(0));
    // Nothing of it changes: the names that it holds are taken.
    let written = fs::read_to_string(&lock).unwrap();
    let lines = |text: &str| {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&written), lines(shown));
}

#[test]
fn every_option_of_serve_is_documented() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/serve.md")).unwrap();
    let help = Command::new(TOOLWRIGHT).args(["serve", "--help"]).output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let options: BTreeSet<_> = words.filter(|word| word.starts_with("--")).collect();
    assert!(options.len() > 10, "{help}");
    for option in options {
        // These are of all commands.
        if !["--color", "--help", "--version"].contains(&option) {
            assert!(page.contains(option), "`{option}` is not in docs/serve.md");
        }
    }
}

#[test]
fn the_commands_of_an_operator_exist() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/operations.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for line in page.lines().map(str::trim) {
        let line = line
            .strip_prefix("ExecStart=/usr/local/bin/")
            .unwrap_or(line);
        if line.starts_with("toolwright ") {
            // Unknown commands and options are refused before the help is shown.
            assert_eq!(run(folder.path(), &format!("{line} --help")), Some(0));
            commands += 1;
        }
    }
    assert!(commands >= 6, "only {commands} commands were found");
}

#[test]
fn the_documented_ci_configuration_is_yaml() {
    let shown = blocks("diff.md", "yaml");
    assert_eq!(shown.len(), 2);
    for text in shown {
        let mut diagnostics = Diagnostics::default();
        let source = Sources::new().add("shown.yaml", text.as_str());
        let node = internals::read_tree(source, "shown.yaml", &text, &mut diagnostics).unwrap();
        assert!(diagnostics.is_empty(), "{text}");
        assert!(node.get("jobs").or(node.get("repos")).is_some(), "{text}");
    }
}

#[test]
fn the_documented_ci_commands_run() {
    let folder = tempfile::tempdir().unwrap();
    let (base, project) = (folder.path().join("base"), folder.path().join("project"));
    for (root, document) in [(&base, "before.yaml"), (&project, "after.yaml")] {
        let plane = root.join("specs/plane");
        fs::create_dir_all(&plane).unwrap();
        fs::write(root.join("toolwright.toml"), "").unwrap();
        fs::write(plane.join("overlay.toml"), "service = \"plane\"\n").unwrap();
        let document = Path::new(ROOT).join("cli/tests/docs").join(document);
        fs::copy(document, plane.join("openapi.yaml")).unwrap();
    }
    fs::copy(
        base.join("specs/plane/openapi.yaml"),
        folder.path().join("before.yaml"),
    )
    .unwrap();
    assert_eq!(run(&project, "toolwright generate"), Some(0));

    let shown = [blocks("diff.md", "yaml"), blocks("diff.md", "sh")]
        .concat()
        .concat();
    let commands = shown.lines().filter_map(|line| {
        let command = line.trim();
        let command = command.strip_prefix("- run: ").unwrap_or(command);
        let command = command.strip_prefix("entry: ").unwrap_or(command);
        command.starts_with("toolwright ").then_some(command)
    });
    let mut codes = Vec::new();
    for command in commands {
        // The script decides what to do if the tools differ.
        let command = command.split(" || ").next().unwrap();
        let command = command.replace("/tmp/", "../");
        codes.push(run(&project, &command));
    }
    assert_eq!(codes, [Some(0), Some(4), Some(0), Some(4)]);
    let comment = fs::read_to_string(project.join("drift.md")).unwrap();
    assert!(comment.contains("create-plane-note"), "{comment}");
}

#[test]
fn the_documented_exit_codes_are_those_of_the_help() {
    let help = Command::new(TOOLWRIGHT).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let listed = help.split("Exit status:\n").nth(1).unwrap();
    let listed = listed.lines().map(|line| {
        let (code, meaning) = line.trim().split_once(' ').unwrap();
        (code.to_owned(), meaning.trim().to_owned())
    });
    let page = fs::read_to_string(Path::new(ROOT).join("docs/command.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        let (code, meaning) = cells.split_once(" | ")?;
        let is_code = code.chars().all(|c| c.is_ascii_digit());
        is_code.then(|| (code.to_owned(), meaning.to_lowercase().replace('.', "")))
    });
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 9);
    assert_eq!(listed.collect::<Vec<_>>(), rows);
}

#[test]
fn the_documented_error_codes_are_those_of_the_command() {
    let source = fs::read_to_string(Path::new(ROOT).join("cli/src/failure/code.rs")).unwrap();
    let mut codes = Vec::new();
    let mut meaning = String::new();
    for line in source.lines().filter(|line| line.starts_with("        ")) {
        match line.trim().strip_prefix("/// ") {
            Some(text) => meaning = text.to_owned(),
            None => codes.push(format!(
                "| `{}` | {meaning} |",
                line.split('"').nth(1).unwrap()
            )),
        }
    }
    assert_eq!(codes.len(), 21);
    let page = fs::read_to_string(Path::new(ROOT).join("docs/command.md")).unwrap();
    let rows = page.split("| `code` | meaning |").nth(2).unwrap();
    let rows = rows
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    assert_eq!(rows.collect::<Vec<_>>(), codes);
}

#[test]
fn the_documented_installation_of_completions_and_pages_works() {
    let home = tempfile::tempdir().unwrap();
    let lines = blocks("command.md", "sh").concat();
    let command = format!("set -e; export HOME=\"$PWD\"; {lines}");
    assert_eq!(run(home.path(), &command), Some(0));
    let mut files = 0;
    for line in lines.lines() {
        let (_, file) = line.rsplit_once(" > ~/").unwrap_or_default();
        if !file.is_empty() {
            let script = fs::read_to_string(home.path().join(file)).unwrap();
            assert!(script.contains("approver-key"), "{line}");
            files += 1;
        }
    }
    assert_eq!(files, 4);
    assert!(
        home.path()
            .join(".local/share/man/man1/toolwright-call.1")
            .exists()
    );
    let powershell = blocks("command.md", "powershell").concat();
    let command = powershell.split(" | ").next().unwrap();
    assert_eq!(run(home.path(), command), Some(0));
}

/// The code blocks of a page in a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join("docs").join(page)).unwrap();
    let mut pieces = text.split("\n```");
    let mut blocks = Vec::new();
    while let Some(block) = pieces.nth(1) {
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        if first == language {
            blocks.push(format!("{rest}\n"));
        }
    }
    blocks
}

/// Runs a line of a shell, and gives its exit code.
fn run(folder: &Path, command: &str) -> Option<i32> {
    let mut paths = vec![PathBuf::from(TOOLWRIGHT).parent().unwrap().to_owned()];
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).unwrap())
        .output()
        .unwrap();
    let code = output.status.code();
    println!(
        "{command}: {code:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    code
}
