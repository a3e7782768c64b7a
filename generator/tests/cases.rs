//! Cases: each folder of `cases/` tests the statement in its name.
//!
//! A case has a document (`openapi.yaml` or another name of [`DOCUMENTS`]), optionally an
//! `overlay.toml`, a `names.lock` and files that the document refers to, and a folder `expected/`:
//!
//! - `diagnostics.txt`: the rendered diagnostics. Every case has it.
//! - `tools.json`: the records of the tools, and the omitted operations. Compared if it exists.
//! - `names.lock`: the lock after the run. Compared if it exists.
//! - `types.rs`, `tools.rs`, `failures.rs`: the emitted Rust. Compared if `types.rs` exists. The
//!   crate in `compiled/` compiles it.
//!
//! `UPDATE_EXPECT=1` rewrites the existing files, and always `diagnostics.txt`. Otherwise nothing
//! is written.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use libtest_mimic::{Arguments, Failed, Trial};
use toolwright_generator::{
    check::CheckedCatalog,
    emit,
    generate::{self, Input, Options, Outcome},
    inspect,
    load::Memory,
    render::{self, Style},
};

/// The names that a case's document may have.
const DOCUMENTS: &[&str] = &[
    "openapi.yaml",
    "openapi.json",
    "swagger.yaml",
    "eab.yaml",
    "mcp.json",
    "schema.graphql",
    "graphql.json",
    "service.proto",
];

/// The emitted files that a case may expect, by module.
const MODULES: &[&str] = &["failures", "tools", "types"];

/// The start of the crate that compiles the expected Rust.
const COMPILED: &str = "\
//! The expected Rust of the generator's cases, compiled.
//!
//! `UPDATE_EXPECT=1 cargo test -p toolwright-generator --test cases` writes this file.
extern crate toolwright_adapter as toolwright;
use toolwright::EmbeddedTools;
const TOOLS: EmbeddedTools = EmbeddedTools::new(\"shop\", \"{}\");
/// The examples of `docs/generated-api.md`.
#[cfg(doctest)]
#[doc = include_str!(\"../../../../docs/generated-api.md\")]
pub struct GeneratedApi;
";

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let trials = folders(&folder).into_iter().map(|case| {
        let name = name(&case);
        Trial::test(name, move || check(&case))
    });
    let compiled = Trial::test("compiled", move || check_compiled(&folder));
    libtest_mimic::run(&arguments, trials.chain([compiled]).collect()).exit();
}

fn name(case: &Path) -> String {
    case.file_name().unwrap().to_string_lossy().into_owned()
}

fn check(case: &Path) -> Result<(), Failed> {
    let outcome = run(case);
    let expected = case.join("expected");
    fs::create_dir_all(&expected)?;
    expect_file![expected.join("diagnostics.txt")].assert_eq(&diagnostics(&outcome));
    let tools = expected.join("tools.json");
    if tools.exists() {
        expect_file![tools].assert_eq(&tools_of(&outcome));
    }
    let lock = expected.join("names.lock");
    if lock.exists() {
        expect_file![lock].assert_eq(&lock_of(&outcome));
    }
    if has_rust(case) {
        check_rust(case, &outcome)?;
    }
    Ok(())
}

/// Checks whether a case expects Rust.
fn has_rust(case: &Path) -> bool {
    case.join("expected/types.rs").exists()
}

/// Compares the emitted modules of a case.
fn check_rust(case: &Path, outcome: &Outcome) -> Result<(), Failed> {
    let catalog = outcome.catalog.as_ref().unwrap();
    let tree = emit::service(&catalog.services()[0]);
    for module in MODULES {
        let file = format!("{module}.rs");
        let path = case.join("expected").join(&file);
        match tree.file(&file) {
            Some(text) => expect_file![path].assert_eq(text),
            None if path.exists() => {
                return Err(format!("{} is not emitted", path.display()).into());
            }
            None => {}
        }
    }
    Ok(())
}

/// Compares the root of the crate that compiles the expected Rust of all cases.
fn check_compiled(cases: &Path) -> Result<(), Failed> {
    let mut root = COMPILED.to_owned();
    for case in folders(cases).iter().filter(|case| has_rust(case)) {
        let name = name(case);
        let module = name.replace(['-', '.'], "_");
        root.push_str(&format!(
            "/// The case `{name}`.\n#[path = \"../../cases/{name}/expected\"]\npub mod {module} {{\n    use super::TOOLS;\n"
        ));
        for module in MODULES {
            if case.join(format!("expected/{module}.rs")).exists() {
                let visible = if *module == "tools" { "" } else { "pub " };
                root.push_str(&format!("    {visible}mod {module};\n"));
            }
        }
        if case.join("expected/tools.rs").exists() {
            root.push_str("    pub use tools::*;\n");
        }
        root.push_str("}\n");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compiled");
    expect_file![folder.join("src/lib.rs")].assert_eq(&root);
    Ok(())
}

/// Runs the front end on the files of a case, which see no others.
fn run(case: &Path) -> Outcome {
    let files = files(case);
    let document = DOCUMENTS.iter().find(|name| files.contains_key(**name));
    let mut input = Input::new(*document.unwrap_or(&"openapi.yaml")).service("shop");
    if files.contains_key("overlay.toml") {
        input = input.overlay("overlay.toml");
    }
    if files.contains_key("names.lock") {
        input = input.lock("names.lock");
    }
    generate::run(&[input], Options::default(), &Memory(files))
}

fn diagnostics(outcome: &Outcome) -> String {
    let text = render::text(
        &outcome.diagnostics,
        &outcome.sources,
        &outcome.documents,
        Style::Plain,
    );
    let summary = match render::summary(&outcome.diagnostics) {
        summary if summary.is_empty() => "nothing to say".to_owned(),
        summary => summary,
    };
    assert_eq!(
        outcome.catalog.is_none(),
        summary.contains("error"),
        "there is a catalogue exactly when there is no error"
    );
    format!("{text}{summary}\n")
}

/// The records of the tools, and what was left out.
fn tools_of(outcome: &Outcome) -> String {
    let catalog = outcome.catalog.as_ref();
    let tools = catalog.map(CheckedCatalog::tool_specs).unwrap_or_default();
    let left_out = serde_json::to_value(inspect::document(outcome, 0)).unwrap()["left_out"].take();
    let shown = serde_json::json!({"tools": tools, "left_out": left_out});
    format!("{shown:#}\n")
}

/// Returns the expected lock after the run; empty after an error.
fn lock_of(outcome: &Outcome) -> String {
    let services = outcome.catalog.iter().flat_map(CheckedCatalog::services);
    services.map(emit::lock).collect()
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut folders: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

/// The files of a case, by their paths below its folder.
fn files(case: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut unread = vec![case.to_owned()];
    while let Some(path) = unread.pop() {
        if path.is_dir() {
            unread.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            let name = path.strip_prefix(case).unwrap().to_string_lossy();
            files.insert(name.replace('\\', "/"), fs::read(&path).unwrap());
        }
    }
    files
}
