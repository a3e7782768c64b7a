//! The examples of `docs/projects.md`, run as their reader would, one section after the other.
#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use tempfile::TempDir;
use toolwright_tests::{Answer, Recorder};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The folder of the reader, and the service that is called.
struct Reader {
    folder: TempDir,
    trust: TempDir,
    server: Recorder,
}

impl Reader {
    fn new() -> Self {
        let reader = Self {
            folder: tempfile::tempdir().unwrap(),
            trust: tempfile::tempdir().unwrap(),
            server: Recorder::start(Answer::json(200, r#"{"id": 3, "total": 12}"#)).unwrap(),
        };
        fs::create_dir(reader.path("vendor")).unwrap();
        for (from, to) in [("shop.yaml", "shop.yaml"), ("memo.yaml", "notes.yaml")] {
            let from = Path::new(ROOT).join("cli/tests/command").join(from);
            fs::copy(from, reader.path("vendor").join(to)).unwrap();
        }
        reader
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Does what the reader does between two sections.
    fn prepare(&self, title: &str, policy: &str) {
        match title {
            "Use the tools" => {
                toolwright::private::write(&self.path("toolwright.toml"), policy).unwrap();
                let auth = json!({"base_url": self.server.url()}).to_string();
                let file = self.path(".local/shop/admin-auth.json");
                toolwright::private::write(&file, auth).unwrap();
            }
            "Read a specification again" => {
                let path = self.path("vendor/shop.yaml");
                let text = fs::read_to_string(&path).unwrap();
                let more = "  /orders/{id}:\n    delete:\n      operationId: deleteOrder\n      summary: Delete an order\n      parameters:\n        - { name: id, in: path, required: true, schema: { type: integer } }\n      responses: { \"204\": { description: It is gone. } }\n";
                fs::write(&path, text.replace("  /orders/{id}:\n", more)).unwrap();
            }
            "A broken specification" => {
                let overlay = "[operations.getOrder]\nnuon = \"receipt\"\n";
                fs::write(self.path("specs/shop/overlay.toml"), overlay).unwrap();
            }
            "Specifications outside of a project" => {
                fs::write(self.path("specs/shop/overlay.toml"), "").unwrap();
            }
            _ => {}
        }
    }

    /// Runs the examples of a section, and returns it, rewritten if `TRYCMD` is set.
    fn run(&self, section: &str) -> String {
        let file = self.path("section.md");
        fs::write(&file, section).unwrap();
        let cases = trycmd::TestCases::new();
        cases
            .env("XDG_CONFIG_HOME", self.trust.path().display().to_string())
            .register_bin("toolwright", Path::new(env!("CARGO_BIN_EXE_toolwright")))
            .case("section.md");
        cases.run();
        fs::read_to_string(file).unwrap()
    }
}

#[test]
fn the_documented_examples_are_correct() {
    let page = Path::new(ROOT).join("docs/projects.md");
    let text = fs::read_to_string(&page).unwrap();
    let (_, policy) = text.split_once("```toml\n").unwrap();
    let (policy, _) = policy.split_once("```").unwrap();
    let reader = Reader::new();
    std::env::set_current_dir(reader.folder.path()).unwrap();
    let mut rewritten = Vec::new();
    for section in text.split("\n## ") {
        let title = section.lines().next().unwrap();
        reader.prepare(title, policy);
        rewritten.push(if section.contains("```console") {
            reader.run(section)
        } else {
            section.to_owned()
        });
    }
    if std::env::var_os("TRYCMD").is_some() {
        fs::write(page, rewritten.join("\n## ")).unwrap();
    }
}
