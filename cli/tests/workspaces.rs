//! Generated adapters fit into a workspace outside this repository: as the crate of a project, as a
//! member, as a path dependency, and from a build script.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

const NOTES: &str = include_str!("command/memo.yaml");

/// A field of the notes, without a format and with one.
const PLAIN: &str = "text: { type: string }";
const TYPED: &str = "text: { type: string, format: uuid }";

#[test]
fn adapters_fit_into_a_new_workspace() {
    let temporary = TempDir::new().unwrap();
    let workspace = Workspace(temporary.path().join("agents"));
    let members = ["app", "built", "desk", "generated"];
    workspace.write("toolwright.toml", "");
    toolwright_test_cargo::write_workspace(&workspace.0, &members).unwrap();
    for spec in ["specs/memo/openapi.yaml", "desk.yaml"] {
        workspace.write(spec, &NOTES.replace(PLAIN, TYPED));
    }
    // The types need a feature of the adapter crate, in the manifest of a crate and in that of all
    // services.
    for (overlay, service) in [
        ("desk.overlay.toml", "service = \"desk\"\n"),
        ("shelf.overlay.toml", ""),
        ("specs/memo/overlay.toml", ""),
    ] {
        workspace.write(overlay, &format!("{service}typed_formats = [\"uuid\"]\n"));
    }
    let checkout = root();
    let checkout = ["--toolwright-path", checkout.to_str().unwrap()];
    workspace.toolwright(&[&["generate"], &checkout]);
    for (overlay, service, folder) in [
        ("desk.overlay.toml", &[][..], "desk"),
        ("shelf.overlay.toml", &["--service", "shelf"], "../shelf"),
    ] {
        let crate_of = [
            "generate",
            "desk.yaml",
            "--overlay",
            overlay,
            "--out",
            folder,
        ];
        workspace.toolwright(&[&crate_of, service, &["--crate"], &checkout]);
    }
    workspace.write_built();
    workspace.write_app();

    let run = workspace.cargo_run();
    let expected = "memo: 4 tools\ndesk: 4 tools\nshelf: 4 tools\nbuilt: 4 tools\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), expected);
}

/// A workspace that knows nothing of this repository but the path of its crates.
struct Workspace(PathBuf);

impl Workspace {
    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn toolwright(&self, arguments: &[&[&str]]) {
        let run = Command::new(env!("CARGO_BIN_EXE_toolwright"))
            .args(arguments.concat())
            .current_dir(&self.0)
            .output()
            .unwrap();
        assert!(run.status.success(), "{arguments:?}: {}", stderr(&run));
    }

    /// A crate whose adapters a build script writes.
    fn write_built(&self) {
        let manifest = format!(
            "[package]\nname = \"built\"\nedition = \"2024\"\n\n\
             [dependencies]\ntoolwright = {{ package = \"toolwright-adapter\", path = {} }}\n\n\
             [build-dependencies]\ntoolwright-generator = {{ path = {} }}\n",
            path("adapter"),
            path("generator"),
        );
        self.write("built/Cargo.toml", &manifest);
        let script = "fn main() {\n    toolwright_generator::build::Build::new(\"../desk.yaml\")\n        .service(\"built\")\n        .run();\n}\n";
        self.write("built/build.rs", script);
        let library = "include!(concat!(env!(\"OUT_DIR\"), \"/built.rs\"));\n";
        self.write("built/src/lib.rs", library);
    }

    /// A program that lists the tools of all others.
    fn write_app(&self) {
        let manifest = "[package]\nname = \"app\"\nedition = \"2024\"\n\n[dependencies]\n\
             built = { path = \"../built\" }\n\
             toolwright-desk = { path = \"../desk\" }\n\
             toolwright-generated = { path = \"../generated\" }\n\
             toolwright-shelf = { path = \"../../shelf\" }\n";
        self.write("app/Cargo.toml", manifest);
        let program = "fn main() {\n\
             let mut all = toolwright_generated::all();\n\
             all.extend([toolwright_desk::TOOLS, toolwright_shelf::TOOLS, built::built::TOOLS]);\n\
             for service in all {\n\
             println!(\"{}: {} tools\", service.service(), service.specs().unwrap().len());\n\
             }\n}\n";
        self.write("app/src/main.rs", program);
    }

    /// Compiles the workspace and runs its program.
    fn cargo_run(&self) -> Output {
        let run = toolwright_test_cargo::command("run")
            .unwrap()
            .arg("--quiet")
            .current_dir(&self.0)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", stderr(&run));
        run
    }
}

/// Returns the path of a crate of this repository as a TOML string.
fn path(folder: &str) -> toml::Value {
    let path = root().join(folder);
    path.to_str().unwrap().into()
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::canonicalize(root).unwrap()
}

fn stderr(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}
