//! Emitted Rust parses, compiles without a warning, and its types read and write the values that
//! the specification describes.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use toolwright_generator::{
    check::CheckedCatalog,
    emit::{self, CrateOptions, OutputTree},
    generate::{self, Input, Options, Unnameable},
    load::{Disk, FileSystem, Memory},
};

/// Documents above this size are emitted by the benchmarks.
const LARGEST: u64 = 300_000;

/// The tests that run within the emitted crate.
const TESTS: &[(&str, &str)] = &[
    ("round_trip.rs", include_str!("emitted/round_trip.rs")),
    ("over_http.rs", include_str!("emitted/over_http.rs")),
    ("service/mod.rs", include_str!("emitted/service.rs")),
];

/// The dependencies of the emitted crates' tests.
const TEST_DEPENDENCIES: &str = concat!(
    "\n[dev-dependencies]\ntoolwright = { path = \"",
    env!("CARGO_MANIFEST_DIR"),
    "/../runtime\" }\n",
    r#"tokio = { version = "1", features = ["macros", "rt"] }
"#
);

#[test]
fn every_emitted_file_has_the_layout_of_prettyplease() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = documents();
    documents.extend(documents_below(&folder.join("tests/cases")));
    documents.extend(documents_below(&folder.join("tests/emitted")));
    documents.extend(documents_below(&folder.join("../specs")));
    let mut emitted = 0;
    let mut faults = String::new();
    for path in documents {
        let Some(catalog) = run(&path, &Disk) else {
            continue;
        };
        let tree = standalone(&catalog);
        for (file, text) in tree.iter().filter(|(file, _)| file.ends_with(".rs")) {
            let formatted = prettyplease::unparse(&syn::parse_file(text).unwrap());
            if let Some((line, expected)) = text
                .lines()
                .zip(formatted.lines())
                .find(|(line, expected)| line != expected)
            {
                faults.push_str(&format!("{path}: {file}\n  {line}\n  {expected}\n"));
            } else {
                assert_eq!(text, formatted, "{path}: {file}");
            }
        }
        assert_eq!(tree, standalone(&run(&path, &Disk).unwrap()));
        emitted += 1;
    }
    assert!(faults.is_empty(), "{faults}");
    assert!(emitted > 80, "{emitted}");
}

#[test]
fn schemas_of_real_documents_are_valid_and_self_contained() {
    for path in documents() {
        for spec in check(&path, &Disk).tool_specs() {
            let tool = format!("{}: {}", path, spec.name);
            assert_eq!(spec.input_schema.whole()["type"], "object", "{tool}");
            for schema in spec.schemas() {
                let schema = schema.to_value();
                // A reference to nothing is an error here.
                assert!(jsonschema::meta::is_valid(&schema), "{tool}");
                assert!(jsonschema::validator_for(&schema).is_ok(), "{tool}");
            }
        }
    }
}

#[test]
fn an_emitted_crate_compiles_and_round_trips_values() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("emitted");
    let document = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/emitted/openapi.yaml"
    ));
    let files = Memory(BTreeMap::from([("zoo.yaml".to_owned(), document.unwrap())]));
    for (file, text) in emit("zoo.yaml", &files).iter() {
        let more = match file {
            "Cargo.toml" => TEST_DEPENDENCIES,
            "src/lib.rs" => "\npub mod odd;\n",
            _ => "",
        };
        write(&folder.join("zoo").join(file), &format!("{text}{more}"));
    }
    write_odd(&folder.join("zoo/src"));
    for (file, text) in TESTS {
        write(&folder.join("zoo/tests").join(file), text);
    }
    toolwright_test_cargo::write_workspace(&folder, &["zoo"]).unwrap();
    let output = toolwright_test_cargo::command("test")
        .unwrap()
        .args(["--quiet", "--lib", "--tests"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !errors.contains("warning"),
        "{}{errors}",
        String::from_utf8_lossy(&output.stdout),
    );
}

/// Writes a module for each document that is odd in some way, all in one crate.
fn write_odd(folder: &Path) {
    let documents = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emitted/odd");
    let documents = fs::read_dir(documents).unwrap();
    let documents = documents.map(|entry| entry.unwrap().path());
    let mut documents: Vec<PathBuf> = documents.filter(|path| path.is_file()).collect();
    documents.sort();
    let mut root = "//! Documents that are odd.\n\n".to_owned();
    for document in documents {
        let name = document.file_stem().unwrap().to_str().unwrap();
        let catalog = check(&document.to_string_lossy(), &Disk);
        let tree = emit::service(catalog.services().first().unwrap());
        for (file, text) in tree.iter() {
            write(&folder.join("odd").join(name).join(file), text);
        }
        root.push_str(&format!("pub mod {name};\n"));
    }
    write(&folder.join("odd.rs"), &root);
}

/// Returns the shared documents without the largest; none if they do not exist.
fn documents() -> Vec<String> {
    let shared = env::var("TOOLWRIGHT_SHARED").map_or_else(
        |_| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let Ok(corpus) = fs::read_dir(shared.join("corpus")) else {
        println!("skipped, since there are no shared documents");
        return Vec::new();
    };
    let mut documents: Vec<String> = corpus
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending != "tsv"))
        .filter(|path| fs::metadata(path).unwrap().len() < LARGEST)
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    documents.sort();
    assert!(documents.len() > 100);
    documents
}

/// Returns the documents of a folder and of the folders below it.
fn documents_below(folder: &Path) -> Vec<String> {
    let mut documents = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["json", "yaml"].iter().any(|known| ending == *known) {
                documents.push(path.to_string_lossy().into_owned());
            }
        }
    }
    documents.sort();
    documents
}

/// Returns the catalogue of a document, if it has no error.
fn run(document: &str, files: &dyn FileSystem) -> Option<CheckedCatalog> {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = Input::new(document).service("zoo");
    generate::run(&[input], options, files).catalog
}

fn check(document: &str, files: &dyn FileSystem) -> CheckedCatalog {
    run(document, files).unwrap()
}

fn emit(document: &str, files: &dyn FileSystem) -> OutputTree {
    standalone(&check(document, files))
}

fn standalone(catalog: &CheckedCatalog) -> OutputTree {
    let options = CrateOptions {
        checkout: Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")),
        own_workspace: false,
    };
    emit::standalone(catalog.services().first().unwrap(), &options)
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    if fs::read_to_string(path).is_ok_and(|before| before == text) {
        return;
    }
    fs::write(path, text).unwrap();
}
