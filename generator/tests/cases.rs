//! Cases: each folder of `cases/` is a test of what its name says.
//!
//! A case has a document (`openapi.yaml` or another name of [`DOCUMENTS`]), maybe an
//! `overlay.toml`, a `names.lock` and files that the document refers to, and a folder `expected/`:
//!
//! - `diagnostics.txt`: what is said, as people read it. Every case has it.
//! - `tools.json`: the records of the tools, and what was left out. Compared where it is there.
//! - `names.lock`: the lock as it has to be after the run. Compared where it is there.
//!
//! `UPDATE_EXPECT=1` rewrites the files that are there, and `diagnostics.txt` in any case.
//! Otherwise nothing is written.

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

use libtest_mimic::{Arguments, Failed, Trial};
use toolwright_generator::{
    check::CheckedCatalog,
    diagnostic::render::{self, Style},
    generate::{self, Input, Options, Outcome},
    inspect,
    load::Memory,
    lock, tool_spec,
};

/// The names that a case's document may have.
const DOCUMENTS: &[&str] = &["openapi.yaml", "openapi.json", "swagger.yaml", "eab.yaml"];

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let trials = folders(&folder).into_iter().map(|case| {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        Trial::test(name, move || check(&case))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn check(case: &Path) -> Result<(), Failed> {
    let outcome = run(case);
    compare(
        &case.join("expected/diagnostics.txt"),
        &diagnostics(&outcome),
    )?;
    let tools = case.join("expected/tools.json");
    if tools.exists() {
        compare(&tools, &tools_of(&outcome))?;
    }
    let lock = case.join("expected/names.lock");
    if lock.exists() {
        compare(&lock, &lock_of(&outcome))?;
    }
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
    let text = render::text(&outcome.diagnostics, &outcome.sources, Style::Plain);
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
    let tools = catalog.map(tool_spec::all).unwrap_or_default();
    let left_out = inspect::document(outcome, 0)["left_out"].take();
    let shown = serde_json::json!({"tools": tools, "left_out": left_out});
    format!("{shown:#}\n")
}

/// What the lock has to hold after the run; nothing where there was an error.
fn lock_of(outcome: &Outcome) -> String {
    let services = outcome.catalog.iter().flat_map(CheckedCatalog::services);
    services.map(lock::updated).collect()
}

fn compare(path: &Path, actual: &str) -> Result<(), Failed> {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::create_dir_all(path.parent().unwrap())?;
        fs::write(path, actual)?;
        return Ok(());
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return Ok(());
    }
    let path = path.display();
    Err(format!(
        "{path} has\n\n{expected}\nbut it is\n\n{actual}\nUPDATE_EXPECT=1 rewrites the file"
    )
    .into())
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
