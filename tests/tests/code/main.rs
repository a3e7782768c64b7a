//! The modules of functions that `toolwright export` writes, with the compilers of their languages, and programs
//! that call the tools through the socket.
//!
//! `TOOLWRIGHT_REAL=1` enables the tests; see [`toolwright_tests::real`].
#![cfg(test)]
#![cfg(unix)]

mod programs;

use std::{fs, path::Path, process::Command, sync::OnceLock};

use toolwright::{
    ToolSpec,
    render::code::{Language, module},
};
use toolwright_generator::{
    generate::{self, Accept, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_tests::{real::Real, shared};

/// The large documents, below the folder of the services.
const DOCUMENTS: &[&str] = &[
    "netbox/openapi.yaml",
    "inventree/api.yaml",
    "outline/spec3.yml",
    "plane/openapi.json",
    "nomad/openapi.yaml",
];

/// Returns the compilers if the tests are enabled. Installs them once.
fn compilers() -> Option<&'static Real> {
    static REAL: OnceLock<Option<Real>> = OnceLock::new();
    let install = || {
        let real = Real::if_enabled_with("code")?;
        real.run("install.sh", &[]).unwrap();
        Some(real)
    };
    REAL.get_or_init(install).as_ref()
}

fn tools(path: &Path) -> Vec<ToolSpec> {
    let options = Options {
        unnameable: Unnameable::LeaveOutLocked,
        accept: Accept {
            renames: false,
            lowering: false,
        },
    };
    let input = Input::new(path.to_str().unwrap()).service("api");
    let catalog = generate::run(&[input], options, &Disk).catalog.unwrap();
    catalog.tool_specs()
}

/// Runs a compiler in a folder, and checks that it has nothing to report.
fn compile(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let first: Vec<_> = text.lines().take(20).collect();
    assert!(output.status.success(), "{command:?}: {}", first.join("\n"));
}

/// Compiles the module of a file in both languages.
fn check(real: &Real, tools: &[ToolSpec]) {
    let code = real.folder().join("code");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("tools.ts"), module(tools, Language::TypeScript)).unwrap();
    fs::write(folder.join("tools.py"), module(tools, Language::Python)).unwrap();
    let types = code.join("node_modules/@types");
    compile(
        Command::new(code.join("node_modules/.bin/tsc"))
            .args([
                "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext",
            ])
            .args(["--types", "node", "--typeRoots"])
            .arg(types)
            .arg("tools.ts"),
        folder,
    );
    compile(
        Command::new("python3").args(["-m", "compileall", "-q", "tools.py"]),
        folder,
    );
    compile(Command::new("python3").arg("tools.py"), folder);
    compile(
        Command::new(code.join("venv/bin/mypy")).args(["--strict", "tools.py"]),
        folder,
    );
}

#[test]
fn the_modules_of_large_documents_compile() {
    let Some(real) = compilers() else {
        return;
    };
    for document in DOCUMENTS {
        let path = shared::folder().join("services").join(document);
        if !path.exists() {
            println!("skipped: {} is absent", path.display());
            continue;
        }
        let tools = tools(&path);
        println!("{document}: {} tools", tools.len());
        check(real, &tools);
    }
}

#[test]
fn hostile_names_and_texts_stay_names_and_texts() {
    let Some(real) = compilers() else {
        return;
    };
    check(real, &[programs::hostile()]);
}
